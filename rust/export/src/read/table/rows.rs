//! Rows as records.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use optap_record::{Kind, NameTable, OpRecord};

use super::columns::{Columns, Rows};
use super::decimal::{integer, micros};
use super::lines::{Cells, Lines};
use crate::process::Process;
use crate::prof::Anchor;
use crate::read::builder::Builder;
use crate::read::damage::Damages;
use crate::read::profile::{Profile, model_id};
use crate::read::source::named;

/// Files are read in blocks of this size.
const BLOCK_BYTES: usize = 64 * 1024;

/// Reads a table. Times stay those of the wall clock.
pub(crate) fn read(path: &Path, names: &NameTable) -> io::Result<Profile> {
    let file = File::open(path).map_err(|error| named(path, &error))?;
    let mut lines = Lines::new(BufReader::with_capacity(BLOCK_BYTES, file));
    let mut cells = Cells::default();
    lines
        .next(&mut cells)
        .map_err(|error| named(path, &error))?;
    let columns = Columns::of(&cells).map_err(|found| {
        let message = format!("{}: {found}", path.display());
        io::Error::new(io::ErrorKind::Unsupported, message)
    })?;
    let mut reading = Reading {
        width: cells.len(),
        columns,
        pid: 0,
        builder: Builder::new(names),
    };
    let mut damages = Damages::default();
    damages.begin_file();
    loop {
        match lines.next(&mut cells) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                damages.file(path, error);
                break;
            }
        }
        if let Err(reason) = reading.row(&cells)? {
            damages.part(path, lines.at, lines.bytes, reason);
        }
    }
    let process = Process {
        pid: reading.pid,
        ..Process::default()
    };
    Ok(reading.builder.finish(Anchor::NONE, process, damages.found))
}

/// A table that is being read.
struct Reading<'a> {
    width: usize,
    columns: Columns,
    pid: u32,
    builder: Builder<'a>,
}

impl Reading<'_> {
    /// Takes a row, or says why it is none.
    fn row(&mut self, cells: &Cells) -> io::Result<Result<(), &'static str>> {
        if cells.len() == 1 && cells.get(0).trim_ascii().is_empty() {
            return Ok(Ok(()));
        }
        if cells.len() != self.width {
            return Ok(Err("a row of another width than the header"));
        }
        let Some((start_ns, end_ns)) = self.times(cells) else {
            return Ok(Err("a row without readable times"));
        };
        let columns = self.columns;
        let short = |at| {
            let number = integer(cells.get(at)).unwrap_or(0);
            u32::try_from(number).unwrap_or(0)
        };
        let kind = match columns.rows {
            Rows::Ops => Kind::OP,
            Rows::Steps => Kind::STEP,
            Rows::Marks if is_range(cells.get(columns.event)) => Kind::RANGE,
            Rows::Marks => Kind::MARK,
        };
        if columns.rows == Rows::Marks && self.pid == 0 {
            self.pid = short(columns.pid);
        }
        let texts = [columns.name, columns.type_, columns.kernel].map(|at| cells.get(at));
        let op_id = match kind {
            Kind::STEP => 0,
            _ => self.builder.op(texts)?,
        };
        self.builder.push(OpRecord {
            start_ns,
            end_ns,
            kind,
            op_id,
            run_id: integer(cells.get(columns.number)).unwrap_or(0),
            model_id: model_id(integer(cells.get(columns.model)).unwrap_or(0)),
            stream_id: short(columns.stream),
            thread_id: short(columns.thread),
            device_id: short(columns.device),
            ..OpRecord::default()
        });
        Ok(Ok(()))
    }

    /// When the row's record began and ended; of three facts, two are told.
    fn times(&self, cells: &Cells) -> Option<(u64, u64)> {
        let time = |at| micros(cells.get(at));
        let columns = self.columns;
        match (
            time(columns.start),
            time(columns.end),
            time(columns.duration),
        ) {
            (Some(start_ns), Some(end_ns), _) => Some((start_ns, end_ns)),
            (Some(start_ns), _, Some(took_ns)) => Some((start_ns, start_ns.checked_add(took_ns)?)),
            (_, Some(end_ns), Some(took_ns)) => Some((end_ns.checked_sub(took_ns)?, end_ns)),
            _ => None,
        }
    }
}

fn is_range(event: &[u8]) -> bool {
    matches!(event, b"start/end" | b"push/pop")
}
