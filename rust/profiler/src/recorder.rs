//! From a node that completes to the ring of the thread that ran it.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use optap_record::{Flags, Loss, OpRecord};
use optap_runtime::{Trail, thread_id};

use crate::clock;
use crate::profiler::Profiler;
use crate::staging::Item;
use crate::tap::Tap;
use crate::thread_ring::{RING_RECORDS, ThreadRing};

/// A ring that holds more is drained by its own producer.
const NEARLY_FULL: usize = RING_RECORDS / 4 * 3;

/// How a run tells that it blocks, and learns that it should not.
pub trait Holder {
    /// Runs `wait`, which blocks, so that other streams go on meanwhile.
    fn held(&self, wait: &mut dyn FnMut());
    /// Whether the run has been cancelled or its stream aborted.
    fn is_cancelled(&self) -> bool;
}

/// Records the ops of one run on one stream.
pub struct Recorder<'run> {
    profiler: &'run Arc<Profiler>,
    tap: &'run Tap,
    trail: &'run Trail,
    holder: &'run dyn Holder,
    ring: Option<ThreadRing>,
    blank: OpRecord,
    is_on: bool,
    stamp: Option<u64>,
    lost: Option<Loss>,
}

impl<'run> Recorder<'run> {
    /// A recorder for the run `run_id` of `tap`'s model on the stream `stream_id`, whose records `trail` follows.
    pub fn new(
        profiler: &'run Arc<Profiler>,
        tap: &'run Tap,
        trail: &'run Trail,
        holder: &'run dyn Holder,
        stream_id: u32,
        run_id: u64,
    ) -> Self {
        let blank = OpRecord {
            run_id,
            model_id: tap.model_id(),
            device_id: tap.device_id(),
            stream_id,
            thread_id: thread_id(),
            ..OpRecord::default()
        };
        tap.enter(run_id);
        Self {
            profiler,
            tap,
            trail,
            holder,
            ring: None,
            blank,
            is_on: false,
            stamp: None,
            lost: None,
        }
    }

    /// Lets every op carry the range that was in force where the run was launched; 0 is none.
    #[must_use]
    pub fn in_range(mut self, range_id: u32) -> Self {
        self.blank.range_id = range_id;
        self
    }

    /// Call before each node: decides whether the node is recorded, and waits where a subscriber holds the run.
    #[inline]
    pub fn before(&mut self) {
        if self.tap.is_on() {
            self.start();
        } else if self.is_on {
            self.is_on = false;
            self.stamp = None;
        }
    }

    fn start(&mut self) {
        self.is_on = true;
        if self.tap.is_gated() {
            self.wait_for_room();
        }
        self.relieve();
        if self.stamp.is_none() {
            self.stamp = Some(clock::ticks());
        }
    }

    /// Call after each node: records it. The node's end is the next one's start.
    #[inline]
    pub fn after(&mut self, op_id: u32, flags: Flags) {
        let Some(start) = self.stamp else { return };
        let end = clock::ticks();
        self.stamp = Some(end);
        let flags = Flags::from_bits(flags.bits() | Flags::TICKS.bits());
        let sequence = self.trail.sequence.load(Relaxed);
        self.trail.sequence.store(sequence + 1, Relaxed);
        self.push(OpRecord {
            start_ns: start,
            end_ns: end,
            op_id,
            flags,
            sequence,
            ..self.blank
        });
    }

    /// Pushes a record as it stands, but for what the run knows better: run, model, device, thread and range.
    #[inline]
    pub(crate) fn push_scripted(&mut self, record: OpRecord) {
        if self.is_on {
            let OpRecord {
                start_ns,
                end_ns,
                flags,
                op_id,
                stream_id,
                sequence,
                ..
            } = record;
            self.push(OpRecord {
                start_ns,
                end_ns,
                flags,
                op_id,
                stream_id,
                sequence,
                ..self.blank
            });
        }
    }

    /// Tells subscribers of ops that never came.
    pub(crate) fn report(&mut self, stream_id: u32, first_sequence: u64, count: u64) {
        if self.is_on {
            let mut ring = self.ring.take().unwrap_or_else(|| self.open_ring());
            ring.push_control(OpRecord::loss(Loss {
                stream_id,
                first_sequence,
                count,
                ..self.loss()
            }));
            self.ring = Some(ring);
        }
    }

    fn loss(&self) -> Loss {
        let OpRecord {
            stream_id,
            model_id,
            run_id,
            device_id,
            ..
        } = self.blank;
        Loss {
            stream_id,
            model_id,
            run_id,
            device_id,
            first_sequence: 0,
            count: 0,
        }
    }

