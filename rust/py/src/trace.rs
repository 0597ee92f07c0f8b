//! Chrome traces, written as ops arrive.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use optap_export::ChromeWriter;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::batch::Batch;
use crate::number::whole;
use crate::sink::{Output, Sink};

type Trace = Output<ChromeWriter<File>>;

/// Writes ops to a file that Perfetto and `chrome://tracing` open.
#[pyclass(frozen, module = "optap._core")]
pub struct ChromeTraceWriter {
    trace: Mutex<Option<Trace>>,
    path: PathBuf,
}

impl ChromeTraceWriter {
    /// Uses the open trace without the interpreter: files can be slow.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&mut Trace) -> std::io::Result<T> + Send,
    ) -> PyResult<T> {
        let written = py.detach(|| {
            self.trace
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .as_mut()
                .map(write)
        });
        Ok(written.ok_or_else(|| PyValueError::new_err("the trace is closed"))??)
    }
}

#[pymethods]
impl ChromeTraceWriter {
    /// Create the file, or empty it. Raises `OSError` where that cannot be.
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let trace = ChromeWriter::new(File::create(&path)?);
        Ok(Self {
            trace: Mutex::new(Some(Output::new(Box::new(trace)))),
            path,
        })
    }

    fn __repr__(&self) -> String {
        format!("<ChromeTraceWriter to {:?}>", self.path)
    }

    /// Call the device `device_id` by `name`.
    fn name_device(
        &self,
        py: Python<'_>,
        device_id: &Bound<'_, PyAny>,
        name: &str,
    ) -> PyResult<()> {
        let device_id = whole("device_id", device_id, 0..=u32::MAX.into())?;
        self.with(py, |trace| trace.sink.name_process(device_id, name))
    }

    /// Call the stream `stream_id` of the device `device_id` by `name`.
    fn name_stream(
        &self,
        py: Python<'_>,
        device_id: &Bound<'_, PyAny>,
        stream_id: &Bound<'_, PyAny>,
        name: &str,
    ) -> PyResult<()> {
        let device_id = whole("device_id", device_id, 0..=u32::MAX.into())?;
        let stream_id = whole("stream_id", stream_id, 0..=u32::MAX.into())?;
        self.with(py, |trace| {
            trace.sink.name_track(device_id, stream_id, name)
        })
    }

    /// Append the ops of `batch`, and what was lost before them, or at the end if it is empty.
    fn write(&self, py: Python<'_>, batch: &Batch) -> PyResult<()> {
        self.with(py, |trace| trace.write(batch.slice()))
    }

    /// Ops left out so far, for want of a usable time.
    #[getter]
    fn skipped(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |trace| Ok(trace.sink.skipped()))
    }

    /// Finish the file. Closing twice is harmless.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let finish = || match self
            .trace
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            Some(trace) => Sink::finish(trace.sink).map(drop),
            None => Ok(()),
        };
        Ok(py.detach(finish)?)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _kind: Bound<'_, PyAny>,
        _error: Bound<'_, PyAny>,
        _trace: Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.close(py)
    }
}
