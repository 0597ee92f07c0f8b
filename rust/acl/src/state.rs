//! What one process keeps for its scripts.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::{base, mdl, prof, rt, util};

static CURRENT: AtomicPtr<Acl> = AtomicPtr::new(ptr::null_mut());

/// Everything that the calls of a process share.
#[derive(Debug)]
pub struct Acl {
    generation: u32,
    pub(crate) base: base::State,
    pub(crate) rt: rt::State,
    pub(crate) mdl: mdl::State,
    pub(crate) prof: prof::State,
    pub(crate) util: util::State,
}

impl Acl {
    /// The state of this process. A forked child begins with an empty one.
    pub fn global() -> &'static Self {
        let generation = optap_runtime::fork_generation();
        loop {
            let current = CURRENT.load(Ordering::Acquire);
            // SAFETY: the pointer is null or came from a box that is never freed.
            match unsafe { current.as_ref() } {
                Some(acl) if acl.generation == generation => return acl,
                _ => Self::replace(current, generation),
            }
        }
    }

    /// Puts a fresh state in the place of `stale`. That one stays: its locks may be held by threads of the parent.
    fn replace(stale: *mut Self, generation: u32) {
        let fresh = Box::into_raw(Box::new(Self::new(generation)));
        let swapped = CURRENT.compare_exchange(stale, fresh, Ordering::AcqRel, Ordering::Relaxed);
        if swapped.is_err() {
            // SAFETY: nobody else has seen this box.
            drop(unsafe { Box::from_raw(fresh) });
        }
    }

    fn new(generation: u32) -> Self {
        Self {
            generation,
            base: base::State::default(),
            rt: rt::State::default(),
            mdl: mdl::State::default(),
            prof: prof::State::default(),
            util: util::State::default(),
        }
    }
}
