//! Callbacks that a stream hands to a thread which asks for them.

use std::time::Duration;

use optap_runtime::{Blocking, Error, ErrorCode, Result};

use crate::rt::state::state;
use crate::rt::stream::own_stream;
use crate::util::current_thread;

/// Lets a thread take the callbacks of a stream. 107011 for a stream that has one, 107012 for a thread of another device.
pub fn subscribe_report(thread_id: u64, stream: u64) -> Result<()> {
    state().reports.subscribe(thread_id, &*own_stream(stream)?)
}

/// Ends that. 107011 for a stream that has none, 107012 for another thread's.
pub fn unsubscribe_report(thread_id: u64, stream: u64) -> Result<()> {
    state()
        .reports
        .unsubscribe(thread_id, &*own_stream(stream)?)
}

/// Queues `call` on a stream, for the thread that takes its callbacks. With a block type of 1 the stream waits for it.
///
/// # Errors
/// 100000 for another block type than 0 and 1, 107003 for a stream of another context, 107015 for one without a thread.
pub fn launch_callback(
    stream: u64,
    block_type: i32,
    call: impl FnOnce() + Send + 'static,
) -> Result<()> {
    let block = match block_type {
        0 => Blocking::No,
        1 => Blocking::Yes,
        _ => {
            let detail = format!("block type {block_type} is not known; use 0 to go on, 1 to wait");
            return Err(Error::new(ErrorCode::InvalidParam, detail));
        }
    };
    state().reports.launch(&own_stream(stream)?, block, call)
}

/// Waits at most `timeout_ms` for callbacks to the calling thread, and calls them; -1 is for ever.
///
/// # Errors
/// 100000 for 0 and other negative numbers, 107012 for a thread without a stream, 507012 when none came.
pub fn process_report(timeout_ms: i32) -> Result<()> {
    let timeout = match timeout_ms {
        -1 => None,
        1.. => Some(Duration::from_millis(timeout_ms.unsigned_abs().into())),
        _ => {
            let detail = format!(
                "a time-out of {timeout_ms} ms is not possible; use -1 for ever, or 1 and more"
            );
            return Err(Error::new(ErrorCode::InvalidParam, detail));
        }
    };
    state().reports.process(current_thread(), timeout)
}
