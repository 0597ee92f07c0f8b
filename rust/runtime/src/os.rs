//! What only the operating system can answer: the clock, thread ids, forks, signals.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

static GENERATION: AtomicU32 = AtomicU32::new(0);
static WATCH_FORKS: Once = Once::new();

thread_local! {
    static THREAD_ID: Cell<u32> = const { Cell::new(0) };
}

/// The time in nanoseconds on the monotonic clock, the one of Python's `time.monotonic_ns`.
///
/// ```
/// let earlier = optap_runtime::monotonic_ns();
/// assert!(optap_runtime::monotonic_ns() >= earlier);
/// ```
pub fn monotonic_ns() -> u64 {
    #[cfg(target_os = "macos")]
    const CLOCK: libc::clockid_t = libc::CLOCK_UPTIME_RAW;
    #[cfg(not(target_os = "macos"))]
    const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid, exclusive timespec; the clock exists on every supported system.
    unsafe { libc::clock_gettime(CLOCK, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The operating system's id of the calling thread, asked once per thread.
pub fn thread_id() -> u32 {
    THREAD_ID.with(|cached| {
        if cached.get() == 0 {
            cached.set(ask_thread_id());
        }
        cached.get()
    })
}

#[cfg(target_os = "linux")]
fn ask_thread_id() -> u32 {
    // SAFETY: gettid takes nothing and cannot fail.
    unsafe { libc::gettid() as u32 }
}

#[cfg(target_os = "macos")]
fn ask_thread_id() -> u32 {
    let mut id = 0;
    // SAFETY: 0 names the calling thread; `id` is a valid, exclusive u64.
    unsafe { libc::pthread_threadid_np(0, &mut id) };
    id as u32
}

/// How many forks lie between the first use of the runtime and this process.
#[inline]
pub fn fork_generation() -> u32 {
    WATCH_FORKS.call_once(|| {
        // SAFETY: the handler only touches atomics and a thread-local cell without destructor.
        unsafe { libc::pthread_atfork(None, None, Some(after_fork_in_child)) };
    });
    GENERATION.load(Ordering::Relaxed)
}

extern "C" fn after_fork_in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    THREAD_ID.with(|cached| cached.set(0));
}

/// Blocks every signal in the calling thread, so that signals go to the threads of the application.
pub fn block_signals() {
    // SAFETY: a zeroed sigset_t is valid memory for sigfillset, which initialises it.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}

/// The physical memory of the machine in bytes.
pub(crate) fn physical_memory_bytes() -> u64 {
    // SAFETY: sysconf takes a constant and returns a number, or -1.
    let (pages, page) = unsafe {
        (
            libc::sysconf(libc::_SC_PHYS_PAGES),
            libc::sysconf(libc::_SC_PAGESIZE),
        )
    };
    pages.max(0) as u64 * page.max(0) as u64
}
