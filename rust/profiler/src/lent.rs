//! A slice on loan: what the queue must know of it.

use std::sync::Arc;

use crate::block::Slice;
use crate::open_slice::OpenSlice;

/// The slice that a reader takes from without the queue, with what the queue must know of it.
#[derive(Debug)]
pub(crate) struct Lent {
    pub(crate) open: Arc<OpenSlice>,
    /// Ops withdrawn from the reader so far.
    withdrawn: usize,
    /// Ops lost just before `lost_at`, and not told yet while the cursor stands there.
    lost: u64,
    lost_at: usize,
}

impl Lent {
    /// Lends a slice.
    pub(crate) fn new(slice: Slice) -> Self {
        let (lost, lost_at) = (slice.gap, slice.range.start);
        Self {
            open: Arc::new(OpenSlice::new(slice)),
            withdrawn: 0,
            lost,
            lost_at,
        }
    }

    /// What was lost before `next` and not told yet.
    pub(crate) fn gap_at(&self, next: usize) -> u64 {
        if self.lost_at == next { self.lost } else { 0 }
    }

    /// Ops that the reader got when its cursor stands at `next`.
    pub(crate) fn read(&self, next: usize) -> u64 {
        (next - self.open.start() - self.withdrawn) as u64
    }

    pub(crate) fn withdraw(&mut self, most: usize) -> usize {
        let (from, count) = self.open.withdraw(most);
        self.lost = count as u64 + self.gap_at(from);
        self.lost_at = from + count;
        self.withdrawn += count;
        count
    }
}
