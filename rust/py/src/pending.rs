//! What ends later, and the mailbox that tells an event loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use optap_ring::Doorbell;
use optap_runtime::Completion;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::error::{OrRaise, to_python};
use crate::number::limit;

const SIGNAL_CHECK: Duration = Duration::from_millis(100);

/// A result that is not there yet.
#[pyclass(frozen, module = "optap._core")]
pub struct Pending {
    completion: Completion,
}

impl Pending {
    /// Wraps a completion.
    pub fn new(completion: Completion) -> Self {
        Self { completion }
    }
}

#[pymethods]
impl Pending {
    /// Whether the outcome is settled.
    fn is_done(&self) -> bool {
        self.completion.is_done()
    }

    /// Raise the failure, if the outcome is one.
    fn check(&self) -> PyResult<()> {
        self.completion.result().unwrap_or(Ok(())).or_raise()
    }

    /// Block until the outcome is settled, at most `timeout` seconds; return whether it is. Signals are heeded.
    #[pyo3(signature = (timeout=None))]
    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<bool> {
        wait(py, &self.completion, timeout)
    }
}

/// Blocks without the interpreter until `completion` is done or `timeout` seconds pass.
pub fn wait(py: Python<'_>, completion: &Completion, timeout: Option<f64>) -> PyResult<bool> {
    let mut left = limit("timeout", timeout)?;
    loop {
        let step = left.map_or(SIGNAL_CHECK, |left| left.min(SIGNAL_CHECK));
        if py.detach(|| completion.wait(Some(step))).is_some() {
            return Ok(true);
        }
        py.check_signals()?;
        left = left.map(|left| left.saturating_sub(step));
        if left == Some(Duration::ZERO) {
            return Ok(completion.is_done());
        }
    }
}

/// One mailbox and one doorbell for everything that a device owes an event loop.
#[pyclass(frozen, module = "optap._core")]
pub struct Port {
    port: optap_runtime::Port,
    doorbell: Arc<Doorbell>,
    tokens: AtomicU64,
}

#[pymethods]
impl Port {
    #[new]
    fn new() -> PyResult<Self> {
        let doorbell = Arc::new(Doorbell::new().map_err(PyOSError::new_err_from_io)?);
        let bell = doorbell.clone();
        let port = optap_runtime::Port::new(Arc::new(move || bell.ring()));
        Ok(Self {
            port,
            doorbell,
            tokens: AtomicU64::new(0),
        })
    }

    /// The descriptor that is readable while the mailbox holds something new.
    fn fileno(&self) -> i32 {
        std::os::fd::AsRawFd::as_raw_fd(&*self.doorbell)
    }

    /// Ask for a token in the mailbox when `pending` is done; return the token.
    fn watch(&self, pending: &Pending) -> u64 {
        let token = self.tokens.fetch_add(1, Ordering::Relaxed);
        self.port.watch(token, &pending.completion);
        token
    }

    /// Ask no longer for `token`.
    fn cancel(&self, token: u64) -> bool {
        self.port.cancel(token)
    }

    /// Quiet the doorbell and take all tokens.
    fn take(&self) -> Vec<u64> {
        self.doorbell.clear();
        self.port.take()
    }

    /// Ring the doorbell, so that whoever waits on it looks up.
    fn ring(&self) {
        self.doorbell.ring();
    }
}

/// Builds an `OSError` from one of Rust's.
trait FromIo {
    fn new_err_from_io(error: std::io::Error) -> PyErr;
}

impl FromIo for PyOSError {
    fn new_err_from_io(error: std::io::Error) -> PyErr {
        error.into()
    }
}

/// The exception for a settled failure.
pub fn failure(completion: &Completion) -> Option<PyErr> {
    completion.result()?.err().map(|error| to_python(&error))
}
