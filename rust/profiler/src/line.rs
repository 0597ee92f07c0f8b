//! From rings to queues: one pass under one lock.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use optap_record::{Kind, OpLease, OpRecord};
use optap_ring::{Consumer, RingSet};

use crate::annotation::listen;
use crate::begun::Begun;
use crate::block::Block;
use crate::clock::{self, Clock};
use crate::filter::Sieve;
use crate::kinds::Kinds;
use crate::staging::{Item, Leases, Losses, Staged, Staging};
use crate::subscriber::Subscriber;
use crate::tap::Tap;
use crate::target::Common;

/// Records that one ring hands over before the next ring's turn.
const CHUNK_RECORDS: usize = 4096;

/// A subscriber with what only the drainer needs.
struct Entry {
    subscriber: Arc<Subscriber>,
    sieve: Option<Sieve>,
    ring_at: Option<Instant>,
    /// When it was attached: an open range that began before is not for it.
    since_ns: u64,
}

/// Rings, names and subscribers; the state behind the drain lock.
#[derive(Default)]
pub struct Line {
    rings: RingSet<Item>,
    clock: Clock,
    leases: Leases,
    begun: Begun,
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
        let since_ns = self.now_ns();
        self.drain();
        self.entries.push(Entry {
            subscriber: subscriber.clone(),
            sieve,
            ring_at: None,
            since_ns,
        });
        self.listen();
        self.live_taps().for_each(|tap| tap.attach(subscriber));
    }

    /// Hands over what was pushed so far, then admits nothing more for `subscriber`.
    pub(crate) fn detach(&mut self, subscriber: &Arc<Subscriber>) {
        self.drain();
        let is_its = |entry: &Entry| Arc::ptr_eq(&entry.subscriber, subscriber);
        let Some(at) = self.entries.iter().position(is_its) else {
            return;
        };
        let mut entry = self.entries.swap_remove(at);
        self.tell_unclosed(&mut entry);
        self.listen();
        self.live_taps().for_each(|tap| tap.detach(subscriber));
    }

    /// Hands over the ranges that have not ended, but for those that began before the subscriber came.
    fn tell_unclosed(&mut self, entry: &mut Entry) {
        if entry.subscriber.kinds().contains(Kind::RANGE) {
            let now_ns = self.now_ns();
            let unclosed = self.begun.unclosed(entry.since_ns, now_ns);
            entry.sift(&Arc::new(unclosed), &Losses::new());
        }
    }

    /// Tells which kinds somebody listens to.
    fn listen(&mut self) {
        let kinds = self.entries.iter().map(|entry| entry.subscriber.kinds());
        let kinds = kinds.fold(Kinds::NONE, |all, kinds| all | kinds);
        listen(kinds);
        if !kinds.contains(Kind::RANGE) {
            self.begun.clear();
        }
    }

    /// Now, on the clock of the records that are pushed from now on.
    fn now_ns(&mut self) -> u64 {
        let now = clock::ticks();
        self.clock.advance();
        self.clock.ns(now)
    }

    /// Ranges that have begun and not ended, as far as somebody listens to ranges.
    pub(crate) fn open_ranges(&mut self) -> usize {
        self.drain();
        self.begun.len()
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
        let (clock, leases, begun) = (&self.clock, &self.leases, &mut self.begun);
        self.rings.drain(CHUNK_RECORDS, &mut |items: &[Item]| {
            items
                .iter()
                .for_each(|item| staging.take(item.0, clock, leases, begun))
        });
        self.last_block_records = staging.len();
        let staged = staging.finish();
        for entry in &mut self.entries {
            entry.offer(&staged);
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

impl Entry {
    fn offer(&mut self, staged: &Staged) {
        let Staged {
            block,
            common,
            losses,
            has_annotations,
        } = staged;
        let targets = self.subscriber.targets();
        let takes_ops = self.subscriber.kinds().contains(Kind::OP);
        let is_alike = |common: &Common| targets.iter().any(|target| common.all_from(*target));
        if !takes_ops && !has_annotations {
            return;
        }
        if takes_ops && self.sieve.is_none() && common.as_ref().is_some_and(is_alike) {
            self.deliver(block, losses, 0);
        } else {
            self.sift(block, losses);
        }
    }

    /// Delivers a copy of those records that the subscriber wants.
    fn sift(&mut self, block: &Arc<Block>, losses: &Losses) {
        let (compact, losses, refused) = self.compact(block, losses);
        self.deliver(&compact, &losses, refused);
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
