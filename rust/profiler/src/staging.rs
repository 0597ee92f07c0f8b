//! The block that a pass of the drainer fills.

use std::collections::BTreeMap;
use std::sync::Arc;

use optap_record::{Flags, Kind, OpLease, OpRecord};
use optap_ring::{Fence, Fenced};

use crate::begun::Begun;
use crate::block::{Block, buffer};
use crate::clock::Clock;
use crate::target::Common;

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

/// The leases of the line, by the first id of each.
pub(crate) type Leases = BTreeMap<u32, Arc<OpLease>>;

/// The lease that names `op_id`.
pub(crate) fn lease_of(leases: &Leases, op_id: u32) -> Option<&Arc<OpLease>> {
    let below = leases.range(..=op_id).next_back().map(|(_, lease)| lease);
    below.filter(|lease| lease.contains(op_id))
}

/// Loss records, each with the number of records before it.
pub(crate) type Losses = Vec<(usize, OpRecord)>;

/// The block being filled.
#[derive(Default)]
pub(crate) struct Staging {
    records: Vec<OpRecord>,
    leases: Vec<Arc<OpLease>>,
    losses: Losses,
    has_annotations: bool,
}

impl Staging {
    pub(crate) fn with_capacity(records: usize) -> Self {
        Self {
            records: buffer(records),
            ..Self::default()
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    #[inline]
    pub(crate) fn take(
        &mut self,
        record: OpRecord,
        clock: &Clock,
        leases: &Leases,
        begun: &mut Begun,
    ) {
        if record.kind != Kind::OP {
            return self.take_other(record, clock, leases, begun);
        }
        self.keep(record, clock, leases);
    }

    #[cold]
    fn take_other(
        &mut self,
        mut record: OpRecord,
        clock: &Clock,
        leases: &Leases,
        begun: &mut Begun,
    ) {
        match record.kind {
            Kind::LOSS => return self.losses.push((self.records.len(), record)),
            Kind::BEGIN => {
                to_ns(&mut record, clock);
                return begun.begin(record, lease_of(leases, record.op_id).cloned());
            }
            Kind::RANGE => begun.end(record.range_id),
            _ => {}
        }
        self.has_annotations |= record.kind.is_annotation();
        self.keep(record, clock, leases);
    }

    #[inline]
    fn keep(&mut self, mut record: OpRecord, clock: &Clock, leases: &Leases) {
        to_ns(&mut record, clock);
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
    fn lease(&mut self, op_id: u32, leases: &Leases) {
        if let Some(at) = self.leases.iter().position(|lease| lease.contains(op_id)) {
            let last = self.leases.len() - 1;
            return self.leases.swap(at, last);
        }
        self.leases.extend(lease_of(leases, op_id).cloned());
    }

    pub(crate) fn finish(self) -> Staged {
        let common = (!self.has_annotations)
            .then(|| Common::of(&self.records))
            .flatten();
        Staged {
            block: Arc::new(Block::new(self.records, self.leases)),
            common,
            losses: self.losses,
            has_annotations: self.has_annotations,
        }
    }
}

/// What a pass hands to each subscriber.
pub(crate) struct Staged {
    pub(crate) block: Arc<Block>,
    /// What the records have in common; `None` for no records, and where some belong to no target.
    pub(crate) common: Option<Common>,
    pub(crate) losses: Losses,
    pub(crate) has_annotations: bool,
}

#[inline]
fn to_ns(record: &mut OpRecord, clock: &Clock) {
    if record.flags.contains(Flags::TICKS) {
        record.start_ns = clock.ns(record.start_ns);
        record.end_ns = clock.ns(record.end_ns);
        record.flags.remove(Flags::TICKS);
    }
}
