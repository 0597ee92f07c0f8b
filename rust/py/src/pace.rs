//! How long a reading task may go on before it must let others run.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use optap_profiler::clock;

/// Most ops between two suspensions of the reading task.
const FAIR_OPS: u32 = 4096;

/// Longest time between two suspensions of the reading task, in nanoseconds.
const FAIR_NS: u64 = 1_000_000;

/// Counts ops and time since the reading task was last suspended. A fresh one asks for a suspension first.
///
/// One task reads at a time, so that plain loads and stores do.
pub struct Pace {
    fair_ticks: u64,
    suspended_at: AtomicU64,
    asked_at: AtomicU64,
    ops: AtomicU32,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            fair_ticks: clock::ticks_in_ns(FAIR_NS),
            suspended_at: AtomicU64::new(0),
            asked_at: AtomicU64::new(0),
            ops: AtomicU32::new(0),
        }
    }
}

impl Pace {
    /// The ticks since the last op was asked for, if one more may be taken without a suspension.
    #[inline]
    pub fn step(&self) -> Option<u64> {
        let (now, ops) = (clock::ticks(), self.ops.load(Relaxed) + 1);
        self.ops.store(ops, Relaxed);
        let gap = now.wrapping_sub(self.asked_at.load(Relaxed));
        self.asked_at.store(now, Relaxed);
        let is_late = now.wrapping_sub(self.suspended_at.load(Relaxed)) > self.fair_ticks;
        (ops < FAIR_OPS && !is_late).then_some(gap)
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
