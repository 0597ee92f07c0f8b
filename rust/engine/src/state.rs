//! Execution states of one plan, kept for the next run.

use std::sync::{Arc, Mutex, PoisonError};

use tract_core::internal::{TypedSimplePlan, TypedSimpleState};
use tract_core::tract_data::TractResult;

/// States kept at most; runs beyond that many at once build theirs anew.
const KEPT: usize = 8;

/// States ready to run. One state serves one run at a time.
pub(crate) struct States {
    plan: Arc<TypedSimplePlan>,
    reusable: bool,
    idle: Mutex<Vec<TypedSimpleState>>,
}

impl States {
    /// A plan with operators that remember something between evaluations gets a fresh state each run,
    /// so that no run sees another.
    pub(crate) fn new(plan: Arc<TypedSimplePlan>) -> TractResult<States> {
        let context = tract_core::internal::EvalContext::out_of_plan();
        let mut reusable = true;
        for node in plan.model().nodes() {
            reusable &= node.op().state(&context)?.is_none();
        }
        Ok(States {
            plan,
            reusable,
            idle: Mutex::new(Vec::new()),
        })
    }

    pub(crate) fn take(&self) -> TractResult<TypedSimpleState> {
        let idle = self.lock().pop();
        idle.map_or_else(|| self.plan.spawn(), Ok)
    }

    /// Keeps a state that ended its run well.
    pub(crate) fn put(&self, state: TypedSimpleState) {
        let mut idle = self.lock();
        if self.reusable && idle.len() < KEPT {
            idle.push(state);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<TypedSimpleState>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
