//! A model compiled for concrete shapes.

use std::fmt;
use std::sync::Arc;

use tract_core::internal::{TVec, TractError, TypedSimpleState, anyhow};
use tract_core::plan::eval;
use tract_core::prelude::TValue;

use crate::compile::Compiled;
use crate::panic::contain;
use crate::state::States;
use crate::{BoundInputs, DType, Error, Observer, OpInputs, PlanOp, Stage, Tensor};

/// Marks a node of the engine that is no operator.
const NO_OP: usize = usize::MAX;

/// A model compiled for one set of input shapes. Any number of threads may run one plan at once;
/// they share its weights.
pub struct Plan {
    inputs: Vec<(DType, Vec<usize>)>,
    ops: Vec<PlanOp>,
    folded: Vec<usize>,
    op_of_node: Vec<usize>,
    states: States,
}

/// How far a run came.
#[derive(Default)]
struct Progress {
    op: Option<usize>,
    running: bool,
    cancelled: bool,
}

impl Plan {
    pub(crate) fn new(
        compiled: Compiled,
        inputs: Vec<(DType, Vec<usize>)>,
        ops: Vec<PlanOp>,
        folded: Vec<usize>,
    ) -> Result<Plan, TractError> {
        let mut op_of_node = vec![NO_OP; compiled.plan.model().nodes().len()];
        for (op, &node) in compiled.executed.iter().enumerate() {
            op_of_node[node] = op;
        }
        let states = States::new(compiled.plan)?;
        Ok(Plan {
            inputs,
            ops,
            folded,
            op_of_node,
            states,
        })
    }

    /// The operators, in the order in which they run.
    pub fn ops(&self) -> &[PlanOp] {
        &self.ops
    }

    /// The ONNX nodes that no operator carries, as indices into [`crate::Model::nodes`]: their
    /// results were computed while planning, or they do nothing for these shapes.
    pub fn folded(&self) -> &[usize] {
        &self.folded
    }

    /// Runs the plan on this thread and gives the outputs in the order of [`crate::Model::outputs`].
    ///
    /// # Errors
    /// - [`Error::Cancelled`] when the observer stops the run.
    /// - [`Error::Operator`] when an operator refuses its values.
    /// - [`Error::Panic`] when the engine panics; the plan stays usable.
    /// - [`Error::InputMismatch`] when the inputs were checked for another plan.
    pub fn run<O: Observer>(
        &self,
        inputs: BoundInputs,
        observer: &mut O,
    ) -> Result<Vec<Tensor>, Error> {
        let values = self.accept(inputs)?;
        let mut state = self.states.take().map_err(|error| Error::Run {
            reason: format!("{error:#}"),
        })?;
        let mut progress = Progress::default();
        let outcome = contain(|| self.drive(&mut state, values, observer, &mut progress));
        if progress.running {
            observer.after(progress.op.unwrap_or(NO_OP), true);
        }
        let outputs = match outcome {
            Ok(Ok(outputs)) => outputs,
            Ok(Err(error)) => return Err(self.failure(&progress, &error)),
            Err(message) => return Err(self.panicked(&progress, message)),
        };
        self.states.put(state);
        Ok(outputs)
    }

    fn drive<O: Observer>(
        &self,
        state: &mut TypedSimpleState,
        values: TVec<TValue>,
        observer: &mut O,
        progress: &mut Progress,
    ) -> Result<Vec<Tensor>, TractError> {
        let outputs = state.run_plan_with_eval(values, |context, op_state, node, inputs| {
            let op = self.op_of_node[node.id];
            if op == NO_OP {
                return eval(context, op_state, node, inputs);
            }
            progress.op = Some(op);
            if observer.wants_inputs() {
                observer.inputs(op, OpInputs::new(&inputs));
            }
            if observer.before(op).is_break() {
                progress.cancelled = true;
                return Err(anyhow!("stopped by the observer"));
            }
            progress.running = true;
            let outputs = eval(context, op_state, node, inputs);
            progress.running = false;
            observer.after(op, outputs.is_err());
            outputs
        })?;
        progress.op = None;
        outputs.into_iter().map(Tensor::from_value).collect()
    }

    fn accept(&self, inputs: BoundInputs) -> Result<TVec<TValue>, Error> {
        let tensors = inputs.into_tensors();
        let fits = |((dtype, shape), tensor): (&(DType, Vec<usize>), &Tensor)| {
            *dtype == tensor.dtype() && shape.as_slice() == tensor.shape()
        };
        if tensors.len() != self.inputs.len() || !self.inputs.iter().zip(&tensors).all(fits) {
            let expected = self
                .inputs
                .iter()
                .map(|(dtype, shape)| format!("{dtype}{shape:?}"))
                .collect::<Vec<_>>();
            let given = tensors.iter().map(Tensor::to_string).collect::<Vec<_>>();
            let (expected, given) = (expected.join(", "), given.join(", "));
            return Err(Error::InputMismatch {
                input: "all".to_owned(),
                expected,
                given,
            });
        }
        Ok(tensors.into_iter().map(Tensor::into_value).collect())
    }

    fn failure(&self, progress: &Progress, error: &TractError) -> Error {
        let Some(op) = progress.op.map(|op| &self.ops[op]) else {
            return Error::Run {
                reason: format!("{error:#}"),
            };
        };
        if progress.cancelled {
            return Error::Cancelled {
                op: op.name.clone(),
            };
        }
        let reason = error.root_cause().to_string();
        Error::Operator {
            op: op.name.clone(),
            op_type: op.op_type.clone(),
            reason,
        }
    }

    fn panicked(&self, progress: &Progress, message: String) -> Error {
        let op = progress.op.map(|op| self.ops[op].name.clone());
        Error::Panic {
            stage: Stage::Run,
            op,
            message,
        }
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("inputs", &self.inputs)
            .field("ops", &self.ops.len())
            .finish_non_exhaustive()
    }
}

/// Plans are shared between threads and runs.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Plan>();
    shared::<Arc<Plan>>();
};
