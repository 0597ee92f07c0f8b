//! A stream: tasks in order.

use std::sync::{Arc, Mutex, PoisonError};

use optap_runtime::{Error, ErrorCode, Status, Task, held};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::error::{OrRaise, to_python};
use crate::event::Event;
use crate::memory::{self, DeviceBuffer};
use crate::pending::Pending;
use crate::raw;

type Cause = Arc<Mutex<Option<PyErr>>>;

/// A first-in first-out queue of work on a device.
#[pyclass(frozen, module = "optap._core")]
pub struct Stream {
    inner: Arc<optap_runtime::Stream>,
    cause: Cause,
}

impl Stream {
    /// Wraps a stream.
    pub fn new(inner: Arc<optap_runtime::Stream>) -> Self {
        Self {
            inner,
            cause: Cause::default(),
        }
    }

    /// The stream itself.
    pub fn inner(&self) -> &Arc<optap_runtime::Stream> {
        &self.inner
    }
}

#[pymethods]
impl Stream {
    /// Id of the stream, unique in the process.
    #[getter]
    fn stream_id(&self) -> u32 {
        self.inner.id()
    }

    /// What it does, in a word.
    #[getter]
    fn state(&self) -> &'static str {
        match self.inner.query() {
            Ok(Status::Complete) => "idle",
            Ok(Status::NotReady) => "busy",
            Err(_) => "ended",
        }
    }

    /// Whether all work given so far has finished.
    fn query(&self) -> PyResult<bool> {
        Ok(self.inner.query().or_raise()? == Status::Complete)
    }

    /// Mark with `event` the point that the stream reaches after the work given so far.
    fn record(&self, event: &Event) -> PyResult<()> {
        event.inner().record(&self.inner).or_raise()
    }

    /// Let later work wait for what `event` marks now.
    fn wait(&self, event: &Event) -> PyResult<()> {
        self.inner.wait_event(event.inner()).or_raise()
    }

    /// Queue a call of `run(*arguments, **keywords)` on a worker thread, `run` being that of a context; its exception
    /// becomes the stream's failure.
    fn launch(
        &self,
        run: Py<PyAny>,
        arguments: Py<PyTuple>,
        keywords: Option<Py<PyDict>>,
    ) -> PyResult<u32> {
        let call = Call {
            run,
            arguments,
            keywords,
        };
        let cause = self.cause.clone();
        self.inner
            .launch(Task::work(move |_| held(|| call.make(&cause))))
            .or_raise()
    }

    /// Queue a copy of `bytes` from one buffer to another.
    fn copy(&self, destination: &DeviceBuffer, source: &DeviceBuffer) -> PyResult<()> {
        memory::launch_copy(&self.inner, destination, source)
    }

    /// Done when all work given so far has finished.
    fn drained(&self) -> PyResult<Pending> {
        self.inner.drained().map(Pending::new).or_raise()
    }

    /// Raise, once, the first failure of the stream's work since the last call.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let Some(failure) = self.inner.take_failure() else {
            return Ok(());
        };
        let error = to_python(&failure);
        error.set_cause(
            py,
            self.cause
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        Err(error)
    }

    /// Drop what is queued and stop the running task at its next node.
    fn abort(&self) {
        self.inner.abort();
    }

    /// Wait for the queued work, then end the stream.
    fn destroy(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.inner.destroy()).or_raise()
    }
}

/// A call to be made later.
struct Call {
    run: Py<PyAny>,
    arguments: Py<PyTuple>,
    keywords: Option<Py<PyDict>>,
}

impl Call {
    fn make(self, cause: &Cause) -> optap_runtime::Result<()> {
        Python::attach(|py| {
            let keywords = self.keywords.as_ref().map(|keywords| keywords.bind(py));
            let (run, arguments) = (self.run.bind(py), self.arguments.bind(py));
            let outcome = raw::call_to_the_end(run, arguments, keywords).map(drop);
            drop(self);
            outcome.map_err(|error| {
                let told = Error::new(
                    ErrorCode::AicpuException,
                    format!("the launched function raised {error}"),
                );
                cause
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(error);
                told
            })
        })
    }
}
