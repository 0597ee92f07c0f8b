//! What the drainer hands out: owned, read-only records with the names they need.

use std::ops::Range;
use std::sync::Arc;

use optap_record::{OpInfo, OpLease, OpRecord};
use parking_lot::Mutex;

/// Records in delivery order; shared by every subscriber that takes all of them.
#[derive(Debug, Default)]
pub struct Block {
    records: Vec<OpRecord>,
    leases: Vec<Arc<OpLease>>,
}

impl Block {
    /// Takes records and the leases that keep their names alive.
    pub fn new(records: Vec<OpRecord>, leases: Vec<Arc<OpLease>>) -> Self {
        Self { records, leases }
    }

    /// All records of the block.
    pub fn records(&self) -> &[OpRecord] {
        &self.records
    }

    /// The lease that names `op_id`, `None` where the op has no names.
    #[inline]
    pub fn lease(&self, op_id: u32) -> Option<&Arc<OpLease>> {
        self.leases.iter().find(|lease| lease.contains(op_id))
    }

    /// Names of `op_id`, `None` where the op has none.
    pub fn info(&self, op_id: u32) -> Option<&OpInfo> {
        self.lease(op_id)?.get(op_id)
    }

    /// The leases behind the block's names.
    pub fn leases(&self) -> &[Arc<OpLease>] {
        &self.leases
    }
}

/// Buffers of dropped blocks. A fresh large buffer costs a page fault every 64 records; these have their pages.
static SPARE: Mutex<Vec<Vec<OpRecord>>> = Mutex::new(Vec::new());

/// Buffers kept, and the sizes worth it, in records.
const SPARE_BUFFERS: usize = 8;
const SPARE_RECORDS: std::ops::RangeInclusive<usize> = 512..=65_536;

/// An empty buffer for about `records` records, used before where there is one.
pub(crate) fn buffer(records: usize) -> Vec<OpRecord> {
    let spare = if records < *SPARE_RECORDS.start() {
        None
    } else {
        SPARE.lock().pop()
    };
    let mut buffer = spare.unwrap_or_default();
    buffer.reserve(records);
    buffer
}

impl Drop for Block {
    fn drop(&mut self) {
        if !SPARE_RECORDS.contains(&self.records.capacity()) {
            return;
        }
        let mut spare = SPARE.lock();
        if spare.len() < SPARE_BUFFERS {
            let mut buffer = std::mem::take(&mut self.records);
            buffer.clear();
            spare.push(buffer);
        }
    }
}

/// A run of records of one block, and what was lost just before the first of them.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Where the records lie.
    pub block: Arc<Block>,
    /// Which of them are meant.
    pub range: Range<usize>,
    /// Records that this subscriber lost just before `range`.
    pub gap: u64,
}

impl Slice {
    /// A slice of no records: tells a gap that no op follows.
    pub fn of_gap(gap: u64) -> Self {
        Self {
            block: Arc::default(),
            range: 0..0,
            gap,
        }
    }

    /// The records meant.
    pub fn records(&self) -> &[OpRecord] {
        &self.block.records()[self.range.clone()]
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether the slice holds no records.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// Cuts off and returns the first `count` records, with the gap before them.
    pub fn split_front(&mut self, count: usize) -> Self {
        let cut = self.range.start + count.min(self.len());
        let front = Self {
            block: self.block.clone(),
            range: self.range.start..cut,
            gap: self.gap,
        };
        self.range.start = cut;
        self.gap = 0;
        front
    }
}
