//! What the engine tells of a run, and whom it asks.

use std::ops::ControlFlow;
use std::sync::Arc;

use optap_engine::{Observer, OpInputs, Plan, Stop, Tensor};
use optap_profiler::{Holder, Recorder};
use optap_record::Flags;
use optap_runtime::{Completion, Stream};

use crate::failure::{FailedOp, RunFailure};
use crate::names::PlanNames;

/// How a run blocks: its worker counts as held, and a cancel or an abort of the stream ends the wait.
pub struct RunHolder<'run> {
    /// Done when the run shall stop before its next node.
    pub cancelled: &'run Completion,
    /// The stream that runs it.
    pub stream: &'run Stream,
}

impl Holder for RunHolder<'_> {
    fn held(&self, wait: &mut dyn FnMut()) {
        optap_runtime::held(wait);
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.is_done() || self.stream.is_aborted()
    }
}

/// Records each op of a run.
pub(crate) struct RunObserver<'run> {
    pub(crate) holder: &'run RunHolder<'run>,
    recorder: Recorder<'run>,
    names: &'run PlanNames,
    first_id: u32,
    failed: Option<usize>,
}

impl<'run> RunObserver<'run> {
    pub(crate) fn new(
        recorder: Recorder<'run>,
        holder: &'run RunHolder<'run>,
        names: &'run PlanNames,
    ) -> Self {
        Self {
            holder,
            recorder,
            names,
            first_id: names.first_id(),
            failed: None,
        }
    }

    /// Records an op that ends now.
    #[inline]
    pub(crate) fn record(&mut self, op: usize, failure: Flags) {
        self.recorder
            .after(self.first_id + op as u32, self.names.flags(op) | failure);
    }

    /// What the run comes to, given what the engine says of it. `inputs` are those of the last op, where kept.
    pub(crate) fn end(
        self,
        plan: &Arc<Plan>,
        inputs: Option<OpInputs>,
        result: Result<Vec<Tensor>, optap_engine::Error>,
    ) -> Result<Vec<Tensor>, Box<RunFailure>> {
        result.map_err(|error| {
            let mut failure = Box::<RunFailure>::from(error);
            failure.op = self.failed.map(|op| FailedOp::new(plan, op, inputs));
            failure
        })
    }
}

impl Observer for RunObserver<'_> {
    #[inline]
    fn before(&mut self, _op: usize) -> ControlFlow<Stop> {
        self.recorder.before();
        if self.holder.is_cancelled() {
            ControlFlow::Break(Stop)
        } else {
            ControlFlow::Continue(())
        }
    }

    #[inline]
    fn after(&mut self, op: usize, failed: bool) {
        if failed {
            self.failed = Some(op);
            self.record(op, Flags::FAILED);
        } else {
            self.record(op, Flags::NONE);
        }
    }
}
