//! One execution of a model.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use optap_engine::Tensor;
use optap_profiler::Target;
use optap_runtime::Completion;
use parking_lot::Mutex;

/// What a run shares with whoever waits for it.
#[derive(Default)]
pub struct RunState {
    /// Set to stop the run before its next node.
    pub is_cancelled: AtomicBool,
    pub(crate) outputs: Mutex<Option<Vec<Tensor>>>,
    pub(crate) failure: Mutex<Option<optap_engine::Error>>,
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
        self.state.is_cancelled.store(true, Ordering::Relaxed);
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
