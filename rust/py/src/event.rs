//! An event: a point on a stream.

use optap_runtime::Status;
use pyo3::prelude::*;

use crate::error::OrRaise;
use crate::pending::Pending;

/// A point that a stream reaches, which other streams and the host can wait for.
#[pyclass(frozen, module = "optap._core")]
pub struct Event {
    inner: optap_runtime::Event,
}

impl Event {
    /// Wraps an event.
    pub fn new(inner: optap_runtime::Event) -> Self {
        Self { inner }
    }

    /// The event itself.
    pub fn inner(&self) -> &optap_runtime::Event {
        &self.inner
    }
}

#[pymethods]
impl Event {
    /// Whether the marked point has been reached; `True` where none is marked.
    fn query(&self) -> PyResult<bool> {
        Ok(self.inner.query().or_raise()? == Status::Complete)
    }

    /// Done when the point that is marked now has been reached.
    fn pending(&self) -> Pending {
        Pending::new(self.inner.completion())
    }

    /// When the point was reached, in nanoseconds of `time.monotonic_ns()`.
    fn timestamp_ns(&self) -> PyResult<u64> {
        self.inner.timestamp_ns().or_raise()
    }

    /// Time from this event to `end`, in nanoseconds; negative where `end` came first.
    fn elapsed_ns(&self, end: &Self) -> PyResult<i64> {
        optap_runtime::Event::elapsed_ns(&self.inner, &end.inner).or_raise()
    }
}
