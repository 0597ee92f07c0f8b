//! One recording of an event: a point on a stream that is reached once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::completion::{Completion, Promise};
use crate::error::{Error, Result};
use crate::os;

/// A point on a stream. It outlives the event, so that waits which were submitted keep it.
#[derive(Debug, Default)]
pub struct Capture {
    completion: Completion,
    timestamp_ns: AtomicU64,
    cleared: AtomicBool,
}

impl Capture {
    /// Done when the stream has reached the point; an error when it never will.
    pub fn completion(&self) -> &Completion {
        &self.completion
    }

    /// When the stream reached the point, in ns on the monotonic clock; `None` before that.
    pub fn timestamp_ns(&self) -> Option<u64> {
        let reached = self.completion.is_done() && self.completion.result() == Some(Ok(()));
        reached.then(|| self.timestamp_ns.load(Ordering::Relaxed))
    }

    /// Ends the recording, as [`Event::reset`](crate::Event::reset) asked for.
    pub(crate) fn clear(&self) -> Result<()> {
        self.cleared.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn is_cleared(&self) -> bool {
        self.cleared.load(Ordering::Relaxed)
    }
}

/// The task that reaches a point. When it is dropped in a queue, those who wait get an error.
#[derive(Debug)]
pub struct Recording {
    capture: Arc<Capture>,
    promise: Promise,
}

impl Recording {
    pub(crate) fn new(capture: &Arc<Capture>) -> Self {
        Self {
            capture: Arc::clone(capture),
            promise: Promise(capture.completion.clone()),
        }
    }

    /// The stream is here: takes the time and wakes those who wait.
    pub(crate) fn reach(self) -> Result<()> {
        self.capture
            .timestamp_ns
            .store(os::monotonic_ns(), Ordering::Relaxed);
        self.promise.0.complete(Ok(()));
        Ok(())
    }

    pub(crate) fn fail(&self, error: Error) {
        self.promise.0.complete(Err(error));
    }
}
