//! An event: a point on a stream.

use std::sync::atomic::{AtomicU64, Ordering};

use optap_runtime::{Error, ErrorCode, Status};
use pyo3::prelude::*;

use crate::error::{OrRaise, raise};
use crate::pending::Pending;

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// A point that a stream reaches, which other streams and the host can wait for.
#[pyclass(frozen, module = "optap._core")]
pub struct Event {
    id: u64,
    inner: optap_runtime::Event,
}

impl Event {
    /// Wraps an event.
    pub fn new(inner: optap_runtime::Event) -> Self {
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Self { id, inner }
    }

    /// The event itself.
    pub fn inner(&self) -> &optap_runtime::Event {
        &self.inner
    }

    fn reached_ns(&self) -> PyResult<u64> {
        if !self.inner.is_recorded() {
            let told = format!(
                "event {} marks no point; mark one with stream.record(event), then wait for it",
                self.id
            );
            return Err(raise("HandleError", ErrorCode::InternalError, &told));
        }
        let name = |error: Error| {
            let detail = format!("event {}: {}", self.id, error.detail());
            Error::new(error.code(), detail)
        };
        self.inner.timestamp_ns().map_err(name).or_raise()
    }
}

#[pymethods]
impl Event {
    /// A number that tells it from the other events of the process.
    #[getter]
    fn event_id(&self) -> u64 {
        self.id
    }

    /// Where it stands, in a few words.
    #[getter]
    fn state(&self) -> &'static str {
        match self.inner.query_recorded() {
            Ok(Status::Complete) => "reached",
            Ok(Status::NotReady) if self.inner.is_recorded() => "not reached yet",
            Ok(Status::NotReady) => "marks no point",
            Err(_) => "unusable",
        }
    }

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
        self.reached_ns()
    }

    /// Time from this event to `end`, in nanoseconds; negative where `end` came first.
    fn elapsed_ns(&self, end: &Self) -> PyResult<i64> {
        let (start_ns, end_ns) = (self.reached_ns()?, end.reached_ns()?);
        Ok(end_ns.wrapping_sub(start_ns).cast_signed())
    }
}
