//! A source that emits records as told: for tests that need no model.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use optap_record::{Flags, OpRecord};

use crate::clock;
use crate::recorder::{Holder, Recorder};

/// A script looks at its ring and for a cancel at every so many ops.
const OPS_A_GLANCE: u64 = 16;

/// Longest sleep between two ops without a look for a cancel.
const CANCEL_CHECK: Duration = Duration::from_millis(10);

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
        let mut turn = Turn::default();
        for index in 0..self.count {
            if self.rate.is_some() || index % OPS_A_GLANCE == 0 {
                recorder.make_room();
                self.wait_for_turn(began, index, holder);
                if holder.is_cancelled() {
                    return index;
                }
            }
            recorder.before();
            self.emit(recorder, index, &turn, &mut sequences[turn.stream]);
            turn.advance(self);
        }
        self.count
    }

    fn wait_for_turn(&self, began: Instant, index: u64, holder: &dyn Holder) {
        let Some(rate) = self.rate else { return };
        let after = Duration::try_from_secs_f64(index as f64 / rate).unwrap_or(Duration::MAX);
        let early = || after.saturating_sub(began.elapsed());
        while early() > Duration::ZERO && !holder.is_cancelled() {
            thread::sleep(early().min(CANCEL_CHECK));
        }
    }

    fn emit(&self, recorder: &mut Recorder<'_>, index: u64, turn: &Turn, sequence: &mut u64) {
        let stream_id = self.stream_ids[turn.stream];
        if let Some(&count) = self.gaps.get(&index) {
            recorder.report(stream_id, *sequence, count);
            *sequence += count;
        }
        let (start_ns, end_ns, flags) = self.stamp(turn);
        let op_id = self.op_ids.get(turn.op).copied().unwrap_or(0);
        let sequence = std::mem::replace(sequence, *sequence + 1);
        recorder.push_scripted(OpRecord {
            start_ns,
            end_ns,
            flags,
            op_id,
            stream_id,
            sequence,
            ..OpRecord::default()
        });
    }

    fn stamp(&self, turn: &Turn) -> (u64, u64, Flags) {
        match self.times_ns.get(turn.time) {
            Some(&(start_ns, end_ns)) => (start_ns, end_ns, Flags::SCRIPTED),
            None => {
                let now = clock::ticks();
                (now, now, Flags::SCRIPTED | Flags::TICKS)
            }
        }
    }
}

/// Which of the script's items come next.
#[derive(Default)]
struct Turn {
    op: usize,
    time: usize,
    stream: usize,
}

impl Turn {
    fn advance(&mut self, script: &Script) {
        let next = |at: usize, len: usize| if at + 1 < len { at + 1 } else { 0 };
        self.op = next(self.op, script.op_ids.len());
        self.time = next(self.time, script.times_ns.len());
        self.stream = next(self.stream, script.stream_ids.len());
    }
}
