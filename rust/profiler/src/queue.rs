//! The ops that one subscriber has not read yet, and the account of them.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use optap_record::OpRecord;

use crate::block::{Block, Slice};
use crate::lent::Lent;
use crate::open_slice::OpenSlice;
use crate::policy::Overflow;

/// Why an op was not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The subscriber's queue was full.
    Overflow,
    /// The producing thread's ring was full.
    Ring,
    /// The subscription was closed before the op was read.
    Closed,
    /// A `block` subscription had no reader for too long.
    Stalled,
}

impl Reason {
    /// Every reason, in the order of [`Counters::dropped`].
    pub const ALL: [Self; 4] = [Self::Overflow, Self::Ring, Self::Closed, Self::Stalled];

    /// The name in `statistics()`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overflow => "overflow",
            Self::Ring => "ring",
            Self::Closed => "closed",
            Self::Stalled => "stalled",
        }
    }
}

/// The account of one subscriber. `produced == delivered + dropped + in flight` at any moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Ops meant for this subscriber.
    pub produced: u64,
    /// Ops returned to the reader.
    pub delivered: u64,
    /// Ops lost, by [`Reason`].
    pub dropped: [u64; Reason::ALL.len()],
    /// Ops that the filter refused; not part of `produced`.
    pub filtered: u64,
}

impl Counters {
    /// Ops lost, for whatever reason.
    pub fn dropped_total(&self) -> u64 {
        self.dropped.iter().sum()
    }
}

/// Whether a queue takes and gives ops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Takes and gives.
    Open,
    /// Takes no more; the reader may take the rest.
    Ending,
    /// Neither takes nor gives.
    Closed,
}

/// A bounded queue of slices.
#[derive(Debug)]
pub struct Queue {
    lent: Option<Lent>,
    slices: VecDeque<Slice>,
    length: usize,
    capacity: usize,
    overflow: Overflow,
    tail_gap: u64,
    stalled: bool,
    phase: Phase,
    counters: Counters,
}

impl Queue {
    /// An empty, open queue for `capacity` ops.
    pub fn new(overflow: Overflow, capacity: usize) -> Self {
        let capacity = if overflow == Overflow::Latest {
            1
        } else {
            capacity
        };
        Self {
            lent: None,
            slices: VecDeque::new(),
            length: 0,
            capacity,
            overflow,
            tail_gap: 0,
            stalled: false,
            phase: Phase::Open,
            counters: Counters::default(),
        }
    }

    /// The account at this moment, and the ops in the queue, counted.
    pub fn account(&self) -> (Counters, u64) {
        let queued: u64 = self.slices.iter().map(|slice| slice.len() as u64).sum();
        let mut counters = self.counters;
        let Some(lent) = &self.lent else {
            return (counters, queued);
        };
        let position = lent.open.position();
        counters.delivered += lent.read(position.next);
        (counters, queued + position.left() as u64)
    }

    /// Ops in the queue.
    pub fn len(&self) -> usize {
        self.length
            + self
                .lent
                .as_ref()
                .map_or(0, |lent| lent.open.position().left())
    }

    /// Whether no op waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Most ops that the queue keeps.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether the queue takes and gives ops.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether a reader that has used up its slice would get something: an op, the last gap or the end.
    pub fn is_ready(&self) -> bool {
        self.length > 0 || self.phase != Phase::Open
    }

    /// Counts ops that the filter refused.
    pub fn refuse(&mut self, count: u64) {
        self.counters.filtered += count;
    }

    /// Takes ops of `block` in order, or drops what the policy says.
    pub fn offer(&mut self, block: &Arc<Block>, range: Range<usize>) {
        self.counters.produced += range.len() as u64;
        match self.overflow {
            Overflow::DropNewest => self.offer_within(block, range, Reason::Overflow),
            Overflow::Block if self.stalled => self.offer_within(block, range, Reason::Stalled),
            Overflow::Block => self.append_gated(block, range),
            Overflow::DropOldest | Overflow::Latest => self.offer_newest(block, range),
        }
    }

    /// Ops passed the gate. Annotations wait for nobody, so they are dropped where there is no room.
    fn append_gated(&mut self, block: &Arc<Block>, range: Range<usize>) {
        if self.len() + range.len() <= self.capacity {
            return self.append(block, range);
        }
        let mut from = range.start;
        let is_alike = |one: &OpRecord, other: &OpRecord| {
            one.kind.is_annotation() == other.kind.is_annotation()
        };
        for run in block.records()[range].chunk_by(is_alike) {
            let range = from..from + run.len();
            from = range.end;
            if run[0].kind.is_annotation() {
                self.offer_within(block, range, Reason::Overflow);
            } else {
                self.append(block, range);
            }
        }
    }

    fn offer_within(&mut self, block: &Arc<Block>, range: Range<usize>, reason: Reason) {
        let room = self.capacity.saturating_sub(self.len()).min(range.len());
        let cut = range.start + room;
        self.append(block, range.start..cut);
        self.drop_at_tail(range.end.saturating_sub(cut) as u64, reason);
    }

    fn offer_newest(&mut self, block: &Arc<Block>, range: Range<usize>) {
        let surplus = range.len().saturating_sub(self.capacity);
        let excess = (self.len() + range.len() - surplus).saturating_sub(self.capacity);
        self.drop_oldest(excess);
        self.drop_at_tail(surplus as u64, Reason::Overflow);
        self.append(block, range.start + surplus..range.end);
    }

