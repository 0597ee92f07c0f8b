//! Formats of files, each behind the same few calls.

use std::io::{self, Write};
use std::path::PathBuf;

use optap_export::{
    ApiStatistic, ChromeWriter, CsvWriter, DatabaseWriter, MsprofTraceWriter, OpStatistic,
    PerfettoWriter, ProfDir,
};
use optap_profiler::Slice;
use optap_record::OpRecord;

/// A file that takes records.
pub trait Sink: Send {
    /// Appends the records of `slice`.
    fn append(&mut self, slice: &Slice) -> io::Result<()>;

    /// Tells that `count` records of the stream of `next` were lost before it, where the format can.
    fn lost(&mut self, _next: &OpRecord, _count: u64) -> io::Result<()> {
        Ok(())
    }

    /// Records left out so far.
    fn left_out(&self) -> u64;

    /// Completes the file; gives its path where that was not known before.
    fn finish(self: Box<Self>) -> io::Result<Option<PathBuf>>;
}

/// A file, and the last record that it took: where a loss lies that no record follows.
pub struct Output<S: ?Sized> {
    last: OpRecord,
    /// The file.
    pub sink: Box<S>,
}

impl<S: Sink + ?Sized> Output<S> {
    /// Writes to `sink`, which has taken nothing yet.
    pub fn new(sink: Box<S>) -> Self {
        Self {
            last: OpRecord::default(),
            sink,
        }
    }

    /// Appends a slice, and what was lost before it.
    pub fn write(&mut self, slice: &Slice) -> io::Result<()> {
        if slice.gap > 0 {
            let next = slice.records().first().unwrap_or(&self.last);
            self.sink.lost(next, slice.gap)?;
        }
        self.last = *slice.records().last().unwrap_or(&self.last);
        self.sink.append(slice)
    }
}

/// When a record lies nearest to what came before it, nanoseconds.
fn begin_ns(record: &OpRecord) -> u64 {
    if record.start_ns == 0 {
        record.end_ns
    } else {
        record.start_ns
    }
}

/// What writers of streams have in common.
macro_rules! streams {
    ($($writer:ident $(, $lost:ident)?;)*) => {$(
        impl<W: Write + Send> Sink for $writer<W> {
            fn append(&mut self, slice: &Slice) -> io::Result<()> {
                self.write(slice.records(), |op_id| slice.block.info(op_id))
            }

            $(fn $lost(&mut self, next: &OpRecord, count: u64) -> io::Result<()> {
                self.gap(begin_ns(next), next.device_id, next.stream_id, count)
            })?

            fn left_out(&self) -> u64 {
                self.skipped()
            }

            fn finish(self: Box<Self>) -> io::Result<Option<PathBuf>> {
                (*self).finish().map(|_| None)
            }
        }
    )*};
}

streams! {
    ChromeWriter, lost;
    PerfettoWriter, lost;
    MsprofTraceWriter;
    CsvWriter;
}

impl Sink for DatabaseWriter {
    fn append(&mut self, slice: &Slice) -> io::Result<()> {
        self.write(slice.records(), |op_id| slice.block.info(op_id))
    }

    fn left_out(&self) -> u64 {
        self.skipped()
    }

    fn finish(self: Box<Self>) -> io::Result<Option<PathBuf>> {
        (*self).finish().map(|_| None)
    }
}

impl Sink for ProfDir {
    fn append(&mut self, slice: &Slice) -> io::Result<()> {
        let mut shown = None;
        for id in slice.records().iter().map(|record| record.device_id) {
            if shown.replace(id) != Some(id) {
                self.add_device(id)?;
            }
        }
        self.write(slice.records(), |op_id| slice.block.info(op_id))
    }

    fn left_out(&self) -> u64 {
        self.skipped()
    }

    fn finish(self: Box<Self>) -> io::Result<Option<PathBuf>> {
        (*self).finish().map(|report| Some(report.path))
    }
}

/// Tables of sums, which are written when all is known.
pub enum Sums {
    /// By type of operator.
    Types(OpStatistic),
    /// By call.
    Calls(ApiStatistic),
}

/// A table of sums that goes to `out`.
pub struct Statistic<W> {
    /// What is summed up.
    pub sums: Sums,
    /// Where the table goes.
    pub out: W,
}

impl<W: Write + Send> Sink for Statistic<W> {
    fn append(&mut self, slice: &Slice) -> io::Result<()> {
        match &mut self.sums {
            Sums::Types(sums) => sums.add(slice.records(), |op_id| slice.block.info(op_id)),
            Sums::Calls(sums) => sums.add(slice.records()),
        }
        Ok(())
    }

    fn left_out(&self) -> u64 {
        match &self.sums {
            Sums::Types(sums) => sums.skipped(),
            Sums::Calls(_) => 0,
        }
    }

    fn finish(self: Box<Self>) -> io::Result<Option<PathBuf>> {
        match self.sums {
            Sums::Types(sums) => sums.write_to(self.out).map(|_| None),
            Sums::Calls(sums) => sums.write_to(self.out).map(|_| None),
        }
    }
}
