//! Slices of records, read one after another in pieces.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::damage::Damages;

/// Files are read in pieces of this size.
const PIECE_BYTES: usize = 64 * 1024;

/// The slices of a file by number; those that may age come first, as `data` names them.
pub(crate) fn slices(data: &Path, names: &[String]) -> Vec<PathBuf> {
    let entries = fs::read_dir(data).into_iter().flatten().flatten();
    let mut slices: Vec<(usize, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let file = entry.file_name();
            let (name, number) = file.to_str()?.rsplit_once(".slice_")?;
            let kind = names.iter().position(|known| known == name)?;
            let is_file = entry.file_type().ok()?.is_file();
            is_file.then_some((kind, number.parse().ok()?, entry.path()))
        })
        .collect();
    slices.sort();
    slices.into_iter().map(|(_, _, path)| path).collect()
}

/// Gives every record of the slices to `take`. What is no record, or the part of one, is damage.
pub(crate) fn each_record<const N: usize>(
    slices: &[PathBuf],
    damages: &mut Damages,
    is_record: impl Fn(&[u8; N]) -> bool,
    mut take: impl FnMut(&[u8; N]),
) {
    for path in slices {
        damages.begin_file();
        if let Err(error) = read_slice(path, damages, &is_record, &mut take) {
            damages.file(path, error);
        }
    }
}

fn read_slice<const N: usize>(
    path: &Path,
    damages: &mut Damages,
    is_record: impl Fn(&[u8; N]) -> bool,
    mut take: impl FnMut(&[u8; N]),
) -> io::Result<()> {
    let file = File::open(path)?;
    let mut at = first_record(&file, &is_record)?;
    if at > 0 {
        damages.part(path, 0, at, "the rest of a record that is gone");
    }
    let mut reader = BufReader::with_capacity(PIECE_BYTES, file);
    reader.seek_relative(at as i64)?;
    let mut record = [0; N];
    loop {
        let bytes = fill(&mut reader, &mut record)?;
        match bytes {
            0 => return Ok(()),
            _ if bytes < N => damages.part(path, at, bytes as u64, "a record cut short"),
            _ if is_record(&record) => take(&record),
            _ => damages.part(path, at, N as u64, "no record"),
        }
        at += bytes as u64;
    }
}

/// Fills the record as far as there are bytes; gives their number.
fn fill(reader: &mut impl Read, record: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < record.len() {
        match reader.read(&mut record[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Where the first record begins: a ring that wrapped leaves a part of one before.
fn first_record<const N: usize>(
    file: &File,
    is_record: impl Fn(&[u8; N]) -> bool,
) -> io::Result<u64> {
    let rest = file.metadata()?.len() % N as u64;
    let is_at = |at| {
        let mut record = [0; N];
        file.read_exact_at(&mut record, at).is_ok() && is_record(&record)
    };
    Ok(if rest > 0 && !is_at(0) && is_at(rest) {
        rest
    } else {
        0
    })
}

/// Gives every line `key:text` of the slices to `take`. A line without a key is damage.
pub(crate) fn each_line(
    slices: &[PathBuf],
    damages: &mut Damages,
    mut take: impl FnMut(&str, &str),
) {
    for path in slices {
        damages.begin_file();
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) => {
                damages.file(path, error);
                continue;
            }
        };
        let mut at = 0;
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
            match text.split_once(':') {
                Some((key, text)) => take(key, text),
                None => damages.part(path, at, line.len() as u64, "no entry"),
            }
            at += line.len() as u64;
        }
    }
}
