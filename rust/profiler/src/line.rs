//! From rings to queues: one pass under one lock.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use optap_record::{Flags, Kind, OpLease, OpRecord};
use optap_ring::{Consumer, Fence, Fenced, RingSet};

use crate::block::{Block, buffer};
use crate::clock::Clock;
use crate::filter::Sieve;
use crate::subscriber::Subscriber;
use crate::tap::Tap;
use crate::target::Common;

/// Records that one ring hands over before the next ring's turn.
const CHUNK_RECORDS: usize = 4096;

/// A record in a ring; its fences are known to the ring set.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Item(pub OpRecord);

impl Fenced for Item {
    #[inline]
    fn fence(&self) -> Option<Fence> {
        self.0.as_fence().map(|fence| Fence {
            ring: fence.ring,
            position: fence.position,
        })
    }
}

/// A subscriber with what only the drainer needs.
struct Entry {
    subscriber: Arc<Subscriber>,
    sieve: Option<Sieve>,
    ring_at: Option<Instant>,
}

/// Rings, names and subscribers; the state behind the drain lock.
#[derive(Default)]
pub struct Line {
    rings: RingSet<Item>,
    clock: Clock,
    leases: BTreeMap<u32, Arc<OpLease>>,
    entries: Vec<Entry>,
    taps: HashMap<u32, Weak<Tap>>,
    last_block_records: usize,
}

impl Line {
    pub(crate) fn add_ring(&mut self, consumer: Consumer<Item>) -> u32 {
        self.rings.add(consumer)
    }

    pub(crate) fn add_tap(&mut self, tap: &Arc<Tap>) {
        self.taps.retain(|_, tap| tap.strong_count() > 0);
        self.taps.insert(tap.model_id(), Arc::downgrade(tap));
        self.entries
            .iter()
            .for_each(|entry| tap.attach(&entry.subscriber));
    }

    /// Keeps the names of `lease`. One of no ops has no id of its own, and would take the place of another.
    pub(crate) fn add_lease(&mut self, lease: &Arc<OpLease>) {
        if lease.is_empty() {
            return;
        }
        self.leases.insert(lease.first_id(), lease.clone());
    }

    /// Lets the lease go, after handing over every record that needs its names.
    pub(crate) fn retire_lease(&mut self, lease: &OpLease) {
        if lease.is_empty() {
            return;
        }
        self.drain();
        self.leases.remove(&lease.first_id());
        let sieves = self
            .entries
            .iter_mut()
            .filter_map(|entry| entry.sieve.as_mut());
        sieves.for_each(|sieve| sieve.forget(&lease.ids()));
    }

    /// Starts to record for `subscriber`: what was pushed before is not for it.
    pub(crate) fn attach(&mut self, subscriber: &Arc<Subscriber>, sieve: Option<Sieve>) {
        self.drain();
        self.entries.push(Entry {
            subscriber: subscriber.clone(),
            sieve,
            ring_at: None,
        });
        self.live_taps().for_each(|tap| tap.attach(subscriber));
    }

    /// Hands over what was pushed so far, then admits nothing more for `subscriber`.
    pub(crate) fn detach(&mut self, subscriber: &Arc<Subscriber>) {
        self.drain();
        let before = self.entries.len();
        self.entries
            .retain(|entry| !Arc::ptr_eq(&entry.subscriber, subscriber));
        if self.entries.len() < before {
            self.live_taps().for_each(|tap| tap.detach(subscriber));
        }
    }

    fn live_taps(&self) -> impl Iterator<Item = Arc<Tap>> {
        self.taps.values().filter_map(Weak::upgrade)
    }

    pub(crate) fn has_subscribers(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Whether no record waits in a ring.
    pub(crate) fn is_drained(&mut self) -> bool {
        self.rings.is_empty()
    }

    /// Hands every record pushed before the call to its subscribers; returns whether there was one.
    pub(crate) fn drain(&mut self) -> bool {
        let is_busy = !self.is_drained();
        if is_busy {
            self.pass();
        }
        is_busy
    }

    fn pass(&mut self) {
        let mut staging = Staging::with_capacity(self.last_block_records);
        self.clock.advance();
        let (clock, leases) = (&self.clock, &self.leases);
        self.rings.drain(CHUNK_RECORDS, &mut |items: &[Item]| {
            items
                .iter()
                .for_each(|item| staging.take(item.0, clock, leases))
        });
        self.last_block_records = staging.records.len();
        let block = Arc::new(Block::new(staging.records, staging.leases));
        let common = Common::of(block.records());
        for entry in &mut self.entries {
            entry.offer(&block, common.as_ref(), &staging.losses);
        }
    }

    /// Rings the doorbells that are due, and says how long the drainer may rest after a pass.
    pub(crate) fn rest(&mut self, now: Instant, is_busy: bool) -> Rest {
        let due = self
            .entries
            .iter_mut()
            .filter_map(|entry| entry.ring_due(now))
            .min();
        let window = self
            .entries
            .iter()
            .map(|entry| entry.subscriber.coalesce())
            .min();
        match (due, window) {
            (Some(due), _) => Rest::Until(due),
            (None, None) => Rest::Alone,
            (None, Some(window)) if is_busy && window > Duration::ZERO => Rest::Until(now + window),
            (None, Some(_)) => Rest::Idle,
        }
    }
}

/// How long the drainer may rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Until a moment, whatever is pushed meanwhile.
    Until(Instant),
    /// Until something is pushed.
    Idle,
    /// Nobody subscribes.
    Alone,
}

