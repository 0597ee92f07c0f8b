//! One kind of record, in files that follow each other.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::storage::{Storage, done_path};

/// Files get blocks of about this size.
const BLOCK_BYTES: usize = 64 * 1024;

/// Records that go to `<name>.slice_0`, then `<name>.slice_1` and so on.
///
/// A file comes into being with its first record, so what was never told leaves none.
#[derive(Debug)]
pub(crate) struct Slices {
    base: PathBuf,
    may_age: bool,
    limit_bytes: u64,
    next: u32,
    open: Option<Slice>,
    block: Vec<u8>,
}

#[derive(Debug)]
struct Slice {
    file: File,
    path: PathBuf,
    bytes: u64,
}

impl Slices {
    pub(crate) fn new(directory: &Path, name: &str, limit_bytes: u64) -> Self {
        Self {
            base: directory.join(name),
            may_age: !name.starts_with("unaging"),
            limit_bytes,
            next: 0,
            open: None,
            block: Vec::new(),
        }
    }

    /// Appends one record. Nothing is written yet.
    #[inline]
    pub(crate) fn push(&mut self, record: &[u8]) {
        self.block.extend_from_slice(record);
    }

    /// Writes what was pushed, if it fills a block.
    #[inline]
    pub(crate) fn spill(&mut self, storage: &mut Storage) -> io::Result<()> {
        if self.block.len() < BLOCK_BYTES {
            return Ok(());
        }
        self.flush(storage)
    }

    /// Writes all that was pushed.
    pub(crate) fn flush(&mut self, storage: &mut Storage) -> io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let mut slice = match self.open.take() {
            Some(slice) => slice,
            None => self.create(storage)?,
        };
        if let Err(error) = slice.file.write_all(&self.block) {
            return Err(self.cut(slice, error));
        }
        slice.bytes += self.block.len() as u64;
        storage.grew(self.block.len() as u64)?;
        self.block.clear();
        if slice.bytes < self.limit_bytes {
            self.open = Some(slice);
            return Ok(());
        }
        self.complete(slice, storage)
    }

    /// Writes all that was pushed, and completes the file.
    pub(crate) fn close(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.flush(storage)?;
        match self.open.take() {
            Some(slice) => self.complete(slice, storage),
            None => Ok(()),
        }
    }

    /// Takes the part of a record back that a failed write left, so that the file stays readable.
    fn cut(&mut self, slice: Slice, error: io::Error) -> io::Error {
        // If this fails too, readers pass over the part.
        let _ = slice.file.set_len(slice.bytes);
        let named = named(&slice.path, &error);
        self.open = Some(slice);
        named
    }

    /// Forgets what was pushed and not written, and completes the file as far as that is possible.
    pub(crate) fn abandon(&mut self, storage: &mut Storage) {
        self.block.clear();
        if let Some(slice) = self.open.take() {
            // The marker is a courtesy: nothing needs it.
            let _ = self.complete(slice, storage);
        }
    }

    fn create(&mut self, storage: &mut Storage) -> io::Result<Slice> {
        let mut path = self.base.as_os_str().to_owned();
        path.push(format!(".slice_{}", self.next));
        self.next += 1;
        let file = create(path.as_ref())?;
        storage.opened();
        Ok(Slice {
            file,
            path: path.into(),
            bytes: 0,
        })
    }

    fn complete(&self, slice: Slice, storage: &mut Storage) -> io::Result<()> {
        let mut done = create(&done_path(&slice.path))?;
        writeln!(done, "filesize:{}\nstarttime:0\nendtime:0", slice.bytes)?;
        storage.opened();
        if self.may_age {
            storage.closed(slice.path, slice.bytes);
        }
        Ok(())
    }
}

/// Creates a new file that its owner may write and its group read.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true).mode(0o640);
    options.open(path).map_err(|error| named(path, &error))
}

/// The error, with the path in its message.
pub(crate) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
