//! The record that keeps a stream's order when it moves from one ring to another.

/// "Before what follows in this ring, ring `ring` must have been drained up to `position`."
///
/// When a stream moves from worker A to worker B, A hands over its ring's id and [`position`](crate::Producer::position)
/// as they stood after the stream's last record, through a lock or a release and acquire pair; B then pushes a fence
/// that names them before the stream's next record, best with [`push_after`](crate::Producer::push_after).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// The id that [`RingSet::add`](crate::RingSet::add) gave the ring the stream came from.
    pub ring: u32,
    /// Items that had been pushed into it, ever.
    pub position: u64,
}

/// An item that may be a fence.
pub trait Fenced {
    /// The fence that this item is, or `None` for a record.
    fn fence(&self) -> Option<Fence>;
}
