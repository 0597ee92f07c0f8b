//! Who is told of failed operators.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use optap_runtime::ErrorCode;
use parking_lot::Mutex;

use crate::Handles;
use crate::rt::state::state;

/// What every field is that cannot be known.
const UNKNOWN: u32 = u32::MAX;

/// What is told of a failed operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceptionInfo {
    /// The number of the task in its stream.
    pub task_id: u32,
    /// The stream.
    pub stream_id: u32,
    /// The operating system's id of the thread that submitted the task.
    pub thread_id: u32,
    /// The device.
    pub device_id: u32,
    /// The code of the failure.
    pub error_code: u32,
}

/// A field of [`ExceptionInfo`].
pub type Field = fn(&ExceptionInfo) -> u32;

type Callback = Arc<dyn Fn(u64) + Send + Sync>;

/// The callback, and what it is being told right now.
pub(crate) struct Exceptions {
    callback: Mutex<Option<Callback>>,
    is_set: AtomicBool,
    told: Handles<ExceptionInfo>,
}

impl Default for Exceptions {
    fn default() -> Self {
        Self {
            callback: Mutex::default(),
            is_set: AtomicBool::new(false),
            told: Handles::new("exception info", ErrorCode::InvalidParam),
        }
    }
}

/// Sets who is called when an operator fails, in place of who was before; the number that it gets is known to
/// [`exception_field`] until it returns. It runs on the thread that ran the operator.
pub fn set_exception_info_callback(callback: Option<Callback>) {
    let exceptions = &state().exceptions;
    let mut current = exceptions.callback.lock();
    exceptions
        .is_set
        .store(callback.is_some(), Ordering::Relaxed);
    let previous = std::mem::replace(&mut *current, callback);
    drop(current);
    drop(previous);
}

/// Whether somebody would be told.
pub(crate) fn is_watched() -> bool {
    state().exceptions.is_set.load(Ordering::Relaxed)
}

/// Tells whoever is set.
pub(crate) fn raise(info: ExceptionInfo) {
    let exceptions = &state().exceptions;
    let callback = exceptions.callback.lock().clone();
    if let Some(callback) = callback {
        let handle = exceptions.told.insert(info.into());
        callback(handle);
        let _ = exceptions.told.take(handle);
    }
}

/// A field of what the callback was given; `0xFFFFFFFF` for null and after the callback has returned.
pub fn exception_field(handle: u64, field: Field) -> u32 {
    state()
        .exceptions
        .told
        .get_live(handle)
        .map_or(UNKNOWN, |info| field(&info))
}

impl fmt::Debug for Exceptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exceptions")
            .field("told", &self.told)
            .finish_non_exhaustive()
    }
}