/// Loss records, each with the number of records before it.
type Losses = Vec<(usize, OpRecord)>;

/// The block being filled.
#[derive(Default)]
struct Staging {
    records: Vec<OpRecord>,
    leases: Vec<Arc<OpLease>>,
    losses: Losses,
}

impl Staging {
    fn with_capacity(records: usize) -> Self {
        Self {
            records: buffer(records),
            ..Self::default()
        }
    }

    #[inline]
    fn take(&mut self, mut record: OpRecord, clock: &Clock, leases: &BTreeMap<u32, Arc<OpLease>>) {
        if record.kind == Kind::LOSS {
            return self.losses.push((self.records.len(), record));
        }
        if record.flags.contains(Flags::TICKS) {
            record.start_ns = clock.ns(record.start_ns);
            record.end_ns = clock.ns(record.end_ns);
            record.flags.remove(Flags::TICKS);
        }
        record.flag_times();
        if !self
            .leases
            .last()
            .is_some_and(|lease| lease.contains(record.op_id))
        {
            self.lease(record.op_id, leases);
        }
        self.records.push(record);
    }

    /// Keeps the names of `op_id`, and moves them to where the next record looks first.
    fn lease(&mut self, op_id: u32, leases: &BTreeMap<u32, Arc<OpLease>>) {
        if let Some(at) = self.leases.iter().position(|lease| lease.contains(op_id)) {
            let last = self.leases.len() - 1;
            return self.leases.swap(at, last);
        }
        let below = leases.range(..=op_id).next_back().map(|(_, lease)| lease);
        self.leases
            .extend(below.filter(|lease| lease.contains(op_id)).cloned());
    }
}

impl Entry {
    fn offer(&mut self, block: &Arc<Block>, common: Option<&Common>, losses: &Losses) {
        let targets = self.subscriber.targets();
        let takes_all = self.sieve.is_none()
            && common.is_some_and(|common| targets.iter().any(|target| common.all_from(*target)));
        if takes_all {
            self.deliver(block, losses, 0);
        } else {
            let (compact, losses, refused) = self.compact(block, losses);
            self.deliver(&compact, &losses, refused);
        }
    }

    fn compact(&mut self, block: &Arc<Block>, losses: &Losses) -> (Arc<Block>, Losses, u64) {
        let (mut chosen, mut moved, mut refused, mut from) = (Vec::new(), Losses::new(), 0, 0);
        for (at, loss) in losses {
            refused += self.choose(block, from..*at, &mut chosen);
            moved.push((chosen.len(), *loss));
            from = *at;
        }
        refused += self.choose(block, from..block.records().len(), &mut chosen);
        (
            Arc::new(Block::new(chosen, block.leases().to_vec())),
            moved,
            refused,
        )
    }

    /// Copies the records of `range` that the subscriber wants; returns how many its filter refused.
    fn choose(&mut self, block: &Block, range: Range<usize>, chosen: &mut Vec<OpRecord>) -> u64 {
        let mut refused = 0;
        for record in block.records()[range]
            .iter()
            .filter(|record| self.subscriber.covers(record))
        {
            let wanted = self
                .sieve
                .as_mut()
                .is_none_or(|sieve| sieve.passes(record, block.info(record.op_id)));
            if wanted {
                chosen.push(*record);
            } else {
                refused += 1;
            }
        }
        refused
    }

    fn deliver(&self, block: &Arc<Block>, losses: &Losses, refused: u64) {
        self.subscriber.with_queue(|queue| {
            queue.refuse(refused);
            let mut from = 0;
            for (at, loss) in losses {
                queue.offer(block, from..*at);
                from = *at;
                let lost = loss.as_loss().filter(|_| self.subscriber.covers(loss));
                queue.lose_in_ring(lost.map_or(0, |loss| loss.count));
            }
            queue.offer(block, from..block.records().len());
        });
    }

    fn ring_due(&mut self, now: Instant) -> Option<Instant> {
        if !self.subscriber.is_awaited() {
            self.ring_at = None;
            return None;
        }
        let due = *self
            .ring_at
            .get_or_insert_with(|| now + self.subscriber.coalesce());
        if due > now && self.subscriber.coalesce() > Duration::ZERO {
            return Some(due);
        }
        self.ring_at = None;
        self.subscriber.signal().notify();
        None
    }
}
