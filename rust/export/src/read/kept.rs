//! Records kept as they are, beside the files that `msprof` reads.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use optap_record::{Flags, Kind, Name, NameTable, OpInfo, OpRecord};

use super::damage::Damages;
use super::fields::{u16_at, u32_at, u64_at};
use super::files::{each_record, slices};
use crate::prof::{ENTRY_MAGIC, NAMES_FILE, RECORDS_FILE};

/// Magic and length before an entry of the names; id, flags and number of sources begin it.
const HEAD_BYTES: usize = 8;
const FIELDS_BYTES: usize = 12;

/// The records and operators of a directory.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) records: Vec<OpRecord>,
    pub(crate) ops: Vec<OpInfo>,
}

/// Reads what is kept; `None` where there is nothing.
pub(crate) fn read(
    data: &Path,
    table: &NameTable,
    damages: &mut Damages,
) -> io::Result<Option<Kept>> {
    let files = slices(data, &[RECORDS_FILE.to_owned()]);
    let names = slices(data, &[NAMES_FILE.to_owned()]);
    if files.is_empty() && names.is_empty() {
        return Ok(None);
    }
    let mut kept = Kept::default();
    let mut ids = HashMap::new();
    for path in names {
        kept.read_names(&path, table, &mut ids, damages)?;
    }
    each_record::<64>(&files, damages, is_record, |bytes| {
        let mut record = decode(bytes);
        record.op_id = ids.get(&record.op_id).copied().unwrap_or(0);
        kept.records.push(record);
    });
    kept.records
        .sort_by_key(|record| (record.end_ns, record.start_ns));
    Ok(Some(kept))
}

impl Kept {
    fn read_names(
        &mut self,
        path: &Path,
        table: &NameTable,
        ids: &mut HashMap<u32, u32>,
        damages: &mut Damages,
    ) -> io::Result<()> {
        damages.begin_file();
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                damages.file(path, error);
                return Ok(());
            }
        };
        let mut at = 0;
        while at < bytes.len() {
            let Some((id, texts, flags, len)) = entry(&bytes[at..]) else {
                let next = next_entry(&bytes, at + 1);
                damages.part(path, at as u64, (next - at) as u64, "no entry");
                at = next;
                continue;
            };
            self.ops.push(info(&texts, flags, table)?);
            ids.insert(id, self.ops.len() as u32);
            at += len;
        }
        Ok(())
    }
}

type Entry<'a> = (u32, Vec<&'a [u8]>, Flags, usize);

/// The entry at the start of `bytes`: its id, texts, flags and length; `None` where there is none.
fn entry(bytes: &[u8]) -> Option<Entry<'_>> {
    let body_bytes = u32_at(bytes, 4) as usize;
    let body = bytes.get(HEAD_BYTES..)?.get(..body_bytes)?;
    if u32_at(bytes, 0) != ENTRY_MAGIC || body_bytes < FIELDS_BYTES {
        return None;
    }
    let count = 3 + u32_at(body, 8) as usize;
    let (mut texts, mut rest) = (Vec::new(), &body[FIELDS_BYTES..]);
    for _ in 0..count {
        let (len, behind) = rest.split_at_checked(4)?;
        let (text, behind) = behind.split_at_checked(u32_at(len, 0) as usize)?;
        texts.push(text);
        rest = behind;
    }
    let flags = Flags::from_bits(u32_at(body, 4));
    let is_whole = rest.is_empty();
    is_whole.then_some((u32_at(body, 0), texts, flags, HEAD_BYTES + body_bytes))
}

/// Where the next entry may begin.
fn next_entry(bytes: &[u8], from: usize) -> usize {
    let magic = ENTRY_MAGIC.to_le_bytes();
    let rest = bytes.get(from..).unwrap_or(&[]);
    let found = rest.windows(magic.len()).position(|four| four == magic);
    found.map_or(bytes.len(), |skipped| from + skipped)
}

fn info(texts: &[&[u8]], flags: Flags, table: &NameTable) -> io::Result<OpInfo> {
    let intern = |text: &&[u8]| table.intern(text).map_err(io::Error::other);
    let mut names = texts
        .iter()
        .map(intern)
        .collect::<io::Result<Vec<Name>>>()?;
    let sources = names.split_off(3);
    let [name, type_, kernel] = <[Name; 3]>::try_from(names)
        .map_err(|_| io::Error::other("an entry of fewer than three names"))?;
    Ok(OpInfo {
        name,
        type_,
        kernel,
        flags,
        sources: sources.into(),
    })
}

/// Whether the bytes are a record that reached a batch.
fn is_record(bytes: &[u8; 64]) -> bool {
    let kind = Kind(u16_at(bytes, 60));
    kind <= Kind::STEP && !kind.is_control()
}

fn decode(bytes: &[u8; 64]) -> OpRecord {
    OpRecord {
        start_ns: u64_at(bytes, 0),
        end_ns: u64_at(bytes, 8),
        run_id: u64_at(bytes, 16),
        sequence: u64_at(bytes, 24),
        op_id: u32_at(bytes, 32),
        model_id: u32_at(bytes, 36),
        stream_id: u32_at(bytes, 40),
        thread_id: u32_at(bytes, 44),
        range_id: u32_at(bytes, 48),
        flags: Flags::from_bits(u32_at(bytes, 52)),
        device_id: u32_at(bytes, 56),
        kind: Kind(u16_at(bytes, 60)),
        reserved: u16_at(bytes, 62),
    }
}
