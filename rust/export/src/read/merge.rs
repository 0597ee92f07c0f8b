//! Several profiles as one.

use std::collections::HashMap;

use optap_record::{OpInfo, OpRecord};

use super::builder::{append, in_order};
use super::profile::Profile;
use crate::prof::Anchor;

/// Puts profiles together, told by the clock of the first, of which there is one. Ids of ranges stay
/// apart; equal operators become one.
pub(crate) fn merge(mut whole: Profile, others: Vec<Profile>) -> Profile {
    if others.is_empty() {
        return whole;
    }
    let mut ids: HashMap<Vec<u8>, u32> = (1..)
        .zip(&whole.ops)
        .map(|(id, op)| (key(op), id))
        .collect();
    let mut last_range = last_range_of(&whole.records);
    for other in others {
        let own_ids: Vec<u32> = other
            .ops
            .into_iter()
            .map(|op| {
                *ids.entry(key(&op)).or_insert_with(|| {
                    whole.ops.push(op);
                    whole.ops.len() as u32
                })
            })
            .collect();
        let op = |id: u32| own_ids.get((id as usize).wrapping_sub(1)).copied();
        let ranges = last_range;
        last_range = ranges.saturating_add(last_range_of(&other.records));
        let records = other.records.into_iter().map(|record| OpRecord {
            op_id: op(record.op_id).unwrap_or(0),
            range_id: match record.range_id {
                0 => 0,
                id => id.saturating_add(ranges),
            },
            ..retold(record, other.anchor, whole.anchor)
        });
        whole.records.extend(records);
        whole.damages.extend(other.damages);
    }
    in_order(&mut whole.records);
    whole
}

/// All that an operator is.
fn key(op: &OpInfo) -> Vec<u8> {
    let mut key = op.flags.bits().to_le_bytes().to_vec();
    let names = [&op.name, &op.type_, &op.kernel].into_iter();
    names
        .chain(&op.sources)
        .for_each(|name| append(&mut key, name.as_bytes()));
    key
}

fn last_range_of(records: &[OpRecord]) -> u32 {
    let ids = records.iter().map(|record| record.range_id);
    ids.max().unwrap_or(0)
}

/// The record by another clock; unknown times stay unknown.
fn retold(record: OpRecord, from: Anchor, to: Anchor) -> OpRecord {
    let time = |ns: u64| {
        if ns == 0 || from == to || from == Anchor::NONE || to == Anchor::NONE {
            return ns;
        }
        to.monotonic_at(from.wall_ns(ns))
    };
    OpRecord {
        start_ns: time(record.start_ns),
        end_ns: time(record.end_ns),
        ..record
    }
}
