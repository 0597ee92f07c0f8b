//! Callbacks on their way to the thread that will call them.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::completion::Promise;

/// The callbacks that have arrived for one thread.
#[derive(Default)]
pub(crate) struct Mailbox {
    callbacks: Mutex<VecDeque<Callback>>,
    arrived: Condvar,
}

/// One callback; when it is dropped uncalled, a stream that waits for it gets an error.
pub(crate) struct Callback {
    pub(crate) call: Box<dyn FnOnce() + Send>,
    pub(crate) stream_id: u32,
    pub(crate) returned: Promise,
}

impl Callback {
    pub(crate) fn call(self) {
        (self.call)();
        self.returned.0.complete(Ok(()));
    }
}

impl Mailbox {
    pub(crate) fn put(&self, callback: Callback) {
        self.callbacks.lock().push_back(callback);
        self.arrived.notify_one();
    }

    /// Waits for the first callback, then takes all; `None` when `timeout` ends first.
    pub(crate) fn take(&self, timeout: Option<Duration>) -> Option<VecDeque<Callback>> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut callbacks = self.callbacks.lock();
        while callbacks.is_empty() {
            match deadline {
                None => self.arrived.wait(&mut callbacks),
                Some(deadline)
                    if self
                        .arrived
                        .wait_until(&mut callbacks, deadline)
                        .timed_out() =>
                {
                    break;
                }
                Some(_) => {}
            }
        }
        Some(std::mem::take(&mut *callbacks)).filter(|callbacks| !callbacks.is_empty())
    }

    /// Takes out the callbacks of one stream.
    pub(crate) fn remove(&self, stream_id: u32) -> Vec<Callback> {
        let mut callbacks = self.callbacks.lock();
        let (removed, kept): (Vec<_>, Vec<_>) = callbacks
            .drain(..)
            .partition(|callback| callback.stream_id == stream_id);
        callbacks.extend(kept);
        removed
    }
}
