//! A database that is looked at and never changed.

use std::fmt::{Display, Write};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::read::source::named;

/// The longest text or row that is read, bytes.
const LONGEST_BYTES: i32 = 16 << 20;

/// An open database and its size.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) db: Connection,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

impl File {
    /// Opens a database as one that nobody changes: no journal is looked for, and nothing is locked.
    /// What its schema asks SQLite to do is not trusted.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let bytes = path.metadata().map_err(|error| named(path, &error))?.len();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(uri(path)?, flags).and_then(|db| {
            db.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_BYTES)?;
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
            // Nothing is written. The first setting has SQLite open a file that was cut short.
            db.execute_batch(
                "PRAGMA writable_schema = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0",
            )?;
            Ok(db)
        });
        let db = opened.map_err(|error| bad(path, io::ErrorKind::InvalidData, &error))?;
        let file = Self {
            db,
            path: path.to_owned(),
            bytes,
        };
        match file.is_profile() {
            Ok(false) => {
                let found = "a database without the tables of a profile";
                Err(bad(path, io::ErrorKind::Unsupported, &found))
            }
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
                Err(bad(path, io::ErrorKind::InvalidData, &error))
            }
            // What else is wrong is told table by table.
            _ => Ok(file),
        }
    }

    fn is_profile(&self) -> rusqlite::Result<bool> {
        let tables = "('TASK', 'CANN_API', 'MSTX_EVENTS', 'STEP_TIME')";
        let query = format!("SELECT 1 FROM sqlite_schema WHERE name IN {tables}");
        self.db.prepare(&query)?.exists([])
    }
}

fn bad(path: &Path, kind: io::ErrorKind, reason: &dyn Display) -> io::Error {
    io::Error::new(kind, format!("{}: {reason}", path.display()))
}

fn uri(path: &Path) -> io::Result<String> {
    let path = std::path::absolute(path).map_err(|error| named(path, &error))?;
    let mut uri = "file:".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            uri.push(byte.into());
        } else {
            let spelling = write!(uri, "%{byte:02X}");
            debug_assert!(spelling.is_ok(), "a string takes all that is written");
        }
    }
    uri.push_str("?mode=ro&immutable=1");
    Ok(uri)
}
