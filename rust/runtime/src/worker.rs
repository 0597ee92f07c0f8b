//! The thread of a pool: takes a slot, runs what is ready, gives the slot back.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::MutexGuard;

use crate::os;
use crate::pool::{Actor, Shared, State};

/// Room for what launched functions recurse: an interpreter's main thread has as much, and unused pages cost nothing.
const STACK_BYTES: usize = 16 << 20;

/// How long a worker above the limit stays idle before its thread ends.
const LINGER: Duration = Duration::from_millis(500);

thread_local! {
    static SEAT: RefCell<Option<Seat>> = const { RefCell::new(None) };
}

/// The place of the calling worker in its pool.
struct Seat {
    pool: Arc<Shared>,
    holds: usize,
}

/// Starts the worker with this number; its slot is counted by the caller.
pub(crate) fn start(pool: Arc<Shared>, number: usize) -> io::Result<()> {
    let main = move || {
        os::block_signals();
        SEAT.set(Some(Seat {
            pool: Arc::clone(&pool),
            holds: 0,
        }));
        work(&pool);
    };
    thread::Builder::new()
        .name(format!("optap-worker-{number}"))
        .stack_size(STACK_BYTES)
        .spawn(main)
        .map(drop)
}

fn work(pool: &Arc<Shared>) {
    while let Some(actor) = next(pool) {
        if Arc::clone(&actor).run() {
            pool.state.lock().ready.push_back(actor);
        }
    }
}

/// The next actor for a worker that has a slot; `None` when its thread shall end.
fn next(pool: &Arc<Shared>) -> Option<Arc<dyn Actor>> {
    let mut state = pool.state.lock();
    loop {
        let may_run = !state.closed && state.running <= state.limit;
        if may_run && let Some(actor) = state.ready.pop_front() {
            return Some(actor);
        }
        state.running -= 1;
        if !sleep(pool, &mut state) {
            pool.depart(&mut state);
            return None;
        }
    }
}

/// Waits for a slot; false when the thread shall end instead.
fn sleep(pool: &Shared, state: &mut MutexGuard<'_, State>) -> bool {
    state.idle += 1;
    let retirement = Instant::now() + LINGER;
    loop {
        if state.claims > 0 {
            state.claims -= 1;
            return true;
        }
        let surplus = state.live > state.limit;
        if state.closed || (surplus && Instant::now() >= retirement) {
            state.idle -= 1;
            return false;
        }
        if surplus {
            pool.wake.wait_until(state, retirement);
        } else {
            pool.wake.wait(state);
        }
    }
}

/// Runs `blocking`, which may block, without keeping other streams waiting: inside a task the pool lends the
/// worker's place to another one meanwhile. Anywhere else it just calls `blocking`.
///
/// ```
/// assert_eq!(optap_runtime::held(|| 6 * 7), 42);
/// ```
pub fn held<T>(blocking: impl FnOnce() -> T) -> T {
    let _place = Place::leave();
    blocking()
}

/// Takes the place back when dropped, also when the closure panics.
struct Place(Option<Arc<Shared>>);

impl Place {
    fn leave() -> Self {
        let pool = SEAT.with_borrow_mut(|seat| {
            let seat = seat
                .as_mut()
                .filter(|seat| seat.pool.is_of_this_process())?;
            seat.holds += 1;
            (seat.holds == 1).then(|| Arc::clone(&seat.pool))
        });
        if let Some(pool) = &pool {
            let mut state = pool.state.lock();
            state.running -= 1;
            // When no thread can be started the streams wait for this one, as they would without the hand-over.
            let _ = pool.provide(&mut state);
        }
        Self(pool)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        SEAT.with_borrow_mut(|seat| seat.as_mut().map(|seat| seat.holds -= 1));
        if let Some(pool) = &self.0 {
            pool.state.lock().running += 1;
        }
    }
}
