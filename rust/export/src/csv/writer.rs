//! The writer of tables of operators.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

use optap_record::{Kind, OpInfo, OpRecord};

use super::cells::Cells;
use super::table::Table;
use crate::prof::{Anchor, NO_DEVICE};

/// The output gets blocks of about this size.
const BLOCK_BYTES: usize = 64 * 1024;

/// Streams operators, marks or steps into a table as `msprof` makes it.
///
/// Rows stand in the order of the records; times are wall clock. The wait of an operator is counted
/// from the end of the row before of the same device. What a CPU cannot tell is `N/A`. Records that
/// the table has no row for, or that have no duration, are left out and counted by
/// [`skipped`](CsvWriter::skipped).
///
/// Memory does not grow with the number of records. Each call that returns an error has left the
/// output at an unknown place: write no more to it.
///
/// ```
/// use optap_export::{Anchor, CsvWriter, Table};
/// use optap_record::OpRecord;
/// let relu = OpRecord { op_id: 7, start_ns: 1_250, end_ns: 2_000, ..OpRecord::default() };
/// let anchor = Anchor { monotonic_ns: 1_000, unix_ns: 5_000_000 };
/// let mut table = CsvWriter::new(Vec::new(), Table::TaskTime, anchor);
/// table.write(&[relu], |_| None)?;
/// let text = String::from_utf8(table.finish()?).unwrap();
/// assert!(text.ends_with("0,N/A,AI_CPU,0,1,0.75,5000.250\t,5001.000\t\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct CsvWriter<W> {
    out: W,
    table: Table,
    anchor: Anchor,
    pid: u32,
    block: Cells,
    tasks: HashMap<(u32, u32), u16>,
    ends_ns: HashMap<u32, u64>,
    skipped: u64,
}

impl<W: Write> CsvWriter<W> {
    /// A table without rows, whose times are told by the wall clock of `anchor`. Nothing is written
    /// yet.
    #[must_use]
    pub fn new(out: W, table: Table, anchor: Anchor) -> Self {
        let mut block = Cells::with_capacity(BLOCK_BYTES + BLOCK_BYTES / 8);
        block.raw(table.header()).end_row();
        Self {
            out,
            table,
            anchor,
            pid: std::process::id(),
            block,
            tasks: HashMap::new(),
            ends_ns: HashMap::new(),
            skipped: 0,
        }
    }

