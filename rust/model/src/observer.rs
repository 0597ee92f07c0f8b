//! What the engine tells of a run, and whom it asks.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use optap_engine::{Observer, Stop};
use optap_profiler::{Holder, Recorder};
use optap_record::Flags;
use optap_runtime::Stream;

use crate::names::PlanNames;

/// How a run blocks: its worker counts as held, and a cancel or an abort of the stream ends the wait.
pub struct RunHolder<'run> {
    /// Set to stop the run before its next node.
    pub is_cancelled: &'run AtomicBool,
    /// The stream that runs it.
    pub stream: &'run Stream,
}

impl Holder for RunHolder<'_> {
    fn held(&self, wait: &mut dyn FnMut()) {
        optap_runtime::held(wait);
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed) || self.stream.is_aborted()
    }
}

/// Records each op of a run.
pub(crate) struct RunObserver<'run> {
    recorder: Recorder<'run>,
    holder: &'run RunHolder<'run>,
    names: &'run PlanNames,
    first_id: u32,
}

impl<'run> RunObserver<'run> {
    pub(crate) fn new(
        recorder: Recorder<'run>,
        holder: &'run RunHolder<'run>,
        names: &'run PlanNames,
    ) -> Self {
        Self {
            recorder,
            holder,
            names,
            first_id: names.first_id(),
        }
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
        let failure = if failed { Flags::FAILED } else { Flags::NONE };
        self.recorder
            .after(self.first_id + op as u32, self.names.flags(op) | failure);
    }
}