    #[inline]
    fn push(&mut self, record: OpRecord) {
        if self.ring.is_none() {
            self.ring = Some(self.open_ring());
        }
        let Some(ring) = &mut self.ring else { return };
        let pushed = match self.lost {
            None => ring.producer.push(Item(record)),
            Some(loss) => ring
                .producer
                .push_after(Item(OpRecord::loss(loss)), Item(record)),
        };
        ring.wake();
        match pushed {
            Ok(()) => self.lost = None,
            Err(_) => self.lose(&record),
        }
    }

    /// Takes the thread's ring; where the stream's last record lies in another one, that one is drained first.
    #[cold]
    fn open_ring(&self) -> ThreadRing {
        let mut ring = ThreadRing::borrow(self.profiler);
        let (last_ring, position) = (
            self.trail.ring.load(Relaxed),
            self.trail.position.load(Relaxed),
        );
        if position > 0 && last_ring != ring.id {
            ring.push_control(OpRecord::fence(last_ring, position));
        }
        ring
    }

    #[cold]
    fn lose(&mut self, record: &OpRecord) {
        let first = Loss {
            stream_id: record.stream_id,
            first_sequence: record.sequence,
            ..self.loss()
        };
        self.lost.get_or_insert(first).count += 1;
    }

    /// Waits while a `block` subscriber is full, what is still in the ring included.
    #[cold]
    fn wait_for_room(&mut self) {
        let gates = self.tap.gates(self.blank.run_id);
        let undrained = self.undrained();
        if !self.profiler.is_any_full(&gates, undrained) {
            return;
        }
        self.profiler.drain();
        for gate in gates.iter().filter(|gate| gate.is_full(0)) {
            self.stamp = None;
            self.holder
                .held(&mut || gate.hold(&|| self.holder.is_cancelled()));
        }
    }

    fn undrained(&mut self) -> usize {
        self.ring
            .as_mut()
            .map_or(0, |ring| ring.producer.occupied())
    }

    /// Drains the line if the ring is nearly full and nobody else is at it.
    #[inline]
    fn relieve(&mut self) {
        if self.undrained() > NEARLY_FULL {
            self.profiler.try_drain();
        }
    }

    /// Drains the line if the ring is nearly full, after whoever is at it.
    pub(crate) fn make_room(&mut self) {
        if self.undrained() > NEARLY_FULL {
            self.profiler.drain();
        }
    }
}

impl Drop for Recorder<'_> {
    /// Tells what the ring refused last, and where the stream's records lie.
    fn drop(&mut self) {
        self.tap.leave(self.blank.run_id);
        let Some(mut ring) = self.ring.take() else {
            return;
        };
        if let Some(loss) = self.lost.take() {
            ring.push_control(OpRecord::loss(loss));
        }
        self.trail.ring.store(ring.id, Relaxed);
        self.trail.position.store(ring.producer.position(), Relaxed);
        ring.give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread_ring::RING_RESERVE;
    use crate::{Kinds, Overflow, Settings, Subscription, Target};
    use std::time::Duration;

    struct Free;

    impl Holder for Free {
        fn held(&self, wait: &mut dyn FnMut()) {
            wait();
        }

        fn is_cancelled(&self) -> bool {
            false
        }
    }

    #[test]
    fn what_a_full_ring_refuses_is_counted_exactly() {
        let profiler = Profiler::global();
        let tap = profiler.add_model(u32::MAX, 0);
        let settings = Settings {
            targets: vec![Target::Model(u32::MAX)],
            overflow: Overflow::DropOldest,
            capacity: 1 << 20,
            kinds: Kinds::OPS,
            filter: None,
            coalesce: Duration::ZERO,
        };
        let subscription = Subscription::open(profiler, settings).unwrap();
        let trail = Trail::default();
        let record = |count| {
            let mut recorder = Recorder::new(profiler, &tap, &trail, &Free, 1, 1);
            recorder.ring = Some(ThreadRing::borrow(profiler));
            let line = profiler.line();
            (0..count).for_each(|_| {
                recorder.before();
                recorder.after(0, Flags::NONE);
            });
            drop(line);
        };
        record(RING_RECORDS + 1000);
        profiler.drain();
        record(10);
        let account = subscription.statistics();
        let lost = (1000 + RING_RESERVE) as u64;
        assert_eq!(account.counters.dropped[crate::Reason::Ring as usize], lost);
        assert_eq!(account.in_flight, (RING_RECORDS - RING_RESERVE + 10) as u64);
    }
}
