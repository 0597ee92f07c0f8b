//! The primitives that the model checker replaces: std's in a build, loom's under `--cfg optap_loom`.

#[cfg(optap_loom)]
pub(crate) use loom::sync::{
    Arc, Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU64, fence},
};
#[cfg(not(optap_loom))]
pub(crate) use std::sync::{
    Arc, Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU64, fence},
};

use std::sync::PoisonError;

/// Whether the model checker runs: it knows fences, but not `membarrier`.
pub(crate) const MODELLED: bool = cfg!(optap_loom);

/// Locks a mutex whose data stays valid at every point where its holder could panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells the model checker of the accesses to one slot; nothing at all in a build.
#[cfg(not(optap_loom))]
#[derive(Default)]
pub(crate) struct Track;

#[cfg(not(optap_loom))]
impl Track {
    #[inline(always)]
    pub(crate) fn read(&self) {}

    #[inline(always)]
    pub(crate) fn write(&self) {}
}

/// Tells the model checker of the accesses to one slot.
#[cfg(optap_loom)]
#[derive(Default)]
pub(crate) struct Track(loom::cell::UnsafeCell<()>);

#[cfg(optap_loom)]
impl Track {
    pub(crate) fn read(&self) {
        self.0.with(|_| ());
    }

    pub(crate) fn write(&self) {
        self.0.with_mut(|_| ());
    }
}
