//! The doorbell's descriptor where there is no eventfd.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use libc::c_int;

#[derive(Debug)]
pub(crate) struct Bell {
    reader: PipeReader,
    writer: PipeWriter,
}

impl Bell {
    /// The standard library's pipe is closed on exec already.
    pub(crate) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        set_nonblocking(reader.as_fd())?;
        set_nonblocking(writer.as_fd())?;
        Ok(Self { reader, writer })
    }

    /// A write fails only on a full pipe, which is readable already.
    pub(crate) fn ring(&self) {
        let _ = (&self.writer).write(&[1]);
    }

    /// Reads until the pipe is empty, which a non-blocking read tells by an error.
    pub(crate) fn clear(&self) -> bool {
        let mut has_rung = false;
        while (&self.reader).read(&mut [0; 512]).is_ok() {
            has_rung = true;
        }
        has_rung
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}

fn set_nonblocking(fd: BorrowedFd<'_>) -> io::Result<()> {
    let flags = control(fd, libc::F_GETFL, 0)?;
    control(fd, libc::F_SETFL, flags | libc::O_NONBLOCK).map(drop)
}

fn control(fd: BorrowedFd<'_>, command: c_int, argument: c_int) -> io::Result<c_int> {
    // SAFETY: the descriptor is open, and neither command takes a pointer.
    match unsafe { libc::fcntl(fd.as_raw_fd(), command, argument) } {
        -1 => Err(io::Error::last_os_error()),
        answer => Ok(answer),
    }
}

#[cfg(test)]
mod tests {
    use super::Bell;

    #[test]
    fn any_number_of_rings_is_cleared_at_once() {
        let bell = Bell::new().unwrap();
        assert!(!bell.clear());
        for _ in 0..2_000 {
            bell.ring();
        }
        assert!(bell.clear());
        assert!(!bell.clear());
    }

    #[test]
    fn a_full_pipe_does_not_hold_the_ringer() {
        let bell = Bell::new().unwrap();
        for _ in 0..2_000_000 {
            bell.ring();
        }
        assert!(bell.clear());
    }
}
