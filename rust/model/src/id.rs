//! Ids that are unique in the process.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The id of a new model, or of whatever else emits ops; counted from 1.
pub fn fresh_model_id() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The id of a new run, counted from 1.
pub fn fresh_run_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
