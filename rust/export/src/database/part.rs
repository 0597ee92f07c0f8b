//! A file that gets its name when it is complete.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// A file in the making, removed unless it is finished.
#[derive(Debug)]
pub(crate) struct Part {
    path: PathBuf,
    target: PathBuf,
}

impl Part {
    /// Creates the file, which its owner may write and its group read.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        refuse_existing(target)?;
        let mut path = target.as_os_str().to_owned();
        path.push(".part");
        let path = PathBuf::from(path);
        let mut options = OpenOptions::new();
        let made = options.write(true).create_new(true).mode(0o640).open(&path);
        made.map_err(|error| named(&path, error.kind(), &error))?;
        Ok(Self {
            path,
            target: target.to_owned(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, and that name.
    pub(crate) fn finish(self) -> io::Result<PathBuf> {
        refuse_existing(&self.target)?;
        let renamed = fs::rename(&self.path, &self.target);
        renamed.map_err(|error| named(&self.target, error.kind(), &error))?;
        Ok(self.target.clone())
    }

    /// What went wrong with the file.
    pub(crate) fn error(&self, error: &rusqlite::Error) -> io::Error {
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull,
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                io::ErrorKind::PermissionDenied
            }
            _ => io::ErrorKind::Other,
        };
        named(&self.path, kind, error)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // It is gone already once the file has its name.
        let _ = fs::remove_file(&self.path);
    }
}

fn refuse_existing(path: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let kind = io::ErrorKind::AlreadyExists;
    Err(named(
        path,
        kind,
        &"the file exists; remove it or choose another name",
    ))
}

fn named(path: &Path, kind: io::ErrorKind, error: &dyn std::fmt::Display) -> io::Error {
    io::Error::new(kind, format!("{}: {error}", path.display()))
}
