//! The sums, by key.

use std::collections::HashMap;

use crate::key::Key;
use crate::sum::Sum;

/// Sums in slots. A slot has a key, or is lent to a range that is still open.
#[derive(Debug)]
pub(crate) struct Rows {
    slots: HashMap<Key, u32>,
    sums: Vec<Sum>,
    free: Vec<u32>,
    limit: usize,
}

impl Rows {
    /// Room for `limit` keys; what comes beyond is summed up in one more row.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            slots: HashMap::new(),
            sums: Vec::new(),
            free: Vec::new(),
            limit,
        }
    }

    /// The slot of a key.
    pub(crate) fn slot(&mut self, key: Key) -> u32 {
        if let Some(&slot) = self.slots.get(&key) {
            return slot;
        }
        let is_full = self.slots.len() >= self.limit && key != Key::None && key != Key::Others;
        if is_full {
            return self.slot(Key::Others);
        }
        let slot = self.lend();
        self.slots.insert(key, slot);
        slot
    }

    /// An empty slot without a key.
    pub(crate) fn lend(&mut self) -> u32 {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        self.sums.push(Sum::default());
        self.sums.len() as u32 - 1
    }

    /// Adds a lent slot to that of a key, and takes it back.
    pub(crate) fn settle(&mut self, lent: u32, slot: u32) {
        let sum = std::mem::take(&mut self.sums[lent as usize]);
        self.sums[slot as usize].merge(&sum);
        self.free.push(lent);
    }

    /// The sum in a slot.
    #[inline]
    pub(crate) fn sum(&mut self, slot: u32) -> &mut Sum {
        &mut self.sums[slot as usize]
    }

    /// The sum in a slot that is only looked at.
    pub(crate) fn get(&self, slot: u32) -> &Sum {
        &self.sums[slot as usize]
    }

    /// All keys with their sums.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Key, &Sum)> {
        let sums = |(key, &slot): (_, &u32)| (key, &self.sums[slot as usize]);
        self.slots.iter().map(sums)
    }
}
