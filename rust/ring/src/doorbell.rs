//! A descriptor that an event loop can wait on, and any thread can ring.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::process;

#[cfg(target_os = "linux")]
use crate::eventfd::Bell;
#[cfg(not(target_os = "linux"))]
use crate::pipe::Bell;

/// A descriptor that is readable from [`ring`](Self::ring) to [`clear`](Self::clear).
///
/// An eventfd on Linux, a pipe elsewhere; non-blocking, closed on exec and at the drop of the doorbell, so share it by
/// `Arc`. A forked child inherits the descriptor, but rings and clears nothing: they are its parent's.
///
/// ```
/// let doorbell = optap_ring::Doorbell::new()?;
/// doorbell.ring();
/// doorbell.ring();
/// assert!(doorbell.clear());
/// assert!(!doorbell.clear());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Doorbell {
    bell: Bell,
    owner_pid: u32,
}

impl Doorbell {
    /// Opens a doorbell that has not rung.
    ///
    /// # Errors
    /// The system's, when the process or the machine has no descriptor left.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            bell: Bell::new()?,
            owner_pid: process::id(),
        })
    }

    /// Makes the descriptor readable. Never waits.
    pub fn ring(&self) {
        if !self.is_foreign() {
            self.bell.ring();
        }
    }

    /// Makes the descriptor unreadable; whether it had been rung since the last time.
    pub fn clear(&self) -> bool {
        !self.is_foreign() && self.bell.clear()
    }

    /// Whether this process is a fork of the one that opened the doorbell.
    pub fn is_foreign(&self) -> bool {
        process::id() != self.owner_pid
    }
}

impl AsRawFd for Doorbell {
    fn as_raw_fd(&self) -> RawFd {
        self.bell.as_fd().as_raw_fd()
    }
}

impl AsFd for Doorbell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
