//! Which range an operator's run was launched in.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use optap_record::{OpLease, OpRecord};

use crate::by::By;
use crate::key::Key;
use crate::recent::Recent;
use crate::rows::Rows;
use crate::sum::Sum;

/// Most ranges that are remembered after their end, for operators that come late; and most that are open.
const MOST_TOLD: usize = 1 << 20;
const MOST_OPEN: usize = 1 << 12;

/// Ranges by id. Operators come before the record of their range, which tells its name: until then they are summed
/// up in a slot that is lent.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    open: HashMap<u32, u32>,
    told: BTreeMap<u32, u32>,
    recent: Recent,
}

impl Ranges {
    /// Takes the range that `record` tells, and names the operators that were in it.
    pub(crate) fn tell(&mut self, record: &OpRecord, leases: &[Arc<OpLease>], rows: &mut Rows) {
        let info = leases.iter().find_map(|lease| lease.get(record.op_id));
        let slot = rows.slot(info.map_or(Key::Open, |info| Key::of_op(info, By::Range)));
        rows.sum(slot).add_span(record.duration_ns());
        if record.range_id == 0 {
            return;
        }
        if let Some(lent) = self.open.remove(&record.range_id) {
            rows.settle(lent, slot);
        }
        self.recent.forget(record.range_id.into());
        self.told.insert(record.range_id, slot);
        if self.told.len() > MOST_TOLD {
            self.told.pop_first();
        }
    }

    /// The slot for operators of the range `range_id`.
    #[inline]
    pub(crate) fn slot(&mut self, range_id: u32, rows: &mut Rows) -> u32 {
        let (open, told) = (&mut self.open, &self.told);
        self.recent
            .get(range_id.into(), || match told.get(&range_id) {
                Some(&slot) => slot,
                None if range_id == 0 => rows.slot(Key::None),
                None if open.len() >= MOST_OPEN => rows.slot(Key::Open),
                None => *open.entry(range_id).or_insert_with(|| rows.lend()),
            })
    }

    /// The operators of ranges that are still open.
    pub(crate) fn waiting(&self, rows: &Rows) -> Sum {
        let mut sum = Sum::default();
        let slots = self.open.values();
        slots.for_each(|&slot| sum.merge(rows.get(slot)));
        sum
    }
}
