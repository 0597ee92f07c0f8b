//! How a run fails: the engine's failures in the runtime's words, and the operator that was at fault.

use std::fmt;
use std::sync::Arc;

use optap_engine::{ErrorKind, OpInputs, Plan, PlanOp, Tensor};
use optap_runtime::{Error, ErrorCode};

/// The runtime's code for what the engine says.
pub fn code_of(error: &optap_engine::Error) -> ErrorCode {
    match error.kind() {
        ErrorKind::File => ErrorCode::GeExecModelPathInvalid,
        ErrorKind::Format | ErrorKind::Unsupported | ErrorKind::Plan => ErrorCode::GeLoadModel,
        ErrorKind::Input => ErrorCode::GeParamInvalid,
        ErrorKind::Cancelled => ErrorCode::ModelAbortNormal,
        ErrorKind::Operator => ErrorCode::ModelExecute,
        ErrorKind::Panic => ErrorCode::AicpuException,
        ErrorKind::Setting => ErrorCode::InvalidParam,
    }
}

/// The runtime's error for what the engine says.
pub fn error_of(error: &optap_engine::Error) -> Error {
    Error::new(code_of(error), error.to_string())
}

/// Why a run gave no outputs.
#[derive(Debug)]
pub struct RunFailure {
    /// What the stream is told.
    pub error: Error,
    /// What the engine said, where it failed.
    pub engine: Option<optap_engine::Error>,
    /// The operator that failed, where one did.
    pub op: Option<FailedOp>,
}

impl From<optap_engine::Error> for Box<RunFailure> {
    fn from(error: optap_engine::Error) -> Self {
        Self::new(RunFailure {
            error: error_of(&error),
            engine: Some(error),
            op: None,
        })
    }
}

impl From<Error> for Box<RunFailure> {
    fn from(error: Error) -> Self {
        Self::new(RunFailure {
            error,
            engine: None,
            op: None,
        })
    }
}

/// An operator that failed.
pub struct FailedOp {
    plan: Arc<Plan>,
    index: usize,
    inputs: Vec<Option<Tensor>>,
}

impl FailedOp {
    pub(crate) fn new(plan: &Arc<Plan>, index: usize, inputs: Option<OpInputs>) -> Self {
        Self {
            plan: plan.clone(),
            index,
            inputs: inputs.map_or_else(Vec::new, OpInputs::into_tensors),
        }
    }

    /// The operator as it was planned.
    pub fn planned(&self) -> &PlanOp {
        &self.plan.ops()[self.index]
    }

    /// What it read, in the order of [`PlanOp::inputs`]: `None` where the value was not kept, or has no plain form.
    pub fn input(&self, index: usize) -> Option<&Tensor> {
        self.inputs.get(index)?.as_ref()
    }
}

impl fmt::Debug for FailedOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailedOp")
            .field("name", &self.planned().name)
            .field("inputs", &self.inputs)
            .finish_non_exhaustive()
    }
}
