//! Waiting for one of two descriptors.
#![allow(unsafe_code)]

use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

/// Waits until one of the descriptors is readable, or `timeout` is over; `None` is for ever. May wake for nothing.
pub(crate) fn wait(one: &impl AsFd, other: &impl AsFd, timeout: Option<Duration>) {
    let watched = |fd| libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    };
    let mut doors = [
        watched(one.as_fd().as_raw_fd()),
        watched(other.as_fd().as_raw_fd()),
    ];
    let timeout_ms = timeout.map_or(-1, |timeout| {
        i32::try_from(timeout.as_millis() + 1).unwrap_or(i32::MAX)
    });
    // SAFETY: `doors` is valid for reads and writes of two elements during the call.
    unsafe { libc::poll(doors.as_mut_ptr(), 2, timeout_ms) };
}
