//! Which step an operator began in.

use optap_record::OpRecord;

use crate::key::Key;
use crate::pending::{Pending, Waiting};
use crate::rows::Rows;
use crate::sum::Sum;

/// The device of a step that concerns all devices.
const ANY_DEVICE: u32 = u32::MAX;

/// Most steps whose times are remembered.
const MOST: usize = 1 << 20;

/// How far the search for a step goes back: more steps than ever overlap.
const OVERLAP: usize = 64;

/// The time of one step.
#[derive(Debug)]
struct Interval {
    start_ns: u64,
    end_ns: u64,
    device_id: u32,
    slot: u32,
}

impl Interval {
    fn holds(&self, op: &Waiting) -> bool {
        let is_device = self.device_id == op.device_id || self.device_id == ANY_DEVICE;
        is_device && (self.start_ns..=self.end_ns).contains(&op.start_ns)
    }
}

/// The steps told so far, and the operators that belong to none of them yet.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    intervals: Vec<Interval>,
    is_unsorted: bool,
    pending: Pending,
}

impl Steps {
    /// Takes the step that `record` tells, and gives it the operators that waited for it.
    pub(crate) fn tell(&mut self, record: &OpRecord, rows: &mut Rows) {
        let slot = rows.slot(Key::Step(record.run_id));
        rows.sum(slot).add_span(record.duration_ns());
        let interval = Interval {
            start_ns: record.start_ns,
            end_ns: record.end_ns,
            device_id: record.device_id,
            slot,
        };
        self.pending.release(|op| {
            let is_mine = interval.holds(op);
            if is_mine {
                rows.sum(slot).add(op.duration_ns);
            }
            is_mine
        });
        self.remember(interval);
    }

    /// The slot of an operator's step. `None` lets it wait until its step is told, which `may_wait` allows.
    pub(crate) fn slot(
        &mut self,
        record: &OpRecord,
        rows: &mut Rows,
        may_wait: bool,
    ) -> Option<u32> {
        let op = Waiting {
            start_ns: record.start_ns,
            duration_ns: record.duration_ns(),
            device_id: record.device_id,
        };
        let found = self.find(&op);
        if found.is_some() || !may_wait {
            return found.or_else(|| Some(rows.slot(Key::None)));
        }
        if let Some(late) = self.pending.push(op) {
            let slot = rows.slot(Key::None);
            rows.sum(slot).add(late.duration_ns);
        }
        None
    }

    /// The operators that still wait.
    pub(crate) fn waiting(&self) -> Sum {
        let mut sum = Sum::default();
        self.pending.iter().for_each(|op| sum.add(op.duration_ns));
        sum
    }

    fn remember(&mut self, interval: Interval) {
        let last = self.intervals.last();
        self.is_unsorted |= last.is_some_and(|last| last.start_ns > interval.start_ns);
        self.intervals.push(interval);
        if self.intervals.len() > MOST {
            self.sort();
            self.intervals.drain(..MOST / 2);
        }
    }

    fn find(&mut self, op: &Waiting) -> Option<u32> {
        self.sort();
        let starts_before = |one: &Interval| one.start_ns <= op.start_ns;
        let end = self.intervals.partition_point(starts_before);
        let latest = self.intervals[..end].iter().rev().take(OVERLAP);
        latest
            .into_iter()
            .find(|one| one.holds(op))
            .map(|one| one.slot)
    }

    fn sort(&mut self) {
        if std::mem::take(&mut self.is_unsorted) {
            self.intervals.sort_by_key(|one| one.start_ns);
        }
    }
}
