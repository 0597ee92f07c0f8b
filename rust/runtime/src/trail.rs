//! What an observer of a stream needs to carry from one worker to the next.

use std::sync::atomic::{AtomicU32, AtomicU64};

/// Three numbers that travel with a stream. The runtime never reads them.
///
/// Only the task that runs on the stream may write them. One task of a stream runs at a time, and the locks of the
/// scheduler order each task after the one before it, also when it runs on another worker: relaxed loads and stores
/// are enough, and no read-modify-write is needed.
#[derive(Debug, Default)]
pub struct Trail {
    /// The number of the next record of this stream.
    pub sequence: AtomicU64,
    /// The ring that took the latest record.
    pub ring: AtomicU32,
    /// The position of the latest record in that ring.
    pub position: AtomicU64,
}
