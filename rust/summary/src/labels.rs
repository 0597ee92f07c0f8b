//! From the ids of operators to slots, remembered for each plan.

use std::ops::Range;
use std::sync::{Arc, Weak};

use optap_record::OpLease;

use crate::by::By;
use crate::key::Key;
use crate::rows::Rows;

const UNKNOWN: u32 = u32::MAX;

/// The slots of one plan's operators.
///
/// It holds no lease, or a plan would never end; its weak reference keeps the address from being used again.
#[derive(Debug)]
struct Plan {
    lease: Weak<OpLease>,
    slots: Vec<u32>,
}

/// The slots of all plans that were seen and live.
#[derive(Debug)]
pub(crate) struct Labels {
    by: By,
    plans: Vec<Plan>,
    ids: Range<u32>,
    plan: usize,
}

impl Labels {
    pub(crate) fn new(by: By) -> Self {
        Self {
            by,
            plans: Vec::new(),
            ids: 0..0,
            plan: 0,
        }
    }

    /// Forgets the plan of the last batch: its ids may mean another one now.
    pub(crate) fn begin(&mut self) {
        self.ids = 0..0;
    }

    /// The slot of `op_id` in a batch with these leases.
    #[inline]
    pub(crate) fn slot(&mut self, op_id: u32, leases: &[Arc<OpLease>], rows: &mut Rows) -> u32 {
        if self.ids.contains(&op_id) {
            let slot = self.plans[self.plan].slots[(op_id - self.ids.start) as usize];
            if slot != UNKNOWN {
                return slot;
            }
        }
        self.look_up(op_id, leases, rows)
    }

    #[cold]
    fn look_up(&mut self, op_id: u32, leases: &[Arc<OpLease>], rows: &mut Rows) -> u32 {
        let found = leases
            .iter()
            .find_map(|lease| Some((lease, lease.get(op_id)?)));
        let Some((lease, info)) = found else {
            return rows.slot(Key::None);
        };
        self.plan = self.plan_of(lease);
        self.ids = lease.ids();
        let slot = &mut self.plans[self.plan].slots[(op_id - self.ids.start) as usize];
        if *slot == UNKNOWN {
            *slot = rows.slot(Key::of_op(info, self.by));
        }
        *slot
    }

    fn plan_of(&mut self, lease: &Arc<OpLease>) -> usize {
        let is_it = |plan: &Plan| std::ptr::eq(plan.lease.as_ptr(), Arc::as_ptr(lease));
        self.plans.iter().position(is_it).unwrap_or_else(|| {
            self.plans.retain(|plan| plan.lease.strong_count() > 0);
            self.plans.push(Plan {
                lease: Arc::downgrade(lease),
                slots: vec![UNKNOWN; lease.len()],
            });
            self.plans.len() - 1
        })
    }
}
