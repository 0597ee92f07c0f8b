//! Lets the one drainer thread sleep, at almost no cost to those who may have to wake it.

use std::sync::PoisonError;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::time::{Duration, Instant};

use crate::barrier;
use crate::sync::{AtomicBool, AtomicU64, Condvar, Mutex, MutexGuard, lock};

/// A place for one thread to sleep until there is something to do.
///
/// ```
/// let parker = optap_ring::Parker::new();
/// parker.interrupt();
/// parker.park(None, || true);
/// assert_eq!(parker.wakes(), 1);
/// ```
pub struct Parker {
    is_parked: AtomicBool,
    /// A wake-up that no sleep has used up yet.
    is_called: Mutex<bool>,
    call: Condvar,
    wakes: AtomicU64,
}

impl Default for Parker {
    fn default() -> Self {
        Self::new()
    }
}

impl Parker {
    /// A parker with nobody in it.
    ///
    /// The first one of a process with many threads may take some milliseconds, in which Linux makes the later
    /// [`wake`](Self::wake) calls cheap.
    pub fn new() -> Self {
        barrier::prepare();
        Self {
            is_parked: AtomicBool::new(false),
            is_called: Mutex::new(false),
            call: Condvar::new(),
            wakes: AtomicU64::new(0),
        }
    }

    /// Sleeps until [`wake`](Self::wake), [`interrupt`](Self::interrupt) or the deadline, unless `still_empty` says
    /// that there is work. For one thread at a time; it may return for nothing.
    ///
    /// `still_empty` is asked once more after the thread is known to be about to sleep, so work that was published
    /// before a `wake` is either seen here or ends the sleep.
    pub fn park(&self, deadline: Option<Instant>, still_empty: impl FnOnce() -> bool) {
        self.is_parked.store(true, Relaxed);
        barrier::heavy();
        if still_empty() {
            self.sleep(deadline);
        }
        self.is_parked.store(false, Relaxed);
    }

    /// Sleeps until the deadline or an [`interrupt`](Self::interrupt), whatever is published meanwhile: a drainer that
    /// lets work gather costs its producers no wake-ups.
    pub fn pause(&self, deadline: Instant) {
        self.sleep(Some(deadline));
    }

    /// Wakes the thread that is [parked](Self::park), if there is one. Call it after publishing the work; it
    /// takes about a nanosecond if none is.
    #[inline]
    pub fn wake(&self) {
        barrier::light();
        if self.is_parked.load(Relaxed) {
            self.wake_parked();
        }
    }

    /// Ends the sleep under way, or else the next one.
    pub fn interrupt(&self) {
        self.wakes.fetch_add(1, Relaxed);
        *lock(&self.is_called) = true;
        self.call.notify_one();
    }

    /// Wake-ups given ever; those that found nobody asleep do not count, interrupts do.
    pub fn wakes(&self) -> u64 {
        self.wakes.load(Relaxed)
    }

    #[cold]
    fn wake_parked(&self) {
        if self
            .is_parked
            .compare_exchange(true, false, AcqRel, Relaxed)
            .is_ok()
        {
            self.interrupt();
        }
    }

    fn sleep(&self, deadline: Option<Instant>) {
        let mut is_called = lock(&self.is_called);
        while !*is_called {
            is_called = match deadline.map(|at| at.saturating_duration_since(Instant::now())) {
                Some(left) if left.is_zero() => return,
                Some(left) => self.wait_timeout(is_called, left),
                None => self
                    .call
                    .wait(is_called)
                    .unwrap_or_else(PoisonError::into_inner),
            };
        }
        *is_called = false;
    }

    fn wait_timeout<'a>(
        &self,
        is_called: MutexGuard<'a, bool>,
        left: Duration,
    ) -> MutexGuard<'a, bool> {
        let (is_called, _) = self
            .call
            .wait_timeout(is_called, left)
            .unwrap_or_else(PoisonError::into_inner);
        is_called
    }
}
