//! The write end that a caller hands over: written in whole records, closed once.

use std::collections::HashMap;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;

/// How long a descriptor that says it is writable and then is not gets before the next try.
const RETRY: Duration = Duration::from_millis(1);

/// How long a wait for room goes on before it is checked whether the caller has closed the descriptor.
const CHECK_MS: libc::c_int = 100;

/// What a descriptor number stands for.
type Identity = (libc::dev_t, libc::ino_t);

/// A descriptor that was handed over to be written and closed. Its flags are left as they are.
///
/// A number that the caller has closed, and perhaps opened again for something else, is neither written nor closed.
pub(crate) struct Pipe {
    fd: RawFd,
    identity: Option<Identity>,
}

impl Pipe {
    fn new(fd: RawFd) -> Self {
        Self {
            fd,
            identity: identity(fd),
        }
    }

    fn is_given(&self) -> bool {
        self.identity.is_some() && identity(self.fd) == self.identity
    }

    /// Writes all of `bytes`, waiting for room as long as it takes.
    ///
    /// # Errors
    /// `EBADF` where the descriptor is no longer the one that was given, else the system's.
    pub(crate) fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        let mut written = 0;
        while written < bytes.len() {
            if !self.is_given() {
                return Err(io::Error::from_raw_os_error(libc::EBADF));
            }
            match self.write(&bytes[written..]) {
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait_for_room(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: `bytes` is readable for its whole length during the call.
        let count = unsafe { libc::write(self.fd, bytes.as_ptr().cast(), bytes.len()) };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }

    fn wait_for_room(&self) {
        wait(self.fd, libc::POLLOUT, CHECK_MS);
        std::thread::sleep(RETRY);
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        if self.is_given() {
            // SAFETY: the caller handed this descriptor over, and the identity says that it is still that one.
            unsafe { libc::close(self.fd) };
        }
    }
}

/// Waits until `fd` is ready for `events`, or for `timeout_ms`; -1 is for ever.
pub(crate) fn wait(fd: RawFd, events: libc::c_short, timeout_ms: libc::c_int) {
    let mut entry = libc::pollfd {
        fd,
        events,
        revents: 0,
    };
    // SAFETY: `entry` is one valid, exclusive pollfd.
    unsafe { libc::poll(&mut entry, 1, timeout_ms) };
}

fn identity(fd: RawFd) -> Option<Identity> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: `status` is valid for writes of one stat.
    let answered = unsafe { libc::fstat(fd, status.as_mut_ptr()) } == 0;
    // SAFETY: a call that returned 0 has filled `status`.
    answered
        .then(|| unsafe { status.assume_init() })
        .map(|status| (status.st_dev, status.st_ino))
}

/// The descriptors in use, so that subscriptions that share one close it when the last of them ends.
#[derive(Default)]
pub(crate) struct Pipes(Mutex<HashMap<RawFd, Weak<Pipe>>>);

impl Pipes {
    /// The pipe behind `fd`, which is the library's from now on.
    pub(crate) fn take(&self, fd: RawFd) -> Arc<Pipe> {
        let mut pipes = self.0.lock();
        pipes.retain(|_, pipe| pipe.strong_count() > 0);
        let shared = pipes.get(&fd).and_then(Weak::upgrade);
        if let Some(pipe) = shared.filter(|pipe| pipe.is_given()) {
            return pipe;
        }
        let pipe = Arc::new(Pipe::new(fd));
        pipes.insert(fd, Arc::downgrade(&pipe));
        pipe
    }
}
