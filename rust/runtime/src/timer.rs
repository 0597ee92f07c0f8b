//! Calls back at a time. Its one thread starts with the first alarm and sleeps until the next is due.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::os;

type Callback = Box<dyn FnOnce() + Send>;

/// Names an alarm that was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Alarm {
    due: Instant,
    number: u64,
}

/// The alarms of one runtime.
#[derive(Default)]
pub(crate) struct Timer {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    alarms: BTreeMap<Alarm, Callback>,
    next_number: u64,
    running: bool,
    closed: bool,
}

impl Timer {
    /// Calls `callback` on the timer's thread after `delay`. Fails when that thread cannot be started.
    pub(crate) fn after(
        &self,
        delay: Duration,
        callback: impl FnOnce() + Send + 'static,
    ) -> io::Result<Alarm> {
        let mut state = self.shared.state.lock();
        if !state.running {
            let shared = Arc::clone(&self.shared);
            let main = move || shared.run();
            thread::Builder::new()
                .name("optap-timer".into())
                .spawn(main)?;
            state.running = true;
        }
        let alarm = Alarm {
            due: Instant::now() + delay,
            number: state.next_number,
        };
        state.next_number += 1;
        state.alarms.insert(alarm, Box::new(callback));
        self.shared.changed.notify_one();
        Ok(alarm)
    }

    /// Forgets an alarm that was not due yet.
    pub(crate) fn cancel(&self, alarm: Alarm) {
        let callback = self.shared.state.lock().alarms.remove(&alarm);
        drop(callback);
    }

    /// Forgets every alarm and ends the thread.
    pub(crate) fn close(&self) {
        let mut state = self.shared.state.lock();
        state.closed = true;
        let alarms = std::mem::take(&mut state.alarms);
        drop(state);
        drop(alarms);
        self.shared.changed.notify_one();
    }
}

impl Shared {
    fn run(&self) {
        os::block_signals();
        let mut state = self.state.lock();
        while !state.closed {
            match state.alarms.first_key_value().map(|(alarm, _)| alarm.due) {
                None => self.changed.wait(&mut state),
                Some(due) if due > Instant::now() => {
                    self.changed.wait_until(&mut state, due);
                }
                Some(_) => {
                    let callback = state.alarms.pop_first();
                    parking_lot::MutexGuard::unlocked(&mut state, || {
                        callback.map(|(_, call)| call())
                    });
                }
            }
        }
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timer").finish_non_exhaustive()
    }
}
