//! A doorbell that is rung only when somebody waits for it.

use std::io;
use std::sync::atomic::Ordering::{AcqRel, Relaxed, SeqCst};

use crate::doorbell::Doorbell;
use crate::sync::{AtomicBool, AtomicU64, fence};

/// Wakes one consumer through a [`Doorbell`], once for each time that it armed the signal.
///
/// The consumer calls [`arm`](Self::arm), looks at its queue once more and waits only if that is empty; woken or not,
/// it then calls [`disarm`](Self::disarm). A producer puts its item into the queue and then calls
/// [`notify`](Self::notify). No item is left behind an armed signal that nobody rings; a wake for nothing can happen.
///
/// ```
/// let signal = optap_ring::Signal::new()?;
/// assert!(!signal.notify());
/// signal.arm();
/// assert!(signal.notify());
/// assert!(!signal.notify());
/// signal.disarm();
/// assert_eq!(signal.wakes(), 1);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Signal {
    is_armed: AtomicBool,
    wakes: AtomicU64,
    doorbell: Doorbell,
}

impl Signal {
    /// Opens a signal that is not armed.
    ///
    /// # Errors
    /// Those of [`Doorbell::new`].
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            is_armed: AtomicBool::new(false),
            wakes: AtomicU64::new(0),
            doorbell: Doorbell::new()?,
        })
    }

    /// Asks for a ring at the next [`notify`](Self::notify). Look at the queue once more before you wait.
    pub fn arm(&self) {
        self.is_armed.store(true, Relaxed);
        fence(SeqCst);
    }

    /// Asks for no more rings, and clears the doorbell.
    pub fn disarm(&self) {
        self.is_armed.store(false, Relaxed);
        self.doorbell.clear();
    }

    /// Rings if the signal is armed, and disarms it; whether it rang. Call it after the item is in the queue.
    pub fn notify(&self) -> bool {
        let must_ring = self.is_armed() && self.take();
        if must_ring {
            self.wakes.fetch_add(1, Relaxed);
            self.doorbell.ring();
        }
        must_ring
    }

    /// Whether a ring is asked for. As [`notify`](Self::notify) it comes after the item is in the queue, for a producer
    /// that may put the ring off.
    pub fn is_armed(&self) -> bool {
        fence(SeqCst);
        self.is_armed.load(Relaxed)
    }

    /// Rings ever.
    pub fn wakes(&self) -> u64 {
        self.wakes.load(Relaxed)
    }

    /// The descriptor to wait on.
    pub fn doorbell(&self) -> &Doorbell {
        &self.doorbell
    }

    /// Disarms for one of the producers that saw the signal armed. Writes nothing when another was first.
    fn take(&self) -> bool {
        self.is_armed
            .compare_exchange(true, false, AcqRel, Relaxed)
            .is_ok()
    }
}
