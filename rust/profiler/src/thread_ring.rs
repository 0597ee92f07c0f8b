//! The ring that the calling thread pushes into.

use std::cell::RefCell;
use std::sync::Arc;

use optap_record::OpRecord;
use optap_ring::Producer;
use optap_runtime::thread_id;

use crate::annotation::ThreadAnnotations;
use crate::profiler::Profiler;
use crate::staging::Item;

/// Records that the ring of one thread holds.
pub const RING_RECORDS: usize = 16_384;

/// Slots that only control records may take.
pub(crate) const RING_RESERVE: usize = 64;

/// What one thread has of its own, in one place: each look for a place of a thread is a call.
struct Local {
    ring: RefCell<Option<ThreadRing>>,
    annotations: ThreadAnnotations,
}

thread_local! {
    static LOCAL: Local = const {
        Local {
            ring: RefCell::new(None),
            annotations: ThreadAnnotations::new(),
        }
    };
}

/// The producing half of the calling thread's ring.
pub(crate) struct ThreadRing {
    pub(crate) profiler: Arc<Profiler>,
    pub(crate) producer: Producer<Item>,
    pub(crate) id: u32,
    pub(crate) thread_id: u32,
}

impl ThreadRing {
    /// The thread's ring at `profiler`, made on first use; nested users get one of their own.
    pub(crate) fn borrow(profiler: &Arc<Profiler>) -> Self {
        let kept = LOCAL.with(|local| local.ring.take());
        kept.filter(|ring| Arc::ptr_eq(&ring.profiler, profiler))
            .unwrap_or_else(|| Self::open(profiler))
    }

    /// Uses the thread's ring where it lies, with what the thread knows of its annotations. `use_ring` must not ask for
    /// it again.
    #[inline]
    pub(crate) fn with<T>(use_ring: impl FnOnce(&mut Self, &ThreadAnnotations) -> T) -> T {
        LOCAL.with(|local| {
            let kept = &mut *local.ring.borrow_mut();
            match kept {
                Some(ring) if ring.profiler.is_own() => use_ring(ring, &local.annotations),
                _ => use_ring(
                    kept.insert(Self::open(Profiler::global())),
                    &local.annotations,
                ),
            }
        })
    }

    #[cold]
    fn open(profiler: &Arc<Profiler>) -> Self {
        let (producer, consumer) = optap_ring::ring(RING_RECORDS, RING_RESERVE);
        let id = profiler.line().add_ring(consumer);
        Self {
            profiler: profiler.clone(),
            producer,
            id,
            thread_id: thread_id(),
        }
    }

    pub(crate) fn give_back(self) {
        LOCAL.with(|local| local.ring.replace(Some(self)));
    }

    /// Tells the drainer that something was pushed.
    #[inline]
    pub(crate) fn wake(&mut self) {
        self.profiler.wake(&mut self.producer);
    }

    /// Pushes a record that must not be lost; drains the line itself where even the reserve is full.
    pub(crate) fn push_control(&mut self, record: OpRecord) {
        while self.producer.push_reserved(Item(record)).is_err() {
            self.profiler.drain();
        }
    }

    /// Pushes a record that must not be lost; drains the line itself where the ring is full.
    #[inline]
    pub(crate) fn push_surely(&mut self, record: OpRecord) {
        while self.producer.push(Item(record)).is_err() {
            self.profiler.drain();
        }
    }
}

/// An id that no open range has; never 0.
#[inline]
pub(crate) fn fresh_range_id() -> u32 {
    LOCAL.with(|local| local.annotations.fresh_range_id())
}
