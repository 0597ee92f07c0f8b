//! How a context answers a failed task.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use parking_lot::Mutex;

use crate::codes::ErrorCode;
use crate::error::{Error, Result};

/// What happens in a context after a task has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FailureMode {
    /// The stream goes on; its next synchronisation returns the first error, once.
    Continue = 0,
    /// Every stream of the context stops, and every later call in it returns the error.
    Stop = 1,
}

/// The failure mode of a context and, in stop mode, the failure that stopped it.
#[derive(Debug, Default)]
pub(crate) struct Fault {
    mode: AtomicU8,
    stopped: AtomicBool,
    failure: Mutex<Option<Error>>,
}

impl Fault {
    pub(crate) fn mode(&self) -> FailureMode {
        if self.mode.load(Ordering::Relaxed) == FailureMode::Stop as u8 {
            FailureMode::Stop
        } else {
            FailureMode::Continue
        }
    }

    /// Changes the mode. Stop is for good: going back to continue gives 207000.
    pub(crate) fn set_mode(&self, mode: FailureMode) -> Result<()> {
        if (self.mode(), mode) == (FailureMode::Stop, FailureMode::Continue) {
            let detail =
                "the failure mode cannot go back from stop to continue; create a new context";
            return Err(Error::new(ErrorCode::FeatureNotSupport, detail));
        }
        self.mode.store(mode as u8, Ordering::Relaxed);
        Ok(())
    }

    /// The sticky failure, if the context has stopped.
    pub(crate) fn check(&self) -> Result<()> {
        if self.stopped.load(Ordering::Acquire) {
            self.failure.lock().clone().map_or(Ok(()), Err)
        } else {
            Ok(())
        }
    }

    /// In stop mode keeps the first failure; true when this was it.
    pub(crate) fn stop(&self, error: &Error) -> bool {
        if self.mode() == FailureMode::Continue {
            return false;
        }
        let mut failure = self.failure.lock();
        let first = failure.is_none();
        failure.get_or_insert_with(|| error.clone());
        self.stopped.store(true, Ordering::Release);
        first
    }
}
