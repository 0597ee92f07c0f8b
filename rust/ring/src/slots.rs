//! The storage of a ring: a power of two of slots, addressed by an index that only grows.

use std::cell::UnsafeCell;
use std::iter::repeat_with;
use std::mem::MaybeUninit;

use crate::sync::Track;

/// Slots whose initialisation and sharing the ring's two indices govern.
pub(crate) struct Slots<T> {
    cells: Box<[UnsafeCell<MaybeUninit<T>>]>,
    tracks: Box<[Track]>,
    mask: u64,
}

// SAFETY: the ring's indices give each slot to one side at a time, so items are moved between threads but never shared.
unsafe impl<T: Send> Sync for Slots<T> {}

impl<T: Copy> Slots<T> {
    /// Reserves `capacity` slots, a power of two, without touching their memory.
    pub(crate) fn new(capacity: usize) -> Self {
        debug_assert!(capacity.is_power_of_two());
        let cells = Box::<[UnsafeCell<MaybeUninit<T>>]>::new_uninit_slice(capacity);
        Self {
            // SAFETY: a cell of `MaybeUninit` needs no initialisation.
            cells: unsafe { cells.assume_init() },
            tracks: repeat_with(Track::default).take(capacity).collect(),
            mask: capacity as u64 - 1,
        }
    }

    #[inline]
    pub(crate) fn capacity(&self) -> u64 {
        self.mask + 1
    }

    #[inline]
    fn offset(&self, index: u64) -> usize {
        (index & self.mask) as usize
    }

    /// Writes the slot of `index`.
    ///
    /// # Safety
    /// The slot belongs to the caller: it was released, and its next publication is the caller's.
    #[inline]
    pub(crate) unsafe fn write(&self, index: u64, item: T) {
        let offset = self.offset(index);
        // SAFETY: the mask keeps the offset below the length.
        let (cell, track) = unsafe {
            (
                self.cells.get_unchecked(offset),
                self.tracks.get_unchecked(offset),
            )
        };
        track.write();
        // SAFETY: the caller owns the slot.
        unsafe { (*cell.get()).write(item) };
    }

    /// The `count` items from `first` on, in two runs; the second is empty unless the buffer's end lies between.
    ///
    /// # Safety
    /// The items are published, `count` is at most the capacity, and none is released while the slices live.
    pub(crate) unsafe fn read(&self, first: u64, count: usize) -> (&[T], &[T]) {
        let start = self.offset(first);
        let before_end = count.min(self.cells.len() - start);
        // SAFETY: the caller vouches for all `count` items, and both runs lie inside the buffer.
        unsafe { (self.run(start, before_end), self.run(0, count - before_end)) }
    }

    /// # Safety
    /// As [`Self::read`], for the slots from `start` on, which must lie inside the buffer.
    unsafe fn run(&self, start: usize, count: usize) -> &[T] {
        let range = start..start + count;
        self.tracks[range.clone()].iter().for_each(Track::read);
        let cells = &self.cells[range];
        // SAFETY: the cells are initialised and nobody writes them for now; a cell has the layout of its item.
        unsafe { std::slice::from_raw_parts(cells.as_ptr().cast::<T>(), cells.len()) }
    }

    /// Marks the end of the reads of `count` slots from `first` on.
    pub(crate) fn finish_reads(&self, first: u64, count: u64) {
        for index in first..first + count {
            self.tracks[self.offset(index)].read();
        }
    }
}
