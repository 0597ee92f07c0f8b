//! The calls that mark steps, moments and ranges.

use std::sync::Arc;

use optap_profiler::{Times, mark as record_mark};
use optap_record::Payload;
use optap_runtime::{Error, ErrorCode, Result, Task};

use crate::prof::stamp;
use crate::prof::step::{Bound, Step};
use crate::{Acl, rt};

/// A step whose bounds are to be told.
pub fn create_step_info() -> u64 {
    Acl::global().prof.steps.insert(Arc::new(Step::new()))
}

/// Forgets a step; 100000 for none.
pub fn destroy_step_info(step: u64) -> Result<()> {
    Acl::global().prof.steps.take(step).map(drop)
}

/// Tells the start (`tag` 0) or the end of a step when `stream` comes to it; 0 is the default stream.
///
/// 100000 for no step and for a bound that was told, 500002 where the stream refuses; the bound is then used up.
pub fn get_step_timestamp(step: u64, tag: i32, stream: u64) -> Result<()> {
    let step = Acl::global().prof.steps.get(step)?;
    let bound = Bound::from_tag(tag);
    step.tell(bound)?;
    let refused = |error: Error| Error::new(ErrorCode::GeFailure, error.detail().to_owned());
    let stream = rt::stream(stream).map_err(refused)?;
    let reached = Task::work(move |context| {
        step.reach(bound, context.device_id());
        Ok(())
    });
    stream.submit(reached).map(drop).map_err(refused)
}

/// A stamp. -1 where no collection of marks was started, and where too many live.
pub fn create_stamp() -> Result<u64> {
    Acl::global().prof.stamps.create()
}

/// Forgets a stamp; a range that began with it can still end. -1 for none.
pub fn destroy_stamp(stamp: u64) -> Result<()> {
    Acl::global().prof.stamps.destroy(stamp)
}

/// Gives the stamp a message, of which `length_bytes` are kept; -1 for no stamp and for more than 126.
pub fn set_stamp_trace_message(stamp: u64, message: &str, length_bytes: u32) -> Result<()> {
    Acl::global()
        .prof
        .stamps
        .set_message(stamp, message, length_bytes)
}

/// Marks this moment; -1 for no stamp and where no collection of marks was started.
pub fn mark(stamp: u64) -> Result<()> {
    Acl::global().prof.stamps.mark(stamp)
}

/// Marks the moment when `stream` comes to it. -1 for the stream 0 or none, for a message of no or more than 155 bytes,
/// and where no collection of marks was started.
pub fn mark_ex(message: &str, stream: u64) -> Result<()> {
    Acl::global().prof.stamps.check_mark(message)?;
    let refused = |error: Error| Error::new(ErrorCode::ProfilingFailed, error.detail().to_owned());
    if stream == 0 {
        return Err(Error::new(ErrorCode::ProfilingFailed, "the stream is null"));
    }
    let (stream, label) = (
        rt::stream(stream).map_err(refused)?,
        stamp::label(message.as_bytes()),
    );
    let reached = Task::work(move |_| {
        record_mark(&label, 0, Payload::None, Times::now());
        Ok(())
    });
    stream.submit(reached).map(drop).map_err(refused)
}

/// Begins a range on this thread; 100000 for no stamp, -1 where no collection of marks was started.
pub fn push(stamp: u64) -> Result<()> {
    Acl::global().prof.stamps.push(stamp)
}

/// Ends the range that this thread began last; -1 where there is none.
pub fn pop() -> Result<()> {
    Acl::global().prof.stamps.pop()
}

/// Begins a range that any thread may end; gives its number. Errors as [`push`].
pub fn range_start(stamp: u64) -> Result<u32> {
    Acl::global().prof.stamps.range_start(stamp)
}

/// Ends a range; -1 for a number that no open range has.
pub fn range_stop(range_id: u32) -> Result<()> {
    Acl::global().prof.stamps.range_stop(range_id)
}
