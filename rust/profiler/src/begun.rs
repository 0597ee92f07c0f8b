//! Ranges that have begun and not ended, so that a subscription that ends can be told of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use optap_record::{Flags, Kind, OpLease, OpRecord};

use crate::block::Block;

/// The `sequence` of a range that did not end.
const NO_SEQUENCE: u64 = u64::MAX;

/// The open ranges by their ids, with what keeps their names.
#[derive(Default)]
pub(crate) struct Begun(BTreeMap<u32, (OpRecord, Option<Arc<OpLease>>)>);

impl Begun {
    pub(crate) fn begin(&mut self, record: OpRecord, lease: Option<Arc<OpLease>>) {
        self.0.insert(record.range_id, (record, lease));
    }

    pub(crate) fn end(&mut self, range_id: u32) {
        self.0.remove(&range_id);
    }

    /// Forgets all: nobody listens to ranges any more.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The ranges that began at `since_ns` or later, ended at `now_ns` and flagged.
    pub(crate) fn unclosed(&self, since_ns: u64, now_ns: u64) -> Block {
        let chosen = self
            .0
            .values()
            .filter(|(record, _)| record.start_ns >= since_ns);
        let (records, leases): (Vec<_>, Vec<_>) = chosen
            .map(|(record, lease)| (unclosed(*record, now_ns), lease.clone()))
            .unzip();
        Block::new(records, leases.into_iter().flatten().collect())
    }
}

fn unclosed(mut record: OpRecord, now_ns: u64) -> OpRecord {
    record.kind = Kind::RANGE;
    record.end_ns = now_ns.max(record.start_ns);
    record.sequence = NO_SEQUENCE;
    record.flags.insert(Flags::UNCLOSED);
    record.flag_times();
    record
}
