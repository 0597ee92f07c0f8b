//! A limited number of things, counted while they live.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many of a kind may live at the same time, and how many do.
#[derive(Debug)]
pub(crate) struct Quota {
    limit: u32,
    used: AtomicU32,
}

/// One of a quota; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Lease(Arc<Quota>);

impl Quota {
    pub(crate) fn new(limit: u32) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: AtomicU32::new(0),
        })
    }

    /// One more, or `None` at the limit.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Lease> {
        let more = |used: u32| (used < self.limit).then_some(used + 1);
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .ok()?;
        Some(Lease(Arc::clone(self)))
    }

    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    pub(crate) fn available(&self) -> u32 {
        self.limit - self.used.load(Ordering::Relaxed)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.used.fetch_sub(1, Ordering::Relaxed);
    }
}
