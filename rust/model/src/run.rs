//! One execution of a model.

use std::sync::Arc;
use std::time::Duration;

use optap_engine::Tensor;
use optap_profiler::Target;
use optap_runtime::{Completion, Result};
use parking_lot::Mutex;

use crate::failure::RunFailure;

/// How a model is to be run.
#[derive(Clone, Copy, Debug)]
pub struct RunOrders<'run> {
    /// Id of the run, unique in the process.
    pub run_id: u64,
    /// The range in force where the run was launched, 0 for none.
    pub range_id: u32,
    /// Done when the run shall stop before its next node.
    pub cancelled: &'run Completion,
    /// How long an operator may run; `None` is for ever.
    pub op_limit: Option<Duration>,
    /// Whether the operator that fails is told with the values that it read. Keeping them costs copies of what the
    /// engine would have overwritten. While a fault is due they are kept anyway.
    pub keeps_inputs: bool,
}

/// What a run shares with whoever waits for it.
#[derive(Default)]
pub struct RunState {
    /// Done when the run shall stop before its next node.
    pub cancelled: Completion,
    outputs: Mutex<Option<Vec<Tensor>>>,
    failure: Mutex<Option<optap_engine::Error>>,
}

impl RunState {
    /// Keeps what a run came to; gives what its stream is told.
    pub(crate) fn settle(
        &self,
        outcome: std::result::Result<Vec<Tensor>, Box<RunFailure>>,
    ) -> Result<()> {
        match outcome {
            Ok(outputs) => {
                *self.outputs.lock() = Some(outputs);
                Ok(())
            }
            Err(failure) => {
                *self.failure.lock() = failure.engine;
                Err(failure.error)
            }
        }
    }
}

/// A run that has been submitted. Clones share it.
#[derive(Clone)]
pub struct Run {
    /// Id of the run, unique in the process.
    pub run_id: u64,
    /// Id of the model.
    pub model_id: u32,
    /// Id of the stream that runs it.
    pub stream_id: u32,
    /// The end of the run, with the runtime's error where it failed.
    pub completion: Completion,
    /// What the run shares with whoever waits for it.
    pub state: Arc<RunState>,
}

impl Run {
    /// What a subscription to the run listens to.
    pub fn target(&self) -> Target {
        Target::Run {
            run_id: self.run_id,
            model_id: self.model_id,
        }
    }

    /// Asks the run to stop before its next node.
    pub fn cancel(&self) {
        self.state.cancelled.complete(Ok(()));
    }

    /// The outputs in the order of the model's, once the run has ended well.
    pub fn outputs(&self) -> Option<Vec<Tensor>> {
        self.state.outputs.lock().clone()
    }

    /// What the engine said, where it made the run fail.
    pub fn failure(&self) -> Option<optap_engine::Error> {
        self.state.failure.lock().clone()
    }
}
