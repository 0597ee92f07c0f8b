//! A run that is watched closely: operators that are made to fail, that take too long, or whose inputs are kept.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use optap_engine::{Observer, OnnxNode, OpInputs, Plan, Stop, Tensor};
use optap_record::Flags;
use optap_runtime::{Completion, Error, ErrorCode};

use crate::failure::{FailedOp, RunFailure, error_of};
use crate::fault::{Fault, FaultKind, poison};
use crate::observer::RunObserver;
use crate::run::RunOrders;

/// Records each op of a run, plays the faults that are due in it, and keeps what the current op reads.
pub(crate) struct Watch<'run> {
    observer: RunObserver<'run>,
    plan: &'run Arc<Plan>,
    nodes: &'run [OnnxNode],
    armed: Vec<Fault>,
    limit: Option<Duration>,
    keeps_inputs: bool,
    began: Instant,
    inputs: Option<OpInputs>,
    is_poisoned: bool,
    failure: Option<Box<RunFailure>>,
}

impl<'run> Watch<'run> {
    pub(crate) fn new(
        observer: RunObserver<'run>,
        plan: &'run Arc<Plan>,
        nodes: &'run [OnnxNode],
        armed: Vec<Fault>,
        orders: &RunOrders<'_>,
    ) -> Self {
        Self {
            observer,
            plan,
            nodes,
            keeps_inputs: orders.keeps_inputs || !armed.is_empty(),
            armed,
            limit: orders.op_limit,
            began: Instant::now(),
            inputs: None,
            is_poisoned: false,
            failure: None,
        }
    }

    /// What the run comes to, given what the engine says of it.
    pub(crate) fn end(
        self,
        result: Result<Vec<Tensor>, optap_engine::Error>,
    ) -> Result<Vec<Tensor>, Box<RunFailure>> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let outputs = self.observer.end(self.plan, self.inputs, result)?;
        if self.is_poisoned {
            Ok(poison(outputs)?)
        } else {
            Ok(outputs)
        }
    }

    /// Plays the fault that is due at `op`, if there is one.
    #[cold]
    fn play(&mut self, op: usize) -> ControlFlow<Stop> {
        let planned = &self.plan.ops()[op];
        let is_due = |fault: &Fault| fault.hits(planned, self.nodes);
        let Some(place) = self.armed.iter().position(is_due) else {
            return ControlFlow::Continue(());
        };
        let fault = self.armed.remove(place);
        match fault.kind {
            FaultKind::Nan => {
                self.is_poisoned = true;
                return ControlFlow::Continue(());
            }
            FaultKind::Error => {
                let error = fault.error(planned);
                self.fail(op, error_of(&error), Some(error));
            }
            FaultKind::Hang => {
                if self.hangs_for_ever() {
                    return ControlFlow::Break(Stop);
                }
                self.fail(op, self.late(op), None);
            }
        }
        self.observer.record(op, Flags::FAILED);
        ControlFlow::Break(Stop)
    }

    /// Waits until the run is cancelled or its stream aborted; false where the operator has run too long before that.
    fn hangs_for_ever(&self) -> bool {
        let holder = self.observer.holder;
        let ended = Completion::new();
        let enders = [holder.cancelled, holder.stream.aborted()];
        let calls = enders.map(|ender| {
            let ended = ended.clone();
            let call = ender.on_done(move |_| {
                ended.complete(Ok(()));
            });
            (ender, call)
        });
        let is_ended = ended.wait(self.limit).is_some();
        for (ender, call) in calls {
            ender.forget(call);
        }
        is_ended
    }

    fn late(&self, op: usize) -> Error {
        let (name, limit) = (&self.plan.ops()[op].name, self.limit.unwrap_or_default());
        let detail = format!("operator '{name}' ran longer than the {limit:?} that it may");
        Error::new(ErrorCode::AicoreTimeout, detail)
    }

    fn fail(&mut self, op: usize, error: Error, engine: Option<optap_engine::Error>) {
        let op = FailedOp::new(self.plan, op, self.inputs.take());
        self.failure = Some(Box::new(RunFailure {
            error,
            engine,
            op: Some(op),
        }));
    }
}

impl Observer for Watch<'_> {
    fn wants_inputs(&self) -> bool {
        self.keeps_inputs
    }

    fn inputs(&mut self, _op: usize, inputs: OpInputs) {
        self.inputs = Some(inputs);
    }

    fn before(&mut self, op: usize) -> ControlFlow<Stop> {
        if self.failure.is_some() {
            return ControlFlow::Break(Stop);
        }
        self.observer.before(op)?;
        if self.limit.is_some() {
            self.began = Instant::now();
        }
        if self.armed.is_empty() {
            ControlFlow::Continue(())
        } else {
            self.play(op)
        }
    }

    fn after(&mut self, op: usize, failed: bool) {
        let is_late = self.limit.is_some_and(|limit| self.began.elapsed() > limit);
        self.observer.after(op, failed || is_late);
        if is_late && !failed {
            self.fail(op, self.late(op), None);
        }
    }
}
