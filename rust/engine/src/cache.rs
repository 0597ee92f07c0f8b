//! Plans kept by the shapes that they were compiled for.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::{Error, Plan};

/// A plan that is there, being compiled, or failed to compile.
type Slot = Arc<OnceLock<Result<Arc<Plan>, Error>>>;

/// A bounded cache; the plan that was used longest ago leaves first.
///
/// Only the search holds the lock, so shapes compile side by side, and requests for one set of shapes
/// wait for the first of them.
pub(crate) struct PlanCache {
    limit: usize,
    entries: Mutex<Vec<Entry>>,
}

struct Entry {
    shapes: Vec<Vec<usize>>,
    slot: Slot,
}

impl PlanCache {
    pub(crate) fn new(limit: usize) -> PlanCache {
        PlanCache {
            limit,
            entries: Mutex::new(Vec::new()),
        }
    }

    /// How many plans are kept.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// The plan for `shapes`, compiled by `compile` unless it is kept. A failure is told to everyone
    /// who waited and then forgotten.
    pub(crate) fn get(
        &self,
        shapes: &[&[usize]],
        compile: impl FnOnce() -> Result<Plan, Error>,
    ) -> Result<Arc<Plan>, Error> {
        let slot = self.slot(shapes);
        let plan = slot.get_or_init(|| compile().map(Arc::new)).clone();
        if plan.is_err() {
            self.lock().retain(|entry| !Arc::ptr_eq(&entry.slot, &slot));
        }
        plan
    }

    /// The slot for `shapes`, moved to the end of the line.
    fn slot(&self, shapes: &[&[usize]]) -> Slot {
        let mut entries = self.lock();
        let entry = match entries.iter().position(|entry| entry.shapes == shapes) {
            Some(index) => entries.remove(index),
            None => Entry {
                shapes: shapes.iter().map(|shape| shape.to_vec()).collect(),
                slot: Slot::default(),
            },
        };
        let slot = Arc::clone(&entry.slot);
        if entries.len() >= self.limit {
            entries.remove(0);
        }
        entries.push(entry);
        slot
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
