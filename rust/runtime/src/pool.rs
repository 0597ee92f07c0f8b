//! A small pool of workers that run whatever is ready, and sleep when nothing is.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::codes::ErrorCode;
use crate::error::{Error, Result};
use crate::os;
use crate::worker;

pub use crate::worker::held;

/// Something that workers run bit by bit.
pub(crate) trait Actor: Send + Sync {
    /// Runs a bounded share of the work that is ready; true when more is left.
    fn run(self: Arc<Self>) -> bool;
}

/// The workers of one runtime. They start on demand; `limit` of them run at the same time, not counting held ones.
pub(crate) struct Pool {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) state: Mutex<State>,
    pub(crate) wake: Condvar,
    stopped: Condvar,
    generation: u32,
}

/// A worker is running (it has one of `limit` slots), idle, or held. `claims` are slots given to idle workers
/// that have not woken up yet.
pub(crate) struct State {
    pub(crate) ready: VecDeque<Arc<dyn Actor>>,
    pub(crate) limit: usize,
    pub(crate) running: usize,
    pub(crate) idle: usize,
    pub(crate) claims: usize,
    pub(crate) live: usize,
    pub(crate) closed: bool,
    next_number: usize,
}

impl Pool {
    /// A pool that runs at most `limit` workers at a time (at least one). No thread starts yet.
    pub(crate) fn new(limit: usize) -> Self {
        let state = State {
            ready: VecDeque::new(),
            limit: limit.max(1),
            running: 0,
            idle: 0,
            claims: 0,
            live: 0,
            closed: false,
            next_number: 0,
        };
        let shared = Shared {
            state: Mutex::new(state),
            wake: Condvar::new(),
            stopped: Condvar::new(),
            generation: os::fork_generation(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// How many worker threads exist now: running, idle and held.
    pub(crate) fn workers(&self) -> usize {
        self.shared.state.lock().live
    }

    /// Refuses in a forked child.
    pub(crate) fn check_process(&self) -> Result<()> {
        if self.shared.is_of_this_process() {
            Ok(())
        } else {
            Err(stale("runtime"))
        }
    }

    /// Queues an actor. Fails only when no worker exists and none can be started.
    pub(crate) fn schedule(&self, actor: Arc<dyn Actor>) -> Result<()> {
        self.shared.schedule(actor)
    }

    /// Lets the workers end after what they run now; true when all did within `timeout`.
    pub(crate) fn shutdown(&self, timeout: Duration) -> bool {
        if self.check_process().is_err() {
            return true;
        }
        self.close();
        let deadline = Instant::now() + timeout;
        let mut state = self.shared.state.lock();
        while state.live > 0 {
            if self
                .shared
                .stopped
                .wait_until(&mut state, deadline)
                .timed_out()
            {
                return state.live == 0;
            }
        }
        true
    }

    fn close(&self) {
        let mut state = self.shared.state.lock();
        state.closed = true;
        let ready = std::mem::take(&mut state.ready);
        drop(state);
        drop(ready);
        self.shared.wake.notify_all();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.check_process().is_ok() {
            self.close();
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("workers", &self.workers())
            .finish()
    }
}

impl Shared {
    fn schedule(self: &Arc<Self>, actor: Arc<dyn Actor>) -> Result<()> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(Error::new(
                ErrorCode::InvalidHandle,
                "the runtime is shut down; create a new one to go on",
            ));
        }
        state.ready.push_back(actor);
        self.provide(&mut state).or_else(|refused| {
            if state.live > 0 {
                return Ok(());
            }
            state.ready.pop_back();
            let detail =
                format!("no worker thread can be started: {refused}; raise the limit of threads");
            Err(Error::new(ErrorCode::ResourceAllocFail, detail))
        })
    }

    /// False in a forked child, where the threads of this pool do not exist.
    pub(crate) fn is_of_this_process(&self) -> bool {
        self.generation == os::fork_generation()
    }

    /// Gives a free slot to an idle worker, or to a new one, when something is ready.
    pub(crate) fn provide(self: &Arc<Self>, state: &mut State) -> std::io::Result<()> {
        if state.ready.is_empty() || state.running >= state.limit || state.closed {
            return Ok(());
        }
        if state.idle > 0 {
            state.idle -= 1;
            state.claims += 1;
            self.wake.notify_one();
        } else {
            worker::start(Arc::clone(self), state.next_number)?;
            state.next_number += 1;
            state.live += 1;
        }
        state.running += 1;
        Ok(())
    }

    /// Takes a worker off the books as its thread ends.
    pub(crate) fn depart(&self, state: &mut State) {
        state.live -= 1;
        if state.live == 0 {
            self.stopped.notify_all();
        }
    }
}

/// The error of something that belongs to the process before the fork.
pub(crate) fn stale(what: &str) -> Error {
    let detail = format!(
        "this {what} belongs to the parent process and its threads did not survive the fork; open the device again in this process"
    );
    Error::new(ErrorCode::InvalidHandle, detail)
}
