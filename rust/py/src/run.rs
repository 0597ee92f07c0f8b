//! A run of a model: awaitable, cancellable, readable once done.

use optap_profiler::Target;
use pyo3::prelude::*;

use crate::error::{from_engine, to_python};
use crate::origin::Origin;
use crate::pending::Pending;
use crate::tensor::Tensor;

/// One execution of a model.
#[pyclass(frozen, module = "optap._core")]
pub struct Run {
    inner: optap_model::Run,
    origin: Origin,
}

impl Run {
    /// Wraps a run.
    pub fn new(inner: optap_model::Run) -> Self {
        Self {
            inner,
            origin: Origin::default(),
        }
    }

    /// The run itself.
    pub fn inner(&self) -> &optap_model::Run {
        &self.inner
    }

    /// What a subscription to the run listens to; raises `ForkedError` in a forked child.
    pub fn target(&self) -> PyResult<Target> {
        self.origin.check("run")?;
        Ok(self.inner.target())
    }
}

#[pymethods]
impl Run {
    /// Id of the run, unique in the process.
    #[getter]
    fn run_id(&self) -> u64 {
        self.inner.run_id
    }

    /// Id of the model.
    #[getter]
    fn model_id(&self) -> u32 {
        self.inner.model_id
    }

    /// Id of the stream that runs it.
    #[getter]
    fn stream_id(&self) -> u32 {
        self.inner.stream_id
    }

    /// The end of the run.
    fn pending(&self) -> Pending {
        Pending::new(self.inner.completion.clone())
    }

    /// Whether the run has ended.
    fn is_done(&self) -> bool {
        self.inner.completion.is_done()
    }

    /// Ask the run to stop before its next node.
    fn cancel(&self) {
        self.inner.cancel();
    }

    /// The outputs, in the order of the model's; raises what the run raised.
    fn outputs(&self) -> PyResult<Vec<Tensor>> {
        if let Some(Err(error)) = self.inner.completion.result() {
            let failure = self.inner.failure();
            return Err(failure
                .as_ref()
                .map_or_else(|| to_python(&error), from_engine));
        }
        let outputs = self.inner.outputs().unwrap_or_default();
        Ok(outputs.into_iter().map(Tensor::new).collect())
    }
}
