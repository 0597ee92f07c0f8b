//! Running a model.

use optap_runtime::{Result, context};

use crate::mdl::job::Job;
use crate::rt;

/// Runs a model on the default stream of the current context, and waits for it.
///
/// # Errors
/// 100000 for null datasets or buffers, 107002 without a context, 145003 for an unknown model, 145000 for buffers that
/// do not fit, 207000 inside an exception callback of the same stream, for which the run would wait, and the code of the
/// operator that failed.
pub fn execute(model_id: u32, inputs: u64, outputs: u64) -> Result<()> {
    let job = Job::new(model_id, inputs, outputs)?;
    let current = context::current()?;
    let stream = current.default_stream();
    stream.check_outside("execute on")?;
    let outcome = stream.submit(job.into_task())?.wait(None).unwrap_or(Ok(()));
    if outcome.is_err() {
        // This call tells the failure; the next synchronisation shall not tell it again.
        let _ = stream.take_failure();
    }
    outcome
}

/// Queues a run of a model on a stream; the next synchronisation of that tells how it went. Inputs are read and outputs
/// written when the stream gets there. Errors as [`execute`], and 107017 for a destroyed stream.
pub fn execute_async(model_id: u32, inputs: u64, outputs: u64, stream: u64) -> Result<()> {
    let job = Job::new(model_id, inputs, outputs)?;
    rt::stream(stream)?.launch(job.into_task()).map(drop)
}
