//! The end of a ring that one thread pushes into.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::ring::Shared;
use crate::sync::Arc;

/// The ring had no slot for this item; it is handed back, and counted as refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full<T>(pub T);

impl<T> fmt::Display for Full<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the ring is full: its consumer is behind by the whole capacity")
    }
}

impl<T: fmt::Debug> std::error::Error for Full<T> {}

/// The pushing end of a ring, made by [`ring()`](crate::ring()). It can move between threads, but serves one at a time.
pub struct Producer<T> {
    shared: Arc<Shared<T>>,
    tail: u64,
    /// The head as last read: never ahead of the true one, so a ring that looks free is free.
    head_seen: u64,
    /// Occupied slots at which an ordinary push is refused.
    limit: u64,
    refused: u64,
    not_sync: PhantomData<Cell<()>>,
}

impl<T: Copy + Send> Producer<T> {
    pub(crate) fn new(shared: Arc<Shared<T>>, reserve: u64) -> Self {
        let limit = shared.slots.capacity() - reserve;
        Self {
            shared,
            tail: 0,
            head_seen: 0,
            limit,
            refused: 0,
            not_sync: PhantomData,
        }
    }

    /// Publishes an item. Never waits, allocates or locks.
    ///
    /// # Errors
    /// [`Full`] when no slot is free beyond the reserve; the item is then counted in [`Consumer::refused`](crate::Consumer::refused).
    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), Full<T>> {
        if !self.has_room(1, self.limit) {
            return self.refuse(item);
        }
        self.write(0, item);
        self.publish(1);
        Ok(())
    }

    /// Publishes an item, taking a slot of the reserve if no other is free.
    ///
    /// # Errors
    /// [`Full`] when the reserve is used up too; the item is then counted as refused.
    pub fn push_reserved(&mut self, item: T) -> Result<(), Full<T>> {
        if !self.has_room(1, self.shared.slots.capacity()) {
            return self.refuse(item);
        }
        self.write(0, item);
        self.publish(1);
        Ok(())
    }

    /// Publishes `fence` and then `item` in one step: both, or neither.
    ///
    /// # Errors
    /// [`Full`] with the item when two slots are not free beyond the reserve; the item alone is then counted as
    /// refused, and the next item of its stream still needs the fence.
    pub fn push_after(&mut self, fence: T, item: T) -> Result<(), Full<T>> {
        if !self.has_room(2, self.limit) {
            return self.refuse(item);
        }
        self.write(0, fence);
        self.write(1, item);
        self.publish(2);
        Ok(())
    }

    /// Items pushed ever. A [`Fence`](crate::Fence) that names it covers all of them.
    #[inline]
    pub fn position(&self) -> u64 {
        self.tail
    }

    /// Slots of the ring, the reserve included.
    pub fn capacity(&self) -> usize {
        self.shared.slots.capacity() as usize
    }

    /// Items pushed and not yet released. Reads the consumer's index.
    pub fn occupied(&mut self) -> usize {
        self.head_seen = self.shared.back.0.head.load(Acquire);
        (self.tail - self.head_seen) as usize
    }

    /// Whether half the slots or more are occupied. Reads the consumer's index only if the one last read says so.
    #[inline]
    pub fn is_half_full(&mut self) -> bool {
        !self.has_room(1, self.shared.slots.capacity().div_ceil(2))
    }

    /// Whether the consumer is gone, so that nothing pushed will ever be read.
    pub fn is_abandoned(&self) -> bool {
        self.shared.back.0.is_gone.load(Acquire)
    }

    /// Whether `count` more items leave at most `limit` slots occupied.
    #[inline]
    fn has_room(&mut self, count: u64, limit: u64) -> bool {
        self.tail + count - self.head_seen <= limit || {
            self.head_seen = self.shared.back.0.head.load(Acquire);
            self.tail + count - self.head_seen <= limit
        }
    }

    #[inline]
    fn write(&mut self, ahead: u64, item: T) {
        // SAFETY: the caller saw room for this item; the acquired head ended the consumer's reads of the slot.
        unsafe { self.shared.slots.write(self.tail + ahead, item) };
    }

    #[inline]
    fn publish(&mut self, count: u64) {
        self.tail += count;
        self.shared.front.0.tail.store(self.tail, Release);
    }

    #[cold]
    fn refuse(&mut self, item: T) -> Result<(), Full<T>> {
        self.refused += 1;
        self.shared.front.0.refused.store(self.refused, Relaxed);
        Err(Full(item))
    }
}

impl<T> Drop for Producer<T> {
    fn drop(&mut self) {
        self.shared.front.0.is_gone.store(true, Release);
    }
}
