//! Events.

use optap_runtime::{Event, EventFlags, EventKind, Result, Status, context, timeout_from_ms};

use crate::rt::state::state;
use crate::rt::stream::own_stream;

/// A new event that can do everything. 107002 without a context, 207007 when the device has no free one.
pub fn create_event() -> Result<u64> {
    create(EventKind::Default)
}

/// A new event that can do what `flags` say. 107000 for flags that cannot be.
pub fn create_event_with_flag(flags: u32) -> Result<u64> {
    create(EventKind::Flags(EventFlags::from_bits(flags)))
}

/// As [`create_event_with_flag`]; a wait before the first recording passes.
pub fn create_event_ex_with_flag(flags: u32) -> Result<u64> {
    create(EventKind::Extended(EventFlags::from_bits(flags)))
}

fn create(kind: EventKind) -> Result<u64> {
    let event = context::current()?.create_event(kind)?;
    Ok(state().events.insert(event.into()))
}

/// Destroys an event, also a pending one. 100000 for null, 107017 the second time.
pub fn destroy_event(handle: u64) -> Result<()> {
    state().events.take(handle).map(drop)
}

/// Records the point that a stream reaches after what it was given so far.
///
/// # Errors
/// 100000 for null, 107017 for a destroyed event, 107003 for a stream of another context.
pub fn record_event(event: u64, stream: u64) -> Result<()> {
    let event = state().events.get(event)?;
    event.record(&own_stream(stream)?)
}

/// Returns an event to the unrecorded state when a stream gets there. Errors as [`record_event`], and 107000 for an
/// event that streams cannot wait for.
pub fn reset_event(event: u64, stream: u64) -> Result<()> {
    let event = state().events.get(event)?;
    event.reset(&own_stream(stream)?)
}

/// Lets a stream wait for an event.
///
/// # Errors
/// 107000 before the first recording, 207000 for an event that streams cannot wait for, and those of [`record_event`].
pub fn stream_wait_event(stream: u64, event: u64) -> Result<()> {
    let event = state().events.get(event)?;
    own_stream(stream)?.wait_event(&event)
}

/// Whether an event is reached: 0, also when nothing is recorded, or 1 while it is not.
pub fn query_event(handle: u64) -> Result<i32> {
    Ok(match state().events.get(handle)?.query()? {
        Status::Complete => 0,
        Status::NotReady => 1,
    })
}

/// Whether a recording is reached, counted the other way: 1, or 0 while it is not.
pub fn query_event_status(handle: u64) -> Result<i32> {
    Ok(match state().events.get(handle)?.query_recorded()? {
        Status::Complete => 1,
        Status::NotReady => 0,
    })
}

/// Whether those who wait for an event can go on: 0, or 1 while they cannot.
pub fn query_event_wait_status(handle: u64) -> Result<i32> {
    query_event(handle)
}

/// Waits for an event; returns at once when nothing is recorded.
pub fn synchronize_event(handle: u64) -> Result<()> {
    state().events.get(handle)?.synchronize(None)
}

/// As [`synchronize_event`], for at most `timeout_ms`; -1 is for ever.
///
/// # Errors
/// 107000 for 0 and other negative numbers, 507047 when the time is over.
pub fn synchronize_event_with_timeout(handle: u64, timeout_ms: i32) -> Result<()> {
    let event = state().events.get(handle)?;
    event.synchronize(timeout_from_ms(timeout_ms)?)
}

/// The time from one event to another, in ms; negative when the second was reached first.
///
/// # Errors
/// 507000 when one is not recorded, 107006 when one is not reached.
pub fn event_elapsed_time(start: u64, end: u64) -> Result<f32> {
    let (start, end) = (state().events.get(start)?, state().events.get(end)?);
    Ok((Event::elapsed_ns(&start, &end)? as f64 / 1e6) as f32)
}

/// When an event was reached, in us on the monotonic clock. Errors as [`event_elapsed_time`].
pub fn event_get_timestamp(handle: u64) -> Result<u64> {
    Ok(state().events.get(handle)?.timestamp_ns()? / 1_000)
}

/// The id of an event, unique among those of the process.
pub fn get_event_id(handle: u64) -> Result<u32> {
    state().events.get(handle)?;
    Ok(handle as u32)
}

/// How many more events the current device can have.
pub fn get_event_avail_num() -> Result<u32> {
    Ok(context::current()?.device().available_events())
}
