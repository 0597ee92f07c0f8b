//! The doorbell's descriptor on Linux.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd};

#[derive(Debug)]
pub(crate) struct Bell(File);

impl Bell {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: the call takes no pointer.
        let fd = unsafe { libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and ours alone.
        Ok(Self(unsafe { File::from_raw_fd(fd) }))
    }

    /// A write to an eventfd fails only at its highest count, where it is readable already.
    pub(crate) fn ring(&self) {
        let _ = (&self.0).write(&1u64.to_ne_bytes());
    }

    /// A read takes the whole count, and fails only at a count of zero.
    pub(crate) fn clear(&self) -> bool {
        (&self.0).read(&mut [0; 8]).is_ok()
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