    fn append(&mut self, block: &Arc<Block>, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        self.length += range.len();
        let gap = std::mem::take(&mut self.tail_gap);
        match self.slices.back_mut() {
            Some(last)
                if gap == 0 && Arc::ptr_eq(&last.block, block) && last.range.end == range.start =>
            {
                last.range.end = range.end
            }
            _ => self.slices.push_back(Slice {
                block: block.clone(),
                range,
                gap,
            }),
        }
    }

    /// Counts `count` ops as lost after the newest one.
    pub fn drop_at_tail(&mut self, count: u64, reason: Reason) {
        self.tail_gap += count;
        self.counters.dropped[reason as usize] += count;
    }

    /// Counts ops that a full ring lost before this queue saw them.
    pub fn lose_in_ring(&mut self, count: u64) {
        self.counters.produced += count;
        self.drop_at_tail(count, Reason::Ring);
    }

    fn drop_oldest(&mut self, mut excess: usize) {
        excess -= self.withdraw(excess);
        while let Some(mut front) = (excess > 0).then(|| self.slices.pop_front()).flatten() {
            let lost = front.split_front(excess);
            self.length -= lost.len();
            excess -= lost.len();
            self.counters.dropped[Reason::Overflow as usize] += lost.len() as u64;
            let gap = lost.gap + lost.len() as u64;
            if front.is_empty() {
                self.carry_gap(gap);
            } else {
                self.slices.push_front(Slice { gap, ..front });
            }
        }
    }

    /// Drops up to `most` ops of the lent slice; returns how many.
    fn withdraw(&mut self, most: usize) -> usize {
        let Some(lent) = &mut self.lent else { return 0 };
        let taken = lent.withdraw(most);
        self.counters.dropped[Reason::Overflow as usize] += taken as u64;
        if lent.open.position().left() == 0 {
            self.take_back();
        }
        taken
    }

    /// Ends the loan: what was not read comes back to the front, and what was lost is told by what follows.
    pub(crate) fn take_back(&mut self) {
        let Some(lent) = self.lent.take() else { return };
        let (next, left) = lent.open.withdraw(usize::MAX);
        self.counters.delivered += lent.read(next);
        let gap = lent.gap_at(next);
        if left == 0 {
            return self.carry_gap(gap);
        }
        self.length += left;
        self.slices.push_front(Slice {
            block: lent.open.block().clone(),
            range: next..next + left,
            gap,
        });
    }

    /// Lends the oldest slice to a reader that takes op by op.
    pub(crate) fn lend(&mut self) -> Option<Arc<OpenSlice>> {
        if self.phase == Phase::Closed {
            return None;
        }
        self.take_back();
        self.stalled = false;
        let slice = self.slices.pop_front()?;
        self.length -= slice.len();
        let lent = self.lent.insert(Lent::new(slice));
        Some(lent.open.clone())
    }

    fn carry_gap(&mut self, gap: u64) {
        match self.slices.front_mut() {
            Some(next) => next.gap += gap,
            None => self.tail_gap += gap,
        }
    }

    /// Returns the oldest ops, at most `most` and all of one block; an empty slice tells the gap at the end.
    pub fn take(&mut self, most: usize) -> Option<Slice> {
        self.take_back();
        if self.phase == Phase::Closed {
            return self.take_last_gap();
        }
        let Some(front) = self.slices.front_mut() else {
            return self.take_last_gap();
        };
        let taken = front.split_front(most);
        if front.is_empty() {
            self.slices.pop_front();
        }
        self.length -= taken.len();
        self.counters.delivered += taken.len() as u64;
        self.stalled = false;
        Some(taken)
    }

    /// As [`take`](Self::take), but copies ops of several blocks together where one block holds fewer than `most`.
    /// A gap between them ends the copy, for a batch tells only what was lost before its first op.
    pub fn take_joined(&mut self, most: usize) -> Option<Slice> {
        let first = self.take(most)?;
        let joins = |queue: &Self, len: usize| {
            len < most && queue.slices.front().is_some_and(|next| next.gap == 0)
        };
        if !joins(self, first.len()) || first.is_empty() {
            return Some(first);
        }
        let mut records = first.records().to_vec();
        let mut leases = first.block.leases().to_vec();
        while joins(self, records.len()) {
            let Some(next) = self.take(most - records.len()) else {
                break;
            };
            records.extend_from_slice(next.records());
            let fresh = next
                .block
                .leases()
                .iter()
                .filter(|lease| !leases.iter().any(|known| Arc::ptr_eq(known, lease)));
            let fresh: Vec<_> = fresh.cloned().collect();
            leases.extend(fresh);
        }
        let range = 0..records.len();
        Some(Slice {
            block: Arc::new(Block::new(records, leases)),
            range,
            gap: first.gap,
        })
    }

    fn take_last_gap(&mut self) -> Option<Slice> {
        let ended = self.phase != Phase::Open && self.tail_gap > 0;
        ended.then(|| Slice::of_gap(std::mem::take(&mut self.tail_gap)))
    }

    /// Lets a `block` queue drop instead of holding the runtime, until it is read again.
    pub fn stall(&mut self) {
        self.stalled = true;
    }

    /// Whether a `block` queue has been given up on until it is read again.
    pub fn is_stalled(&self) -> bool {
        self.stalled
    }

    /// Takes no more ops; the reader may take the rest.
    pub fn end(&mut self) {
        if self.phase == Phase::Open {
            self.phase = Phase::Ending;
        }
    }

    /// Takes and gives no more; what was not read is dropped.
    pub fn close(&mut self) {
        self.take_back();
        let rest = self.length as u64;
        let gaps: u64 = self.slices.drain(..).map(|slice| slice.gap).sum();
        self.length = 0;
        self.tail_gap += gaps;
        self.drop_at_tail(rest, Reason::Closed);
        self.phase = Phase::Closed;
    }
}
