//! Files of any format, written as ops arrive.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use optap_export::{
    Anchor, ApiStatistic, ChromeWriter, CsvWriter, DatabaseWriter, MsprofTraceWriter, OpStatistic,
    PerfettoWriter, Process, ProfDir, Settings, Table,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::batch::Batch;
use crate::sink::{Output, Sink, Statistic, Sums};

/// Makes the file of a format.
type Create = fn(&Path, Anchor) -> io::Result<Box<dyn Sink>>;

const FORMATS: &[(&str, Create)] = &[
    ("chrome", |path, _| {
        Ok(Box::new(ChromeWriter::new(File::create(path)?)))
    }),
    ("perfetto", |path, _| {
        Ok(Box::new(PerfettoWriter::new(File::create(path)?)))
    }),
    ("msprof-json", |path, anchor| {
        let (file, process) = (File::create(path)?, Process::current());
        Ok(Box::new(MsprofTraceWriter::new(file, anchor, process)))
    }),
    ("msprof-db", |path, anchor| {
        let process = Process::current();
        Ok(Box::new(DatabaseWriter::create(path, anchor, &process)?))
    }),
    ("prof", |path, anchor| {
        let settings = Settings {
            anchor,
            keeps_records: true,
            ..Settings::default()
        };
        Ok(Box::new(ProfDir::create(path, &[], &settings)?))
    }),
    ("op_summary", |path, anchor| {
        table(path, Table::OpSummary, anchor)
    }),
    ("task_time", |path, anchor| {
        table(path, Table::TaskTime, anchor)
    }),
    ("step_trace", |path, anchor| {
        table(path, Table::StepTrace, anchor)
    }),
    ("msprof_tx", |path, anchor| {
        table(path, Table::MsprofTx, anchor)
    }),
    ("op_statistic", |path, _| {
        sums(path, Sums::Types(OpStatistic::default()))
    }),
    ("api_statistic", |path, _| {
        sums(path, Sums::Calls(ApiStatistic::default()))
    }),
];

fn table(path: &Path, table: Table, anchor: Anchor) -> io::Result<Box<dyn Sink>> {
    let file = File::create(path)?;
    Ok(Box::new(CsvWriter::new(file, table, anchor)))
}

fn sums(path: &Path, sums: Sums) -> io::Result<Box<dyn Sink>> {
    let out = File::create(path)?;
    Ok(Box::new(Statistic { sums, out }))
}

/// Writes ops to a file, or to a directory below `path` for the format `prof`.
#[pyclass(frozen, module = "optap._core")]
pub struct Writer {
    output: Mutex<Option<Output<dyn Sink>>>,
}

impl Writer {
    /// Uses the open file without the interpreter: files can be slow.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&mut Output<dyn Sink>) -> io::Result<T> + Send,
    ) -> PyResult<T> {
        let written = py.detach(|| {
            let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
            output.as_mut().map(write)
        });
        Ok(written.ok_or_else(|| PyValueError::new_err("the file is closed"))??)
    }
}

#[pymethods]
impl Writer {
    /// Create the file, or empty it. `anchor` is one instant on the clock of the ops and on the wall clock, in
    /// nanoseconds, by default now. Raises `OSError` where the file cannot be, `ValueError` for an unknown format.
    #[new]
    #[pyo3(signature = (path, format, anchor=None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        format: &str,
        anchor: Option<(u64, u64)>,
    ) -> PyResult<Self> {
        let known = FORMATS.iter().find(|(name, _)| *name == format);
        let (_, create) = known.ok_or_else(|| {
            let names: Vec<_> = FORMATS.iter().map(|(name, _)| *name).collect();
            PyValueError::new_err(format!("format {format:?} is none of {}", names.join(", ")))
        })?;
        let anchor = anchor.map_or_else(Anchor::now, |(monotonic_ns, unix_ns)| Anchor {
            monotonic_ns,
            unix_ns,
        });
        let sink = py.detach(|| create(&path, anchor))?;
        Ok(Self {
            output: Mutex::new(Some(Output::new(sink))),
        })
    }

    /// Append the ops of `batch`, and what was lost before them, or at the end if it is empty.
    fn write(&self, py: Python<'_>, batch: &Batch) -> PyResult<()> {
        self.with(py, |output| output.write(batch.slice()))
    }

    /// Records left out so far, for want of a usable time or of a place in the format.
    #[getter]
    fn skipped(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |output| Ok(output.sink.left_out()))
    }

    /// Let go of the file as it is. Does nothing after `close`.
    fn abort(&self, py: Python<'_>) {
        let take = || {
            let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
            drop(output.take());
        };
        py.detach(take);
    }

    /// Finish the file; give the path of the directory that was made, if one was. Closing twice is harmless.
    fn close(&self, py: Python<'_>) -> PyResult<Option<PathBuf>> {
        let finish = || {
            let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
            output
                .take()
                .map_or(Ok(None), |output| output.sink.finish())
        };
        Ok(py.detach(finish)?)
    }
}
