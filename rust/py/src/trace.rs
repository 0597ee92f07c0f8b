//! Chrome traces, written as ops arrive.

use std::fs::File;
use std::path::PathBuf;

use optap_export::ChromeWriter;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::batch::Batch;

/// Writes ops to a file that Perfetto and `chrome://tracing` open.
#[pyclass(frozen, module = "optap._core")]
pub struct ChromeTraceWriter {
    writer: std::sync::Mutex<Option<ChromeWriter<File>>>,
}

impl ChromeTraceWriter {
    fn with<T>(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&mut ChromeWriter<File>) -> std::io::Result<T>,
    ) -> PyResult<T> {
        let mut writer = self
            .writer
            .lock_py_attached(py)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let open = writer
            .as_mut()
            .ok_or_else(|| PyValueError::new_err("the trace is closed"))?;
        Ok(write(open)?)
    }
}

#[pymethods]
impl ChromeTraceWriter {
    /// Create the file, or empty it. Raises `OSError` where that cannot be.
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let writer = ChromeWriter::new(File::create(path)?);
        Ok(Self {
            writer: std::sync::Mutex::new(Some(writer)),
        })
    }

    /// Call the device `device_id` by `name`.
    fn name_device(&self, py: Python<'_>, device_id: u32, name: &str) -> PyResult<()> {
        self.with(py, |writer| writer.name_process(device_id, name))
    }

    /// Call the stream `stream_id` of the device `device_id` by `name`.
    fn name_stream(
        &self,
        py: Python<'_>,
        device_id: u32,
        stream_id: u32,
        name: &str,
    ) -> PyResult<()> {
        self.with(py, |writer| writer.name_track(device_id, stream_id, name))
    }

    /// Append the ops of `batch`, and what was lost before them.
    fn write(&self, py: Python<'_>, batch: &Batch) -> PyResult<()> {
        let slice = batch.slice();
        self.with(py, |writer| {
            if let Some(first) = slice.records().first().filter(|_| slice.gap > 0) {
                writer.gap(first.start_ns, first.device_id, first.stream_id, slice.gap)?;
            }
            writer.write(slice.records(), |op_id| slice.block.info(op_id))
        })
    }

    /// Ops left out so far, for want of a usable time.
    #[getter]
    fn skipped(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |writer| Ok(writer.skipped()))
    }

    /// Finish the file. Closing twice is harmless.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let taken = self
            .writer
            .lock_py_attached(py)
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take();
        taken
            .map_or(Ok(()), |writer| writer.finish().map(drop))
            .map_err(PyErr::from)
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