    /// Tells ranges and marks as those of another process than this one.
    ///
    /// ```
    /// use optap_export::{Anchor, CsvWriter, Table};
    /// let anchor = Anchor::now();
    /// let table = CsvWriter::new(Vec::new(), Table::MsprofTx, anchor).with_pid(4242);
    /// assert!(table.finish()?.starts_with(b"Device_id,pid,tid"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn with_pid(mut self, pid: u32) -> Self {
        self.pid = pid;
        self
    }

    /// Appends one row for each record that the table is about; `names` gives the operator of an `op_id`.
    ///
    /// # Errors
    ///
    /// What the output's `write` gives.
    pub fn write<'a>(
        &mut self,
        records: &[OpRecord],
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) -> io::Result<()> {
        for record in records {
            match record.duration_ns() {
                Some(duration_ns) if self.table.takes(record.kind) => {
                    self.row(record, duration_ns, names(record.op_id));
                }
                _ => self.skipped += 1,
            }
            if self.block.bytes().len() >= BLOCK_BYTES {
                self.write_block()?;
            }
        }
        Ok(())
    }

    fn row(&mut self, record: &OpRecord, duration_ns: u64, info: Option<&OpInfo>) {
        match self.table {
            Table::OpSummary => self.summary(record, duration_ns, info),
            Table::TaskTime => self.times(record, duration_ns, info),
            Table::MsprofTx => self.mark(record, info),
            Table::StepTrace => self.step(record, duration_ns),
        }
        self.block.end_row();
    }

    /// The number of the next task of the record's stream.
    fn task(&mut self, record: &OpRecord) -> u64 {
        let task = self.tasks.entry((record.device_id, record.stream_id));
        let task = task.and_modify(|task| *task = task.wrapping_add(1));
        (*task.or_insert(1)).into()
    }

    fn mark(&mut self, record: &OpRecord, info: Option<&OpInfo>) {
        let times = [record.start_ns, record.end_ns].map(|ns| self.anchor.wall_ns(ns));
        let cells = &mut self.block;
        cells.raw("host").integer(self.pid.into());
        cells.integer(record.thread_id.into()).raw("N/A");
        let is_range = record.kind == Kind::RANGE;
        cells.raw(if is_range { "start/end" } else { "marker" });
        cells.raw("N/A,N/A").instant(times[0]).instant(times[1]);
        cells.raw("N/A");
        match info {
            Some(info) => cells.name(&info.name.to_text()).name(&info.type_.to_text()),
            None => cells
                .name(&format!("{} {}", record.kind.name(), record.op_id))
                .raw(""),
        };
        cells.raw("N/A,N/A");
    }

    fn step(&mut self, record: &OpRecord, duration_ns: u64) {
        let end_ns = self.anchor.wall_ns(record.end_ns);
        let cells = &mut self.block;
        match record.device_id {
            NO_DEVICE => cells.raw("host"),
            id => cells.integer(id.into()),
        };
        cells.integer(record.run_id).raw("N/A,N/A").instant(end_ns);
        cells.duration(duration_ns).raw("N/A,N/A,N/A");
        cells.integer(model(record).into());
    }

    fn summary(&mut self, record: &OpRecord, duration_ns: u64, info: Option<&OpInfo>) {
        let task = self.task(record);
        let start_ns = self.anchor.wall_ns(record.start_ns);
        let cells = &mut self.block;
        cells.integer(record.device_id.into());
        cells.integer(model(record).into()).integer(task);
        cells.integer(record.stream_id.into());
        match info {
            Some(info) => cells.name(&info.name.to_text()).name(&info.type_.to_text()),
            None => cells.name(&format!("op {}", record.op_id)).raw("op"),
        };
        cells.raw("dynamic,AI_CPU").instant(start_ns);
        cells.duration(duration_ns);
        match self.ends_ns.insert(record.device_id, record.end_ns) {
            Some(end_ns) => cells.duration(record.start_ns.saturating_sub(end_ns)),
            None => cells.raw("0"),
        };
        cells.raw("0,0,NO,N/A,N/A,N/A,N/A,N/A,N/A,N/A");
    }

    fn times(&mut self, record: &OpRecord, duration_ns: u64, info: Option<&OpInfo>) {
        let task = self.task(record);
        let (start_ns, end_ns) = (
            self.anchor.wall_ns(record.start_ns),
            self.anchor.wall_ns(record.end_ns),
        );
        let cells = &mut self.block;
        cells.integer(record.device_id.into());
        match info {
            Some(info) => cells.name(&info.kernel.to_text()),
            None => cells.raw("N/A"),
        };
        cells.raw("AI_CPU").integer(record.stream_id.into());
        cells.integer(task).duration(duration_ns);
        cells.instant(start_ns).instant(end_ns);
    }

    /// Number of records left out so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Hands everything written so far to the output, and flushes it.
    ///
    /// # Errors
    ///
    /// What the output's `write` or `flush` gives.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_block()?;
        self.out.flush()
    }

    /// Ends the table and gives the output back, flushed.
    ///
    /// # Errors
    ///
    /// What the output's `write` or `flush` gives.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.out)
    }

    fn write_block(&mut self) -> io::Result<()> {
        self.out.write_all(self.block.bytes())?;
        self.block.clear();
        Ok(())
    }
}

/// The model as the tables number it.
fn model(record: &OpRecord) -> u32 {
    match record.model_id {
        0 => u32::MAX,
        id => id,
    }
}

impl<W> fmt::Debug for CsvWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CsvWriter")
            .field("table", &self.table)
            .field("skipped", &self.skipped)
            .finish_non_exhaustive()
    }
}
