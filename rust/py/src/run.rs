//! A run of a model: awaitable, cancellable, readable once done.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use optap_profiler::Target;
use optap_runtime::Completion;
use pyo3::prelude::*;

use crate::error::{from_engine, to_python};
use crate::execute::RunState;
use crate::pending::Pending;
use crate::tensor::Tensor;

/// One execution of a model.
#[pyclass(frozen, module = "optap._core")]
pub struct Run {
    pub run_id: u64,
    pub model_id: u32,
    pub stream_id: u32,
    pub completion: Completion,
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
}

#[pymethods]
impl Run {
    /// Id of the run, unique in the process.
    #[getter]
    fn run_id(&self) -> u64 {
        self.run_id
    }

    /// Id of the model.
    #[getter]
    fn model_id(&self) -> u32 {
        self.model_id
    }

    /// Id of the stream that runs it.
    #[getter]
    fn stream_id(&self) -> u32 {
        self.stream_id
    }

    /// The end of the run.
    fn pending(&self) -> Pending {
        Pending::new(self.completion.clone())
    }

    /// Whether the run has ended.
    fn is_done(&self) -> bool {
        self.completion.is_done()
    }

    /// Ask the run to stop before its next node.
    fn cancel(&self) {
        self.state.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// The outputs, in the order of the model's; raises what the run raised.
    fn outputs(&self) -> PyResult<Vec<Tensor>> {
        if let Some(Err(error)) = self.completion.result() {
            let failure = self
                .state
                .failure
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            return Err(failure
                .as_ref()
                .map_or_else(|| to_python(&error), from_engine));
        }
        let outputs = self
            .state
            .outputs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Ok(outputs
            .unwrap_or_default()
            .into_iter()
            .map(Tensor::new)
            .collect())
    }
}
