//! What a run tells of its operators, and where it is made to fail.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Duration;

use optap_engine::{Observer, OnnxNode, Plan, Stop};
use optap_model::RunHolder;
use optap_profiler::{Holder, Recorder};
use optap_record::Flags;
use optap_runtime::{Error, ErrorCode, monotonic_ns};

use crate::Acl;
use crate::mdl::fault::{Fault, FaultKind};
use crate::mdl::names::PlanNames;

/// Records each operator of a run, and plays the faults that are due in it.
pub(super) struct Watch<'run> {
    recorder: Recorder<'run>,
    holder: &'run RunHolder<'run>,
    names: &'run PlanNames,
    plan: &'run Plan,
    nodes: &'run [OnnxNode],
    armed: Vec<Fault>,
    /// How long an operator may run, in ns; 0 is for ever.
    limit_ns: u64,
    began_ns: u64,
    outcome: Outcome,
}

/// How a run ended, as far as its operators go.
#[derive(Debug, Default)]
pub(super) enum Outcome {
    /// No operator failed.
    #[default]
    Well,
    /// An operator gave no numbers.
    Poisoned,
    /// The operator at this index failed; without an error, the engine has it.
    Failed {
        /// The index in the plan.
        op: usize,
        /// Why.
        error: Option<Error>,
    },
}

impl<'run> Watch<'run> {
    pub(super) fn new(
        recorder: Recorder<'run>,
        holder: &'run RunHolder<'run>,
        names: &'run PlanNames,
        plan: &'run Plan,
        nodes: &'run [OnnxNode],
        armed: Vec<Fault>,
    ) -> Self {
        Self {
            recorder,
            holder,
            names,
            plan,
            nodes,
            armed,
            limit_ns: Acl::global().rt.op_timeout_ns.load(Ordering::Relaxed),
            began_ns: 0,
            outcome: Outcome::default(),
        }
    }

    pub(super) fn outcome(self) -> Outcome {
        self.outcome
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
        let error = match fault.kind {
            FaultKind::Nan => {
                self.outcome = Outcome::Poisoned;
                return ControlFlow::Continue(());
            }
            FaultKind::Error => fault.error(),
            FaultKind::Hang => match self.hang(&fault) {
                Some(error) => error,
                None => return ControlFlow::Break(Stop),
            },
        };
        self.record(op, Flags::FAILED);
        self.fail(op, Some(error));
        ControlFlow::Break(Stop)
    }

    /// Waits until the stream is aborted, or the operator has run too long, which gives an error.
    fn hang(&self, fault: &Fault) -> Option<Error> {
        let limit = (self.limit_ns > 0).then(|| Duration::from_nanos(self.limit_ns));
        match self.holder.stream.aborted().wait(limit) {
            Some(_) => None,
            None => Some(self.late(&fault.name)),
        }
    }

    fn late(&self, name: &str) -> Error {
        let seconds = self.limit_ns / 1_000_000_000;
        let detail = format!("operator '{name}' ran longer than the {seconds} s that it may");
        Error::new(ErrorCode::AicoreTimeout, detail)
    }

    fn record(&mut self, op: usize, failure: Flags) {
        self.recorder
            .after(self.names.op_id(op), self.names.flags(op) | failure);
    }

    fn fail(&mut self, op: usize, error: Option<Error>) {
        self.outcome = Outcome::Failed { op, error };
    }
}

impl Observer for Watch<'_> {
    #[inline]
    fn before(&mut self, op: usize) -> ControlFlow<Stop> {
        if self.holder.is_cancelled() || matches!(self.outcome, Outcome::Failed { .. }) {
            return ControlFlow::Break(Stop);
        }
        self.recorder.before();
        if self.limit_ns > 0 {
            self.began_ns = monotonic_ns();
        }
        if self.armed.is_empty() {
            ControlFlow::Continue(())
        } else {
            self.play(op)
        }
    }

    #[inline]
    fn after(&mut self, op: usize, failed: bool) {
        let is_late = self.limit_ns > 0 && monotonic_ns() - self.began_ns > self.limit_ns;
        let failure = if failed || is_late {
            Flags::FAILED
        } else {
            Flags::NONE
        };
        self.record(op, failure);
        if failed {
            self.fail(op, None);
        } else if is_late {
            let error = self.late(&self.plan.ops()[op].name);
            self.fail(op, Some(error));
        }
    }
}
