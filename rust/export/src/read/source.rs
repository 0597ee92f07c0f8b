//! Which formats there are, and what a path holds.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Directories that are looked into below the one asked for.
const DEPTH: usize = 3;
/// Bytes by which a file is recognised.
const HEAD_BYTES: u64 = 4_096;

/// What a file or a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A `PROF_*` directory.
    Prof,
    /// A database of `msprof` or of a framework's profiler.
    Database,
    /// A table of one row for each operator, mark or step.
    Table,
    /// A Chrome trace.
    Trace,
}

/// The parts that a path holds, of which each is read by itself.
///
/// # Errors
///
/// Where the path cannot be read, or holds nothing that is known: the message says what was found.
pub(crate) fn parts(path: &Path) -> io::Result<Vec<(Format, PathBuf)>> {
    let metadata = fs::metadata(path).map_err(|error| named(path, &error))?;
    if metadata.is_file() {
        return Ok(vec![(of_file(path)?, path.to_owned())]);
    }
    if !metadata.is_dir() {
        return Err(unknown(path, "neither a file nor a directory"));
    }
    let parts = of_directory(path, DEPTH)?;
    if parts.is_empty() {
        return Err(unknown(
            path,
            "a directory without PROF_*, database, table or trace",
        ));
    }
    Ok(parts)
}

/// The format of a file, by its first bytes.
fn of_file(path: &Path) -> io::Result<Format> {
    let mut head = Vec::new();
    let file = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    file.map_err(|error| named(path, &error))?;
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let text = text.trim_ascii_start();
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
    match text.first() {
        _ if head.starts_with(b"SQLite format 3\0") => Ok(Format::Database),
        Some(b'[' | b'{') => Ok(Format::Trace),
        Some(byte) if byte.is_ascii_graphic() && line.contains(&b',') => Ok(Format::Table),
        None => Err(unknown(path, "an empty file")),
        _ => Err(unknown(path, kind_of(&head))),
    }
}

/// What a file that is none of ours seems to be.
fn kind_of(head: &[u8]) -> &'static str {
    match head {
        [0x1f, 0x8b, ..] => "a gzip file: decompress it first",
        [b'P', b'K', 3, 4, ..] => "a zip file: unpack it first",
        [b'P', b'A', b'R', b'1', ..] => "a Parquet file",
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => "an Arrow file",
        [0x0a, ..] => "a Perfetto trace",
        _ => "a file of another kind",
    }
}

/// The parts of the first kind that the directory holds: raw data, then databases, directories of
/// these, tables, and at last traces.
fn of_directory(path: &Path, depth: usize) -> io::Result<Vec<(Format, PathBuf)>> {
    if path.join("host/data").is_dir() {
        return Ok(vec![(Format::Prof, path.to_owned())]);
    }
    let entries = fs::read_dir(path).map_err(|error| named(path, &error))?;
    let mut entries: Vec<(String, PathBuf)> = entries
        .flatten()
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            )
        })
        .collect();
    entries.sort();
    let pick = |format: Format, is_one: fn(&str) -> bool| {
        let files = entries
            .iter()
            .filter(|(name, path)| is_one(name) && path.is_file());
        files
            .map(|(_, path)| (format, path.clone()))
            .collect::<Vec<_>>()
    };
    let databases = pick(Format::Database, is_database);
    if !databases.is_empty() {
        return Ok(databases);
    }
    for is_one in [is_prof, is_output] {
        let mut parts = Vec::new();
        for (_, path) in entries
            .iter()
            .filter(|(name, path)| depth > 0 && is_one(name) && path.is_dir())
        {
            parts.extend(of_directory(path, depth - 1)?);
        }
        if !parts.is_empty() {
            return Ok(parts);
        }
    }
    let tables = pick(Format::Table, is_table);
    if !tables.is_empty() {
        return Ok(tables);
    }
    Ok(pick(Format::Trace, is_trace))
}

fn is_prof(name: &str) -> bool {
    name.starts_with("PROF_") || name.ends_with("_ascend_pt") || name.ends_with("_ascend_ms")
}

fn is_output(name: &str) -> bool {
    matches!(
        name,
        "ASCEND_PROFILER_OUTPUT" | "mindstudio_profiler_output"
    )
}

fn is_database(name: &str) -> bool {
    let starts = [
        "msprof_",
        "ascend_pytorch_profiler",
        "ascend_mindspore_profiler",
    ];
    name.ends_with(".db") && starts.iter().any(|start| name.starts_with(start))
}

fn is_table(name: &str) -> bool {
    let starts = ["op_summary", "kernel_details"];
    name.ends_with(".csv") && starts.iter().any(|start| name.starts_with(start))
}

fn is_trace(name: &str) -> bool {
    let starts = ["trace", "msprof_"];
    name.ends_with(".json") && starts.iter().any(|start| name.starts_with(start))
}

fn unknown(path: &Path, found: &str) -> io::Error {
    let message = format!(
        "{}: {found}; a profile is a PROF_* directory, an msprof or ascend_pytorch_profiler \
         database, an op_summary or kernel_details table, or a Chrome trace",
        path.display()
    );
    io::Error::new(io::ErrorKind::Unsupported, message)
}

pub(crate) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
