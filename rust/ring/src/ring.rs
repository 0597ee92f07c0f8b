//! The state that the two ends of a ring share.

use crate::consumer::Consumer;
use crate::producer::Producer;
use crate::slots::Slots;
use crate::sync::{Arc, AtomicBool, AtomicU64};

/// Keeps what one side writes off the cache lines of the other; 128 bytes, for lines are fetched in pairs.
#[repr(align(128))]
pub(crate) struct Padded<T>(pub(crate) T);

/// What the producer writes.
pub(crate) struct Front {
    /// Items pushed ever.
    pub(crate) tail: AtomicU64,
    /// Items refused ever.
    pub(crate) refused: AtomicU64,
    pub(crate) is_gone: AtomicBool,
}

/// What the consumer writes.
pub(crate) struct Back {
    /// Items released ever.
    pub(crate) head: AtomicU64,
    pub(crate) is_gone: AtomicBool,
}

/// `head <= tail <= head + capacity`, always; the items between them are the consumer's, the other slots the producer's.
pub(crate) struct Shared<T> {
    pub(crate) front: Padded<Front>,
    pub(crate) back: Padded<Back>,
    pub(crate) slots: Slots<T>,
}

/// Makes a bounded ring for one producer and one consumer.
///
/// `capacity` counts items and is rounded up to a power of two that holds at least two items beyond `reserve`.
/// The last `reserve` free slots are kept for [`Producer::push_reserved`]. The memory is touched only as items
/// first pass over it, so an idle ring costs address space and no pages.
///
/// At any moment at which both sides rest, items released + items in the ring + items refused = items offered.
///
/// # Panics
/// When the buffer is larger than the address space, as `Vec::with_capacity` does.
///
/// ```
/// let (mut producer, mut consumer) = optap_ring::ring::<u64>(8, 1);
/// for item in 0..10 {
///     let _ = producer.push(item);
/// }
/// assert_eq!(consumer.available(), 7);
/// assert_eq!(consumer.refused(), 3);
///
/// let (run, rest) = consumer.chunk(4);
/// assert_eq!((run, rest), (&[0, 1, 2, 3][..], &[][..]));
/// consumer.release(4);
/// assert_eq!(consumer.position(), 4);
/// ```
pub fn ring<T: Copy + Send>(capacity: usize, reserve: usize) -> (Producer<T>, Consumer<T>) {
    let capacity = capacity
        .max(reserve.saturating_add(2))
        .checked_next_power_of_two();
    let shared = Arc::new(Shared {
        front: Padded(Front {
            tail: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            is_gone: AtomicBool::new(false),
        }),
        back: Padded(Back {
            head: AtomicU64::new(0),
            is_gone: AtomicBool::new(false),
        }),
        slots: Slots::new(capacity.expect("capacity overflow")),
    });
    (
        Producer::new(Arc::clone(&shared), reserve as u64),
        Consumer::new(shared),
    )
}
