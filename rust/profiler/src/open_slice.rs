//! The slice that one reader takes op by op without a lock, and that its queue can still take back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::block::{Block, Slice};

const END_SHIFT: u32 = 32;

/// A slice with an atomic cursor: the next op in the low half, the end in the high half.
#[derive(Debug)]
pub(crate) struct OpenSlice {
    block: Arc<Block>,
    start: usize,
    gap: u64,
    cursor: AtomicU64,
}

/// Where a cursor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) next: usize,
    pub(crate) end: usize,
}

impl Position {
    fn unpack(cursor: u64) -> Self {
        let end = (cursor >> END_SHIFT) as usize;
        Self {
            next: (cursor as u32 as usize).min(end),
            end,
        }
    }

    fn pack(self) -> u64 {
        self.next as u64 | (self.end as u64) << END_SHIFT
    }

    pub(crate) fn left(self) -> usize {
        self.end - self.next
    }
}

impl OpenSlice {
    pub(crate) fn new(slice: Slice) -> Self {
        let position = Position {
            next: slice.range.start,
            end: slice.range.end,
        };
        Self {
            block: slice.block,
            start: slice.range.start,
            gap: slice.gap,
            cursor: AtomicU64::new(position.pack()),
        }
    }

    pub(crate) fn block(&self) -> &Arc<Block> {
        &self.block
    }

    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// What was lost before the first op.
    pub(crate) fn gap(&self) -> u64 {
        self.gap
    }

    /// Takes the next op for the reader.
    #[inline]
    pub(crate) fn take(&self) -> Option<usize> {
        let before = self.cursor.fetch_add(1, Ordering::AcqRel);
        let next = before as u32 as usize;
        (next < (before >> END_SHIFT) as usize).then_some(next)
    }

    #[inline]
    pub(crate) fn position(&self) -> Position {
        Position::unpack(self.cursor.load(Ordering::Acquire))
    }

    /// Takes up to `most` of the oldest ops from the reader; tells where they began and how many they were.
    pub(crate) fn withdraw(&self, most: usize) -> (usize, usize) {
        let advance = |cursor| {
            let position = Position::unpack(cursor);
            let next = position.next + most.min(position.left());
            Some(Position { next, ..position }.pack())
        };
        let before = self
            .cursor
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, advance);
        let position = Position::unpack(before.unwrap_or_else(|unchanged| unchanged));
        (position.next, most.min(position.left()))
    }
}

/// What a reader keeps between two ops.
#[derive(Debug, Default)]
pub struct Cursor {
    pub(crate) open: Option<Arc<OpenSlice>>,
    expected: usize,
}

/// One op as a reader gets it.
#[derive(Clone, Copy, Debug)]
pub struct Next<'cursor> {
    /// Where the op lies.
    pub block: &'cursor Arc<Block>,
    /// Its place in the block.
    pub index: usize,
    /// Ops that this subscriber lost just before it.
    pub gap: u64,
}

impl Cursor {
    /// Goes on with `open`.
    pub(crate) fn follow(&mut self, open: Arc<OpenSlice>) {
        self.expected = open.start();
        self.open = Some(open);
    }

    /// Whether the open slice holds an op.
    #[inline]
    pub fn has_next(&self) -> bool {
        self.open
            .as_ref()
            .is_some_and(|open| open.position().left() > 0)
    }

    /// Takes the next op of the open slice: its place and what was lost before it, withdrawn ops included.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(usize, u64)> {
        let open = self.open.as_ref()?;
        let Some(index) = open.take() else {
            self.open = None;
            return None;
        };
        let gap_at_start = if self.expected == open.start() {
            open.gap()
        } else {
            0
        };
        let gap = (index - self.expected) as u64 + gap_at_start;
        self.expected = index + 1;
        Some((index, gap))
    }

    /// The block of the op that was taken last.
    #[inline]
    pub(crate) fn block(&self) -> Option<&Arc<Block>> {
        self.open.as_ref().map(|open| open.block())
    }
}
