//! The writer of a database.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use optap_record::{OpInfo, OpRecord};
use rusqlite::Connection;

use super::names::{FIXED, Names};
use super::part::Part;
use super::rows::Rows;
use super::schema;
use super::state::State;
use crate::process::Process;
use crate::prof::Anchor;

/// Records between two commits.
const CHUNK_RECORDS: u64 = 65_536;

/// Streams records into a database as `msprof` makes it, schema 1.2.0, which MindStudio Insight and
/// msprof-analyze open.
///
/// An operator becomes a task of its device and a launch on the thread that executed it; what a run
/// did on a stream and thread becomes a call of level `model`. A [range](optap_record::Kind::RANGE) or
/// [mark](optap_record::Kind::MARK) becomes a row of `MSTX_EVENTS`, whose domain is the record's type; a
/// [step](optap_record::Kind::STEP) one of `STEP_TIME`, as in the databases of frameworks. Times are wall clock.
/// What a CPU cannot tell is `N/A`.
///
/// Records without a duration, or with a time that no signed 64 bits hold, are left out and counted
/// by [`skipped`](DatabaseWriter::skipped).
///
/// The file gets its name when it is complete; until then it is called as if `.part` followed, and a
/// writer that is dropped removes it. Memory does not grow with the number of records, only with
/// that of different names. After an error, drop the writer.
///
/// ```
/// use optap_export::{Anchor, DatabaseWriter, Process};
/// use optap_record::OpRecord;
/// let anchor = Anchor::now();
/// let name = DatabaseWriter::file_name(anchor);
/// let path = std::env::temp_dir().join(format!("optap-doc-{}-{name}", std::process::id()));
/// let start_ns = anchor.monotonic_ns;
/// let relu = OpRecord { op_id: 7, start_ns, end_ns: start_ns + 500, ..OpRecord::default() };
/// let mut database = DatabaseWriter::create(&path, anchor, &Process::current())?;
/// database.write(&[relu], |_| None)?;
/// assert!(database.finish()?.is_file());
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct DatabaseWriter {
    db: Connection,
    part: Part,
    state: State,
    skipped: u64,
}

impl DatabaseWriter {
    /// How viewers expect the file to be called: `msprof_<14 digits>.db`, the UTC time of the begin.
    #[must_use]
    pub fn file_name(anchor: Anchor) -> String {
        let [year, month, day, hour, minute, second] = crate::prof::calendar(anchor.unix_ns);
        format!("msprof_{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}.db")
    }

    /// Begins a database of this process, whose times are told by the wall clock of `anchor`.
    ///
    /// # Errors
    ///
    /// Where the file exists, or cannot be made; the message names it.
    pub fn create(path: &Path, anchor: Anchor, process: &Process) -> io::Result<Self> {
        let part = Part::create(path)?;
        let begun = begin(part.path(), anchor, process);
        let (db, names) = begun.map_err(|error| part.error(&error))?;
        Ok(Self {
            db,
            part,
            state: State::new(anchor, process.pid, names),
            skipped: 0,
        })
    }

    /// Appends records; `names` gives the operator of an `op_id`.
    ///
    /// Within one call an id must keep its meaning; between two it may change.
    ///
    /// # Errors
    ///
    /// What SQLite gives, with the file in the message.
    pub fn write<'a>(
        &mut self,
        records: &[OpRecord],
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) -> io::Result<()> {
        let written = self.add(records, names);
        written.map_err(|error| self.part.error(&error))
    }

    fn add<'a>(
        &mut self,
        records: &[OpRecord],
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) -> rusqlite::Result<()> {
        let mut rows = Rows::prepare(&self.db)?;
        self.state.names.begin_round();
        for record in records {
            let is_told = self.state.tell(record, &names, &mut rows)?;
            self.skipped += u64::from(!is_told);
            if self.state.uncommitted >= CHUNK_RECORDS {
                self.db.execute_batch("COMMIT; BEGIN")?;
                self.state.uncommitted = 0;
            }
        }
        Ok(())
    }

    /// Number of records left out so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Completes the file and gives its path.
    ///
    /// # Errors
    ///
    /// What SQLite and the file system give, with the file in the message; so where a file of that
    /// name has come into being since.
    pub fn finish(mut self) -> io::Result<PathBuf> {
        let ended = self.state.end(&self.db);
        ended.map_err(|error| self.part.error(&error))?;
        let closed = self.db.close();
        closed.map_err(|(_, error)| self.part.error(&error))?;
        self.part.finish()
    }
}

fn begin(path: &Path, anchor: Anchor, process: &Process) -> rusqlite::Result<(Connection, Names)> {
    let db = Connection::open(path)?;
    db.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN",
    )?;
    db.execute_batch(schema::TABLES)?;
    let version = schema::VERSION;
    let mut facts = vec![("SCHEMA_VERSION", version.join("."))];
    let parts = ["MAJOR", "MINOR", "MICRO"].map(|part| format!("SCHEMA_VERSION_{part}"));
    facts.extend(
        parts
            .iter()
            .map(String::as_str)
            .zip(version.map(str::to_owned)),
    );
    if anchor != Anchor::NONE {
        facts.push((schema::MONOTONIC, anchor.monotonic_ns.to_string()));
        facts.push((schema::UNIX, anchor.unix_ns.to_string()));
    }
    for fact in facts {
        db.execute("INSERT INTO META_DATA VALUES (?, ?)", fact)?;
    }
    db.execute(
        "INSERT INTO HOST_INFO VALUES ('0', ?)",
        [&process.host_name],
    )?;
    let mut names = Names::default();
    let mut insert = db.prepare("INSERT INTO STRING_IDS VALUES (?, ?)")?;
    for text in FIXED {
        names.text(text, &mut insert)?;
    }
    drop(insert);
    Ok((db, names))
}

impl fmt::Debug for DatabaseWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseWriter")
            .field("part", &self.part)
            .field("skipped", &self.skipped)
            .finish_non_exhaustive()
    }
}
