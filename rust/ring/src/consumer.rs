//! The end of a ring that one thread reads and releases.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::ring::Shared;
use crate::sync::Arc;

/// The reading end of a ring, made by [`ring()`](crate::ring()).
pub struct Consumer<T> {
    shared: Arc<Shared<T>>,
    head: u64,
    /// The tail as last read: never ahead of the true one.
    tail_seen: u64,
}

impl<T: Copy + Send> Consumer<T> {
    pub(crate) fn new(shared: Arc<Shared<T>>) -> Self {
        Self {
            shared,
            head: 0,
            tail_seen: 0,
        }
    }

    /// Items published and not yet released. Reads the producer's index.
    pub fn available(&mut self) -> usize {
        self.tail_seen = self.shared.front.0.tail.load(Acquire);
        self.seen()
    }

    /// The oldest items, at most `max` of those that [`available`](Self::available) last saw, in two runs.
    ///
    /// The second run follows the first and is empty unless the buffer's end lies between them. Looks for new items
    /// when none is left of the last look. The items stay in the ring until [`release`](Self::release).
    pub fn chunk(&mut self, max: usize) -> (&[T], &[T]) {
        let seen = if self.head == self.tail_seen {
            self.available()
        } else {
            self.seen()
        };
        // SAFETY: the acquired tail published these items, and to release one needs `&mut self`.
        unsafe { self.shared.slots.read(self.head, seen.min(max)) }
    }

    /// Gives the `count` oldest items' slots back to the producer; no more than were seen.
    pub fn release(&mut self, count: usize) {
        let count = count.min(self.seen()) as u64;
        self.shared.slots.finish_reads(self.head, count);
        self.head += count;
        self.shared.back.0.head.store(self.head, Release);
    }

    /// Items released ever.
    pub fn position(&self) -> u64 {
        self.head
    }

    /// Items that the producer offered and the ring refused, ever.
    ///
    /// What was refused before an item was pushed is counted once that item has been seen.
    pub fn refused(&self) -> u64 {
        self.shared.front.0.refused.load(Relaxed)
    }

    /// Whether the producer is gone. What it pushed before may still be in the ring: look for items after this.
    pub fn is_abandoned(&self) -> bool {
        self.shared.front.0.is_gone.load(Acquire)
    }

    fn seen(&self) -> usize {
        (self.tail_seen - self.head) as usize
    }
}

impl<T> Drop for Consumer<T> {
    fn drop(&mut self) {
        self.shared.back.0.is_gone.store(true, Release);
    }
}
