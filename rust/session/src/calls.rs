//! Calls of the program that are timed while a round asks for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use optap_export::ApiCall;
use optap_runtime::{monotonic_ns, thread_id};
use parking_lot::Mutex;

use crate::command::Command;
use crate::process::Process;
use crate::round::Shared;

/// Calls that wait to be written; further ones are counted as dropped.
const LOGGED_CALLS: usize = 1 << 16;

/// The calls that one round has not written yet.
#[derive(Debug)]
pub(crate) struct CallLog {
    calls: Mutex<Vec<ApiCall>>,
    dropped: AtomicU64,
    round: Arc<Shared>,
}

impl CallLog {
    /// A log that calls go to from now on.
    pub(crate) fn open(round: &Arc<Shared>) -> Arc<Self> {
        let log = Arc::new(Self {
            calls: Mutex::default(),
            dropped: AtomicU64::new(0),
            round: round.clone(),
        });
        Process::global().add_log(&log);
        log
    }

    /// Takes no more calls.
    pub(crate) fn close(self: &Arc<Self>) {
        Process::global().remove_log(self);
    }

    fn add(&self, call: ApiCall) {
        let mut calls = self.calls.lock();
        if calls.len() == LOGGED_CALLS {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        calls.push(call);
        let must_wake = calls.len() == 1 || calls.len() == LOGGED_CALLS / 2;
        drop(calls);
        if must_wake {
            self.round.commands.send(Command::Calls);
        }
    }

    /// Takes the calls, if more than a few lie here or all are wanted.
    pub(crate) fn take(&self, all: bool) -> Vec<ApiCall> {
        let mut calls = self.calls.lock();
        if all || calls.len() >= LOGGED_CALLS / 2 {
            std::mem::take(&mut *calls)
        } else {
            Vec::new()
        }
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

/// Whether a round asks for calls: one load.
#[inline]
#[must_use]
pub fn is_timing() -> bool {
    Process::global().has_logs()
}

/// Makes a call, and tells every round that asks for calls how long it took.
///
/// ```
/// assert_eq!(optap_session::timed("aclmdlExecute", || 7), 7);
/// ```
#[inline]
pub fn timed<T>(name: &'static str, call: impl FnOnce() -> T) -> T {
    if !is_timing() {
        return call();
    }
    let start_ns = monotonic_ns();
    let result = call();
    let call = ApiCall {
        name,
        thread_id: thread_id(),
        start_ns,
        end_ns: monotonic_ns(),
    };
    Process::global().each_log(|log| log.add(call));
    result
}
