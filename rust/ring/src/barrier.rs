//! The two halves of a store-load barrier between a frequent side and a rare one.
//!
//! Each side stores, passes its half, and loads what the other stored; at least one of them sees the other's store.
//! Where the system can interrupt all threads of the process (`membarrier` on Linux) the frequent half costs nothing.

use std::sync::Once;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, compiler_fence};

use crate::sync;

static IS_ASYMMETRIC: AtomicBool = AtomicBool::new(false);
static DECIDED: Once = Once::new();

/// Decides, once for the process, how the halves work. Before this both are full fences.
pub(crate) fn prepare() {
    DECIDED.call_once(|| IS_ASYMMETRIC.store(!sync::MODELLED && membarrier::register(), Relaxed));
}

/// The half of the frequent side.
#[inline]
pub(crate) fn light() {
    if IS_ASYMMETRIC.load(Relaxed) {
        compiler_fence(SeqCst);
    } else {
        sync::fence(SeqCst);
    }
}

/// The half of the rare side. A system that takes `membarrier` back after it granted it leaves only full fences.
pub(crate) fn heavy() {
    sync::fence(SeqCst);
    if IS_ASYMMETRIC.load(Relaxed) && !membarrier::run() {
        IS_ASYMMETRIC.store(false, Relaxed);
    }
}

#[cfg(target_os = "linux")]
mod membarrier {
    use libc::{
        MEMBARRIER_CMD_PRIVATE_EXPEDITED, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, c_int,
    };

    pub(super) fn register() -> bool {
        call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
    }

    /// A forked child may have to register again.
    pub(super) fn run() -> bool {
        call(MEMBARRIER_CMD_PRIVATE_EXPEDITED)
            || (register() && call(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
    }

    fn call(command: c_int) -> bool {
        // SAFETY: the system call takes integers only and changes no memory.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
    }
}

#[cfg(not(target_os = "linux"))]
mod membarrier {
    pub(super) fn register() -> bool {
        false
    }

    pub(super) fn run() -> bool {
        false
    }
}
