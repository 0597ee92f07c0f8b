//! Streams.

use std::sync::Arc;

use optap_runtime::{
    Context, Error, ErrorCode, FailureMode, Result, Status, Stream, context, timeout_from_ms,
};

use crate::rt::state::state;

const FAST_LAUNCH: u32 = 0x1;
const FAST_SYNC: u32 = 0x2;
const HUGE: u32 = 0x8;
/// Flags of streams whose tasks only hardware schedules.
const HARDWARE_FLAGS: u32 = 0x4 | 0x10 | 0x20;
const PRIORITIES: std::ops::RangeInclusive<i32> = 0..=7;

const FAILURE_MODE: u32 = 1;
const USER_CUSTOM_TAG: u32 = 3;

/// The stream behind a handle; 0 is the default one of the current context.
///
/// # Errors
/// 107002 for 0 without a context, 107017 for what is no stream, or a destroyed one.
pub(crate) fn stream(handle: u64) -> Result<Arc<Stream>> {
    if handle == 0 {
        return Ok(context::current()?.default_stream().clone());
    }
    state().streams.get(handle)
}

/// As [`stream`], and refuses one of another context: 107003.
pub(crate) fn own_stream(handle: u64) -> Result<Arc<Stream>> {
    let stream = stream(handle)?;
    context::check_current(&stream)?;
    Ok(stream)
}

/// A new stream of the current context. 107002 without one, 207008 when the device has no free stream.
pub fn create_stream() -> Result<u64> {
    create(&context::current()?)
}

/// As [`create_stream`]. Priorities are 0 to 7 and do not matter to the workers; 107000 for other ones and for unknown
/// flags, 207000 for flags that only hardware has.
pub fn create_stream_with_config(priority: i32, flags: i32) -> Result<u64> {
    let flags = flags.cast_unsigned();
    if !PRIORITIES.contains(&priority)
        || flags & !(FAST_LAUNCH | FAST_SYNC | HUGE | HARDWARE_FLAGS) != 0
    {
        let detail = format!(
            "priority {priority} with flags {flags:#x} is not possible; use 0 to 7, and flags below 0x40"
        );
        return Err(Error::new(ErrorCode::ParamInvalid, detail));
    }
    if flags & HARDWARE_FLAGS != 0 {
        let detail =
            format!("streams with flags {flags:#x} need hardware; leave {HARDWARE_FLAGS:#x} out");
        return Err(Error::new(ErrorCode::FeatureNotSupport, detail));
    }
    create(&context::current()?)
}

fn create(context: &Arc<Context>) -> Result<u64> {
    Ok(state().streams.insert(context.create_stream()?))
}

/// Destroys a stream after its tasks.
///
/// # Errors
/// 100000 for null, 107000 for a default stream, 107003 for one of another context, 107017 the second time.
pub fn destroy_stream(handle: u64) -> Result<()> {
    let stream = given_stream(handle)?;
    stream.destroy()?;
    forget(handle, &stream);
    Ok(())
}

/// As [`destroy_stream`], and drops the tasks that have not begun.
pub fn destroy_stream_force(handle: u64) -> Result<()> {
    let stream = given_stream(handle)?;
    stream.destroy_force()?;
    forget(handle, &stream);
    Ok(())
}

fn given_stream(handle: u64) -> Result<Arc<Stream>> {
    let stream = state().streams.get(handle)?;
    context::check_current(&stream)?;
    Ok(stream)
}

fn forget(handle: u64, stream: &Stream) {
    state().tags.lock().remove(&stream.id());
    // Whoever destroyed it at the same time has forgotten it already.
    let _ = state().streams.take(handle);
}

/// Waits for the tasks of a stream; gives its stored failure, once. 107017 for a stream that is gone.
pub fn synchronize_stream(handle: u64) -> Result<()> {
    stream(handle)?.synchronize(None)
}

/// As [`synchronize_stream`], for at most `timeout_ms`; -1 is for ever.
///
/// # Errors
/// 107000 for 0 and other negative numbers, 507046 when the time is over.
pub fn synchronize_stream_with_timeout(handle: u64, timeout_ms: i32) -> Result<()> {
    stream(handle)?.synchronize(timeout_from_ms(timeout_ms)?)
}

/// Whether the tasks of a stream have finished: 0, or 1 while some have not.
pub fn stream_query(handle: u64) -> Result<i32> {
    Ok(match stream(handle)?.query()? {
        Status::Complete => 0,
        Status::NotReady => 1,
    })
}

/// How the context of a stream answers failures: 0 goes on, 1 stops.
///
/// # Errors
/// 100000 for another mode, 207000 from 1 back to 0.
pub fn set_stream_failure_mode(handle: u64, mode: u64) -> Result<()> {
    let mode = match mode {
        0 => FailureMode::Continue,
        1 => FailureMode::Stop,
        _ => {
            let detail = format!("failure mode {mode} is not known; use 0 to go on, 1 to stop");
            return Err(Error::new(ErrorCode::InvalidParam, detail));
        }
    };
    stream(handle)?.set_failure_mode(mode)
}

/// Drops what waits on a stream and stops what runs. 100000 for null.
pub fn stream_abort(handle: u64) -> Result<()> {
    state().streams.get(handle)?.abort();
    Ok(())
}

/// The id of a stream.
pub fn stream_get_id(handle: u64) -> Result<u32> {
    Ok(stream(handle)?.id())
}

/// How many more streams the current device can have.
pub fn get_stream_available_num() -> Result<u32> {
    Ok(context::current()?.device().available_streams())
}

/// Sets an attribute of a stream: 1 the failure mode, 3 the tag.
///
/// # Errors
/// 107000 for an unknown attribute, 207000 for those that only hardware has.
pub fn set_stream_attribute(handle: u64, attribute: u32, value: u64) -> Result<()> {
    match attribute {
        FAILURE_MODE => set_stream_failure_mode(handle, value),
        USER_CUSTOM_TAG => {
            state()
                .tags
                .lock()
                .insert(stream(handle)?.id(), value as u32);
            Ok(())
        }
        _ => Err(refuse_attribute(attribute)),
    }
}

/// The attribute of a stream. Errors as [`set_stream_attribute`].
pub fn get_stream_attribute(handle: u64, attribute: u32) -> Result<u64> {
    let stream = stream(handle)?;
    match attribute {
        FAILURE_MODE => Ok(stream.failure_mode() as u64),
        USER_CUSTOM_TAG => Ok(state()
            .tags
            .lock()
            .get(&stream.id())
            .copied()
            .unwrap_or(0)
            .into()),
        _ => Err(refuse_attribute(attribute)),
    }
}

fn refuse_attribute(attribute: u32) -> Error {
    let (code, why) = match attribute {
        2 | 4 | 5 => (ErrorCode::FeatureNotSupport, "needs hardware"),
        _ => (ErrorCode::ParamInvalid, "is not known"),
    };
    let detail =
        format!("stream attribute {attribute} {why}; use 1 for the failure mode, 3 for the tag");
    Error::new(code, detail)
}
