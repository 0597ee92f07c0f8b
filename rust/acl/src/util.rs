//! The module `acl.util`: threads by number. Its conversions need no state and stand in the binding.

use std::collections::HashMap;
use std::os::unix::thread::JoinHandleExt;
use std::thread::{Builder, JoinHandle};

use parking_lot::Mutex;

use crate::{Acl, Function};

/// How a thread ended: the words of what it raised, if it did.
pub type Ending = Result<(), String>;

/// The threads that were started and not yet stopped.
#[derive(Debug, Default)]
pub(crate) struct State(Mutex<HashMap<u64, JoinHandle<Ending>>>);

/// The number of the calling thread, as [`start_thread`] gives it.
pub fn current_thread() -> u64 {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { libc::pthread_self() as usize as u64 }
}

/// Starts a thread; gives its number, or the operating system's reason not to.
///
/// # Errors
/// The errno of the refusal.
pub fn start_thread(work: impl FnOnce() -> Ending + Send + 'static) -> Result<u64, i32> {
    let mut threads = Acl::global().util.0.lock();
    let thread = Builder::new()
        .name("acl".to_owned())
        .spawn(work)
        .map_err(|error| error.raw_os_error().unwrap_or(libc::EAGAIN))?;
    let number = thread.as_pthread_t() as usize as u64;
    threads.insert(number, thread);
    Ok(number)
}

/// Waits until a thread has ended; gives how.
///
/// # Errors
/// `ESRCH` for a number that is no such thread or was stopped already, `EDEADLK` inside of it.
pub fn stop_thread(number: u64) -> Result<Ending, i32> {
    if number == current_thread() {
        return Err(libc::EDEADLK);
    }
    let thread = Acl::global()
        .util
        .0
        .lock()
        .remove(&number)
        .ok_or(libc::ESRCH)?;
    let panicked = |_| Err("the thread panicked".to_owned());
    Ok(thread.join().unwrap_or_else(panicked))
}

/// All functions of the module.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::differs(
        "acl.util.start_thread",
        "the handler of SIGINT is left alone",
    ),
    Function::differs(
        "acl.util.stop_thread",
        "an unknown thread gives 3, ESRCH, in place of a crash",
    ),
    Function::same("acl.util.bytes_to_ptr"),
    Function::differs(
        "acl.util.ptr_to_bytes",
        "a null address with a size raises ValueError",
    ),
    Function::same("acl.util.numpy_to_ptr"),
    Function::same("acl.util.numpy_contiguous_to_ptr"),
    Function::differs("acl.util.ptr_to_numpy", "a null address raises ValueError"),
];
