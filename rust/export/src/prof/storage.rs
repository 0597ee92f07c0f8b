//! What the slices of a directory take, and what is removed to stay below a limit.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Counts files and bytes, and removes the oldest slices beyond a limit.
#[derive(Debug)]
pub(crate) struct Storage {
    limit_bytes: u64,
    held_bytes: u64,
    closed: VecDeque<(PathBuf, u64)>,
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) aged_bytes: u64,
}

impl Storage {
    pub(crate) fn new(limit_bytes: Option<u64>) -> Self {
        Self {
            limit_bytes: limit_bytes.unwrap_or(u64::MAX),
            held_bytes: 0,
            closed: VecDeque::new(),
            files: 0,
            bytes: 0,
            aged_bytes: 0,
        }
    }

    /// Counts a new file.
    pub(crate) fn opened(&mut self) {
        self.files += 1;
    }

    /// Counts bytes written to a slice.
    pub(crate) fn grew(&mut self, bytes: u64) -> io::Result<()> {
        self.bytes += bytes;
        self.held_bytes += bytes;
        while self.held_bytes > self.limit_bytes {
            let Some((path, bytes)) = self.closed.pop_front() else {
                break;
            };
            self.remove(&path, bytes)?;
        }
        Ok(())
    }

    /// Learns of a closed slice that may be removed.
    pub(crate) fn closed(&mut self, path: PathBuf, bytes: u64) {
        if self.limit_bytes != u64::MAX {
            self.closed.push_back((path, bytes));
        }
    }

    fn remove(&mut self, path: &Path, bytes: u64) -> io::Result<()> {
        fs::remove_file(path)?;
        fs::remove_file(done_path(path))?;
        self.held_bytes -= bytes;
        self.aged_bytes += bytes;
        Ok(())
    }
}

/// The marker beside a slice that is complete.
pub(crate) fn done_path(slice: &Path) -> PathBuf {
    let mut path = slice.as_os_str().to_owned();
    path.push(".done");
    path.into()
}
