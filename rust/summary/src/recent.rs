//! Slots found lately.

/// Must be a power of two.
const ENTRIES: usize = 64;

/// A small direct-mapped cache from ids to slots.
#[derive(Debug)]
pub(crate) struct Recent([(u64, u32); ENTRIES]);

/// Stands for a slot that was not found yet.
const UNKNOWN: u32 = u32::MAX;

impl Default for Recent {
    fn default() -> Self {
        Self([(0, UNKNOWN); ENTRIES])
    }
}

impl Recent {
    /// The slot of `id`, found by `find` unless it was found lately.
    #[inline]
    pub(crate) fn get(&mut self, id: u64, find: impl FnOnce() -> u32) -> u32 {
        let entry = &mut self.0[place(id)];
        if entry.0 != id || entry.1 == UNKNOWN {
            *entry = (id, find());
        }
        entry.1
    }

    /// Forgets the slot of `id`.
    pub(crate) fn forget(&mut self, id: u64) {
        let entry = &mut self.0[place(id)];
        if entry.0 == id {
            entry.1 = UNKNOWN;
        }
    }
}

#[inline]
fn place(id: u64) -> usize {
    (id ^ (id >> 32)) as usize & (ENTRIES - 1)
}
