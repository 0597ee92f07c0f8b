//! One allocation, and the raw reads and writes of memory.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Place;

/// The alignment that is promised.
const ALIGNMENT: usize = 64;
/// Kernels may read this far past the end.
const PAD_BYTES: usize = 32;
/// The allocator zeroes large memory lazily only up to this alignment; the rest is made up by hand.
const ALLOCATOR_ALIGNMENT: usize = 16;

/// One allocation; the last owner frees it.
#[derive(Debug)]
pub(super) struct Block {
    start: NonNull<u8>,
    layout: Layout,
    address: usize,
    len_bytes: usize,
    place: Place,
    used_bytes: Arc<AtomicU64>,
}

// SAFETY: the block owns its memory; every access goes through raw addresses, whose users order them.
unsafe impl Send for Block {}
// SAFETY: as for Send; the shared methods only read fields that never change.
unsafe impl Sync for Block {}

impl Block {
    /// Zeroed memory, whose length is counted in `used_bytes` already and given back at the end; `None` when the
    /// system has none.
    pub(super) fn new(place: Place, len_bytes: usize, used_bytes: Arc<AtomicU64>) -> Option<Self> {
        let block = Self::layout(len_bytes).and_then(|layout| {
            // SAFETY: the layout has a size above 0.
            let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
            let address = start
                .as_ptr()
                .expose_provenance()
                .next_multiple_of(ALIGNMENT);
            Some(Self {
                start,
                layout,
                address,
                len_bytes,
                place,
                used_bytes: Arc::clone(&used_bytes),
            })
        });
        if block.is_none() {
            used_bytes.fetch_sub(len_bytes as u64, Ordering::Relaxed);
        }
        block
    }

    fn layout(len_bytes: usize) -> Option<Layout> {
        let size = len_bytes.checked_add(PAD_BYTES + ALIGNMENT)?;
        Layout::from_size_align(size, ALLOCATOR_ALIGNMENT).ok()
    }

    pub(super) fn address(&self) -> usize {
        self.address
    }

    pub(super) fn end(&self) -> usize {
        self.address + self.len_bytes
    }

    pub(super) fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// Copies `bytes` in at `offset`; the caller has checked that they fit and that nobody else uses the memory.
    pub(super) fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(offset <= self.len_bytes && bytes.len() <= self.len_bytes - offset);
        // SAFETY: the range lies inside this live block, and a slice never overlaps memory that only we own.
        unsafe {
            copy(
                self.address + offset,
                bytes.as_ptr().expose_provenance(),
                bytes.len(),
            )
        };
    }

    /// Copies out from `offset`; the caller has checked the range and that nobody writes the memory.
    pub(super) fn read(&self, offset: usize, bytes: &mut [u8]) {
        assert!(offset <= self.len_bytes && bytes.len() <= self.len_bytes - offset);
        // SAFETY: the range lies inside this live block, which is zeroed at birth and so always initialised.
        unsafe {
            copy(
                bytes.as_mut_ptr().expose_provenance(),
                self.address + offset,
                bytes.len(),
            )
        };
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: `start` came from this allocator with this layout, and is freed once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
        self.used_bytes
            .fetch_sub(self.len_bytes as u64, Ordering::Relaxed);
    }
}

/// Copies `count` bytes; the ranges may overlap.
///
/// # Safety
/// Both ranges are live and nobody else writes `src` or uses `dst` meanwhile.
pub(super) unsafe fn copy(dst: usize, src: usize, count: usize) {
    // SAFETY: promised by the caller.
    unsafe {
        ptr::copy(
            ptr::with_exposed_provenance::<u8>(src),
            ptr::with_exposed_provenance_mut(dst),
            count,
        )
    };
}

/// Sets `count` bytes to `value`.
///
/// # Safety
/// The range is live and nobody else uses it meanwhile.
pub(super) unsafe fn fill(dst: usize, value: u8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { ptr::write_bytes(ptr::with_exposed_provenance_mut::<u8>(dst), value, count) };
}
