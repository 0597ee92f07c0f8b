//! One way into every format.

use std::io;
use std::path::Path;

use optap_record::NameTable;

use super::database;
use super::merge::merge;
use super::profile::{Profile, read_prof};
use super::source::{self, Format};
use super::table;
use super::trace;

/// Reads a profile of any known format, which its content tells; names are interned in `names`.
///
/// - a `PROF_*` directory, as [`read_prof`] does;
/// - a unified database: `msprof_*.db` of schema 1.0 to 1.2 or `ascend_pytorch_profiler*.db`, which is
///   opened read-only and never changed;
/// - a table as `msprof` writes it: op_summary, task_time, msprof_tx, step_trace, or the
///   kernel_details that a framework makes of op_summary;
/// - a Chrome trace, ours, `msprof_*.json` or `trace_view.json`: a bare array or `traceEvents`;
/// - a directory that holds several of one kind, such as the processes of a job or the slices of a
///   table: they become one profile, told by the clock of the first.
///
/// What is readable is read; [`damages`](Profile::damages) tells the rest. Memory stays within a
/// small multiple of the size of the files, whatever they say.
///
/// # Errors
///
/// Where the path cannot be opened or holds no known format, which the message then names; where a
/// `PROF_*` directory has no readable control files; or where the name table is full.
///
/// ```
/// use optap_export::read;
/// use optap_record::NameTable;
/// let path = std::env::temp_dir().join(format!("optap-doc-any-{}.csv", std::process::id()));
/// std::fs::write(&path, "Name,Type,Start Time(us),Duration(us)\nconv1,Conv,1000.250\t,0.5\n")?;
/// let profile = read(&path, NameTable::global())?;
/// assert_eq!(profile.records[0].duration_ns(), Some(500));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read(path: &Path, names: &NameTable) -> io::Result<Profile> {
    let parts = source::parts(path)?.into_iter();
    let mut profiles = parts.map(|(format, path)| match format {
        Format::Prof => read_prof(&path, names),
        Format::Database => database::read(&path, names),
        Format::Table => table::read(&path, names),
        Format::Trace => trace::read(&path, names),
    });
    let first = profiles.next().ok_or(io::ErrorKind::NotFound)??;
    Ok(merge(first, profiles.collect::<io::Result<_>>()?))
}
