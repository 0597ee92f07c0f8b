//! How long a reading task may go on before it must let others run.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use optap_profiler::clock;

/// Most ops between two suspensions of the reading task.
const FAIR_OPS: u32 = 4096;

/// Longest time between two suspensions of the reading task, in nanoseconds.
const FAIR_NS: u64 = 1_000_000;

/// The clock is read at every so many ops, for a reading costs as much as the rest of an op.
const OPS_A_GLANCE: u32 = 8;

/// Counts ops and time since the reading task was last suspended. A fresh one asks for a suspension first.
///
/// One task reads at a time, so that plain loads and stores do.
pub struct Pace {
    fair_ticks: u64,
    suspended_at: AtomicU64,
    ops: AtomicU32,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            fair_ticks: clock::ticks_in_ns(FAIR_NS),
            suspended_at: AtomicU64::new(0),
            ops: AtomicU32::new(0),
        }
    }
}

impl Pace {
    /// Whether one more op may be taken without a suspension.
    #[inline]
    pub fn is_fair(&self) -> bool {
        let ops = self.ops.load(Relaxed) + 1;
        self.ops.store(ops, Relaxed);
        let late =
            || clock::ticks().wrapping_sub(self.suspended_at.load(Relaxed)) > self.fair_ticks;
        ops < FAIR_OPS && !(ops % OPS_A_GLANCE == 1 && late())
    }

    /// The reading task has just been suspended.
    pub fn restart(&self) {
        self.ops.store(0, Relaxed);
        self.suspended_at.store(clock::ticks(), Relaxed);
    }

    /// Asks for a suspension before the next op.
    pub fn expire(&self) {
        self.ops.store(FAIR_OPS, Relaxed);
    }
}
