//! A source that emits records as told: for tests that need no model.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use optap_record::{Flags, OpRecord};

use crate::clock;
use crate::recorder::{Holder, Recorder};

/// What to emit.
#[derive(Clone, Debug)]
pub struct Script {
    /// Number of ops.
    pub count: u64,
    /// Ops a second; `None` for as many as the thread can.
    pub rate: Option<f64>,
    /// Ids of the ops, taken in turn; empty for ops without a name.
    pub op_ids: Vec<u32>,
    /// Start and end in nanoseconds, taken in turn; empty for stamps of the clock.
    pub times_ns: Vec<(u64, u64)>,
    /// Ids of the streams, taken in turn; at least one.
    pub stream_ids: Vec<u32>,
    /// Sequence number of each stream's first op.
    pub first_sequence: u64,
    /// Ops to report as lost just before the op with this index.
    pub gaps: BTreeMap<u64, u64>,
}

impl Script {
    /// Emits all ops through `recorder`, or stops where `holder` says so; returns the number emitted.
    ///
    /// A script is never faster than its ring is drained, so its ops are lost by policy alone.
    pub fn play(&self, recorder: &mut Recorder<'_>, holder: &dyn Holder) -> u64 {
        let began = Instant::now();
        let mut sequences = vec![self.first_sequence; self.stream_ids.len()];
        for index in 0..self.count {
            if holder.is_cancelled() {
                return index;
            }
            self.wait_for_turn(began, index);
            recorder.make_room();
            recorder.before();
            let stream = (index % self.stream_ids.len() as u64) as usize;
            self.emit(
                recorder,
                index,
                self.stream_ids[stream],
                &mut sequences[stream],
            );
        }
        self.count
    }

    fn wait_for_turn(&self, began: Instant, index: u64) {
        let Some(rate) = self.rate else { return };
        let due = began + Duration::from_secs_f64(index as f64 / rate);
        let early = due.saturating_duration_since(Instant::now());
        if early > Duration::ZERO {
            thread::sleep(early);
        }
    }

    fn emit(&self, recorder: &mut Recorder<'_>, index: u64, stream_id: u32, sequence: &mut u64) {
        if let Some(&count) = self.gaps.get(&index) {
            recorder.report(stream_id, *sequence, count);
            *sequence += count;
        }
        let (start_ns, end_ns, flags) = self.stamp(index);
        let record = OpRecord {
            start_ns,
            end_ns,
            flags,
            op_id: self.op_id(index),
            stream_id,
            sequence: *sequence,
            ..OpRecord::default()
        };
        *sequence += 1;
        recorder.push_scripted(record);
    }

    fn op_id(&self, index: u64) -> u32 {
        self.op_ids
            .get(index as usize % self.op_ids.len().max(1))
            .copied()
            .unwrap_or(0)
    }

    fn stamp(&self, index: u64) -> (u64, u64, Flags) {
        match self
            .times_ns
            .get(index as usize % self.times_ns.len().max(1))
        {
            Some(&(start_ns, end_ns)) => (start_ns, end_ns, Flags::SCRIPTED),
            None => {
                let now = clock::ticks();
                (
                    now,
                    now,
                    Flags::from_bits(Flags::SCRIPTED.bits() | Flags::TICKS.bits()),
                )
            }
        }
    }
}
