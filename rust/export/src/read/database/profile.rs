//! A database as records and operators.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use optap_record::{Kind, NameTable, OpRecord};

use super::calls::Launches;
use super::file::File;
use super::table::{Cells, each_row};
use super::texts::Texts;
use crate::database::schema::{self, event};
use crate::process::Process;
use crate::prof::Anchor;
use crate::read::builder::Builder;
use crate::read::damage::Damages;
use crate::read::profile::Profile;

/// Reads a database. Its times are those of the wall clock, unless it is one of ours, which also
/// tells the monotonic one.
pub(crate) fn read(path: &Path, names: &NameTable) -> io::Result<Profile> {
    let file = File::open(path)?;
    let mut damages = Damages::default();
    let (anchor, mut process) = facts(&file, &mut damages)?;
    let launches = Launches::read(&file, &mut damages)?;
    process.pid = launches.pid;
    let mut reading = Reading {
        texts: Texts::read(&file, &mut damages)?,
        launches,
        ops: HashMap::new(),
        anchor,
        builder: Builder::new(names),
    };
    reading.infos(&file, &mut damages)?;
    reading.tasks(&file, &mut damages)?;
    reading.marks(&file, &mut damages)?;
    reading.steps(&file, &mut damages)?;
    Ok(reading.builder.finish(anchor, process, damages.found))
}

/// What the small tables tell.
fn facts(file: &File, damages: &mut Damages) -> io::Result<(Anchor, Process)> {
    let (mut anchor, mut process) = (Anchor::NONE, Process::default());
    each_row(file, "META_DATA", &["name", "value"], damages, |cells| {
        let value = cells.time(1).unwrap_or(0);
        match cells.text(0) {
            Some(name) if name == schema::MONOTONIC.as_bytes() => anchor.monotonic_ns = value,
            Some(name) if name == schema::UNIX.as_bytes() => anchor.unix_ns = value,
            _ => {}
        }
        Ok(Ok(()))
    })?;
    each_row(file, "HOST_INFO", &["hostName"], damages, |cells| {
        let name = String::from_utf8_lossy(cells.text(0).unwrap_or(&[]));
        process.host_name = name.into_owned();
        Ok(Ok(()))
    })?;
    Ok((anchor, process))
}

/// A database that is being read.
struct Reading<'a> {
    texts: Texts,
    launches: Launches,
    /// Operators by task.
    ops: HashMap<i64, u32>,
    anchor: Anchor,
    builder: Builder<'a>,
}

impl Reading<'_> {
    fn infos(&mut self, file: &File, damages: &mut Damages) -> io::Result<()> {
        let columns = ["globalTaskId", "name", "opType", "taskType"];
        each_row(file, "COMPUTE_TASK_INFO", &columns, damages, |cells| {
            let Some(task) = cells.integer(0) else {
                return Ok(Err("no task"));
            };
            let texts = [1, 2, 3].map(|at| self.texts.shown(cells.integer(at)));
            let op_id = self.builder.op(texts.each_ref().map(Vec::as_slice))?;
            self.ops.insert(task, op_id);
            Ok(Ok(()))
        })
    }

    fn tasks(&mut self, file: &File, damages: &mut Damages) -> io::Result<()> {
        let columns = [
            "startNs",
            "endNs",
            "globalTaskId",
            "connectionId",
            "taskType",
            "deviceId",
            "streamId",
            "modelId",
        ];
        each_row(file, "TASK", &columns, damages, |cells| {
            let op_id = cells
                .integer(2)
                .and_then(|task| self.ops.get(&task).copied());
            if op_id.is_none() && !is_kernel(self.texts.get(cells.integer(4))) {
                return Ok(Ok(()));
            }
            let (thread_id, run_id) = self.launches.of(cells.integer(3));
            let record = OpRecord {
                op_id: op_id.unwrap_or(0),
                device_id: cells.id(5),
                stream_id: cells.id(6),
                model_id: cells.id(7),
                thread_id,
                run_id,
                ..OpRecord::default()
            };
            Ok(self.push(record, cells))
        })
    }

    fn marks(&mut self, file: &File, damages: &mut Damages) -> io::Result<()> {
        let columns = [
            "startNs",
            "endNs",
            "eventType",
            "rangeId",
            "message",
            "domainId",
            "globalTid",
        ];
        each_row(file, "MSTX_EVENTS", &columns, damages, |cells| {
            let message = self.texts.shown(cells.integer(4));
            let domain = self.texts.get(cells.integer(5)).unwrap_or(&[]);
            let is_range = matches!(cells.integer(2), Some(event::PUSH_POP | event::START_END));
            let record = OpRecord {
                kind: if is_range { Kind::RANGE } else { Kind::MARK },
                op_id: self.builder.op([&message, domain, b""])?,
                range_id: cells.id(3),
                thread_id: cells.integer(6).unwrap_or(0) as u32,
                ..OpRecord::default()
            };
            Ok(self.push(record, cells))
        })
    }

    fn steps(&mut self, file: &File, damages: &mut Damages) -> io::Result<()> {
        let columns = ["startNs", "endNs", "id"];
        each_row(file, "STEP_TIME", &columns, damages, |cells| {
            let record = OpRecord {
                kind: Kind::STEP,
                run_id: cells.integer(2).unwrap_or(0) as u64,
                ..OpRecord::default()
            };
            Ok(self.push(record, cells))
        })
    }

    /// Adds the record with the times that stand first in the row.
    fn push(&mut self, record: OpRecord, cells: &Cells<'_>) -> Result<(), &'static str> {
        let (Some(start_ns), Some(end_ns)) = (cells.time(0), cells.time(1)) else {
            return Err("no times");
        };
        self.builder.push(OpRecord {
            start_ns: self.anchor.monotonic_at(start_ns),
            end_ns: self.anchor.monotonic_at(end_ns),
            ..record
        });
        Ok(())
    }
}

/// Whether a task of this type runs an operator.
fn is_kernel(type_: Option<&[u8]>) -> bool {
    let kernels: [&[u8]; 3] = [b"KERNEL", b"STARS_COMMON", b"FFTS_PLUS"];
    type_.is_some_and(|type_| kernels.iter().any(|kernel| type_.starts_with(kernel)))
}
