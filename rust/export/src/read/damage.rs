//! What could not be read.

use std::path::{Path, PathBuf};

/// Damaged places of one file that are told apart.
const PLACES_A_FILE: usize = 64;

/// A part of a file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// Where the part begins, bytes from the start of the file.
    pub offset_bytes: u64,
    /// How long it is, bytes; 0 for a file of which nothing could be read.
    pub bytes: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// Collects damages, at most so many a file: beyond, the last one grows to cover the rest.
#[derive(Debug, Default)]
pub(crate) struct Damages {
    pub(crate) found: Vec<Damage>,
    places: usize,
}

impl Damages {
    pub(crate) fn begin_file(&mut self) {
        self.places = 0;
    }

    /// Adds a damaged part of the file that was begun.
    pub(crate) fn part(&mut self, path: &Path, offset_bytes: u64, bytes: u64, reason: &str) {
        let end_bytes = offset_bytes + bytes;
        if let Some(last) = self.found.last_mut() {
            let is_next = last.offset_bytes + last.bytes == offset_bytes && last.reason == reason;
            let is_here = self.places > 0 && last.path == path;
            if is_here && (is_next || self.places == PLACES_A_FILE) {
                last.bytes = end_bytes - last.offset_bytes;
                return;
            }
        }
        self.places += 1;
        self.found.push(Damage {
            path: path.to_owned(),
            offset_bytes,
            bytes,
            reason: reason.to_owned(),
        });
    }

    /// Adds a file of which nothing could be read.
    pub(crate) fn file(&mut self, path: &Path, reason: impl ToString) {
        self.found.push(Damage {
            path: path.to_owned(),
            offset_bytes: 0,
            bytes: 0,
            reason: reason.to_string(),
        });
    }
}
