//! The bounds of one iteration, as a script tells them.

use std::sync::atomic::{AtomicU64, Ordering};

use optap_profiler::{Times, step};
use optap_runtime::{Error, ErrorCode, Result, monotonic_ns};
use parking_lot::Mutex;

/// Which bound of a step is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Start,
    End,
}

impl Bound {
    /// 0 is the start, every other number the end.
    pub(crate) fn from_tag(tag: i32) -> Self {
        if tag == 0 { Self::Start } else { Self::End }
    }
}

/// One iteration. Each of its bounds is told once.
#[derive(Debug)]
pub struct Step {
    /// The number of the step in the process, counted from 1.
    pub index: u64,
    told: Mutex<[bool; 2]>,
    /// When the stream came to the start; 0 before that.
    start_ns: AtomicU64,
}

impl Step {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self {
            index: NEXT.fetch_add(1, Ordering::Relaxed),
            told: Mutex::default(),
            start_ns: AtomicU64::new(0),
        }
    }

    /// Uses a bound up; 100000 where it was told before.
    pub(crate) fn tell(&self, bound: Bound) -> Result<()> {
        let mut told = self.told.lock();
        if std::mem::replace(&mut told[bound as usize], true) {
            let detail = format!("the {bound:?} of step {} was told before", self.index);
            return Err(Error::new(ErrorCode::InvalidParam, detail));
        }
        Ok(())
    }

    /// A stream of `device_id` has come to a bound. A step is told with its end, if its start was reached.
    pub(crate) fn reach(&self, bound: Bound, device_id: u32) {
        let now_ns = monotonic_ns();
        match (bound, self.start_ns.load(Ordering::Relaxed)) {
            (Bound::Start, _) => self.start_ns.store(now_ns, Ordering::Relaxed),
            (Bound::End, 0) => {}
            (Bound::End, start_ns) => {
                step(self.index, Some(device_id), 0, Times::ns(start_ns, now_ns));
            }
        }
    }
}
