//! A one-shot outcome that many can wait for.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::codes::ErrorCode;
use crate::error::{Error, Result};
use crate::{os, pool};

type Callback = Box<dyn FnOnce(&Result<()>) + Send>;

/// Pending, then done once, with a result that stays. Clones share the same outcome.
///
/// A waiter can block, register a callback, or watch through a [`Port`](crate::Port).
///
/// ```
/// use std::time::Duration;
/// use optap_runtime::Completion;
/// let completion = Completion::new();
/// assert_eq!(completion.wait(Some(Duration::ZERO)), None);
/// completion.complete(Ok(()));
/// assert_eq!(completion.wait(None), Some(Ok(())));
/// ```
#[derive(Clone)]
pub struct Completion {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    done: AtomicBool,
    generation: u32,
}

#[derive(Default)]
struct State {
    outcome: Option<Result<()>>,
    callbacks: Vec<(u64, Callback)>,
    next_callback: u64,
}

impl Completion {
    /// A pending completion.
    pub fn new() -> Self {
        let shared = Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            done: AtomicBool::new(false),
            generation: os::fork_generation(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// A completion that is done already.
    pub fn done(outcome: Result<()>) -> Self {
        let completion = Self::new();
        completion.complete(outcome);
        completion
    }

    /// Settles the outcome and runs the callbacks on this thread. The first call wins: it returns true, every later one false.
    pub fn complete(&self, outcome: Result<()>) -> bool {
        let mut state = self.shared.state.lock();
        if state.outcome.is_some() {
            return false;
        }
        state.outcome = Some(outcome.clone());
        self.shared.done.store(true, Ordering::Release);
        let callbacks = std::mem::take(&mut state.callbacks);
        drop(state);
        self.shared.changed.notify_all();
        for (_, callback) in callbacks {
            callback(&outcome);
        }
        true
    }

    /// True once the outcome is settled. One load, without a lock.
    pub fn is_done(&self) -> bool {
        self.shared.done.load(Ordering::Acquire)
    }

    /// The outcome, or `None` while it is pending.
    pub fn result(&self) -> Option<Result<()>> {
        self.shared.state.lock().outcome.clone()
    }

    /// Blocks until the outcome is settled; `None` when `timeout` ends first. Without a timeout it waits forever.
    ///
    /// Inside a task the worker counts as held meanwhile. In a forked child a completion of the parent gives an
    /// error at once, for nobody is left to complete it.
    pub fn wait(&self, timeout: Option<Duration>) -> Option<Result<()>> {
        if self.shared.generation != os::fork_generation() {
            return Some(Err(pool::stale("completion")));
        }
        match self.result() {
            Some(outcome) => Some(outcome),
            None => pool::held(|| self.block(timeout)),
        }
    }

    fn block(&self, timeout: Option<Duration>) -> Option<Result<()>> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = self.shared.state.lock();
        while state.outcome.is_none() {
            match deadline {
                None => self.shared.changed.wait(&mut state),
                Some(deadline)
                    if self
                        .shared
                        .changed
                        .wait_until(&mut state, deadline)
                        .timed_out() =>
                {
                    break;
                }
                Some(_) => {}
            }
        }
        state.outcome.clone()
    }

    /// Runs `callback` with the outcome: on the thread that completes, or here and now when it is done already.
    /// The number it returns can be given to [`forget`](Self::forget).
    pub fn on_done(&self, callback: impl FnOnce(&Result<()>) + Send + 'static) -> u64 {
        let mut state = self.shared.state.lock();
        let number = state.next_callback;
        state.next_callback += 1;
        match state.outcome.clone() {
            None => state.callbacks.push((number, Box::new(callback))),
            Some(outcome) => {
                drop(state);
                callback(&outcome);
            }
        }
        number
    }

    /// Drops the callback with this number without running it; true when it was still registered.
    pub fn forget(&self, number: u64) -> bool {
        let mut state = self.shared.state.lock();
        let place = state
            .callbacks
            .iter()
            .position(|(other, _)| *other == number);
        let callback = place.map(|place| state.callbacks.swap_remove(place));
        drop(state);
        callback.is_some()
    }
}

impl Default for Completion {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Completion").field(&self.result()).finish()
    }
}

/// The side that must complete: when it is dropped unfulfilled, the waiters get an error in place of silence.
#[derive(Debug)]
pub(crate) struct Promise(pub(crate) Completion);

impl Drop for Promise {
    fn drop(&mut self) {
        if !self.0.is_done() {
            let detail = "the task was dropped before it ran, for its stream is gone";
            self.0
                .complete(Err(Error::new(ErrorCode::StreamAbort, detail)));
        }
    }
}

/// Turns the `None` of a timed-out wait into an error.
pub(crate) fn or_timeout(waited: Option<Result<()>>, error: impl FnOnce() -> Error) -> Result<()> {
    waited.unwrap_or_else(|| Err(error()))
}
