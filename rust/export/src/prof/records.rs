//! The records as they are, beside what `msprof` reads.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use optap_record::{OpInfo, OpRecord};

use super::layout;
use super::slice::Slices;
use super::storage::Storage;

/// What the files are called.
pub(crate) const NAMES_FILE: &str = "unaging.optap.names";
pub(crate) const RECORDS_FILE: &str = "aging.optap.records";
/// Operators whose ids are remembered; beyond, all are told anew, so that memory does not grow with messages that are
/// made on the way.
const REMEMBERED: usize = 1 << 16;
/// Begins every entry of the names.
pub(crate) const ENTRY_MAGIC: u32 = u32::from_le_bytes(*b"opnm");

/// Records and the operators that they name; ids are those of the file.
#[derive(Debug)]
pub(crate) struct Records {
    names: Slices,
    records: Slices,
    ids: HashMap<OpInfo, u32>,
    last_id: u32,
    round: HashMap<u32, u32>,
}

impl Records {
    pub(crate) fn new(directory: &Path, slice_bytes: u64) -> Self {
        Self {
            names: Slices::new(directory, NAMES_FILE, u64::MAX),
            records: Slices::new(directory, RECORDS_FILE, slice_bytes),
            ids: HashMap::new(),
            last_id: 0,
            round: HashMap::new(),
        }
    }

    /// Begins a round, in which an id keeps its meaning.
    pub(crate) fn begin_round(&mut self) {
        self.round.clear();
    }

    pub(crate) fn push<'a>(
        &mut self,
        record: &OpRecord,
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) {
        let op_id = match self.round.get(&record.op_id) {
            Some(&op_id) => op_id,
            None => self.id(record.op_id, names(record.op_id)),
        };
        self.records
            .push(&layout::record(&OpRecord { op_id, ..*record }));
    }

    /// The file's own id of an operator, which is told when it is new; 0 for one without names.
    fn id(&mut self, op_id: u32, info: Option<&OpInfo>) -> u32 {
        let known = info.map(|info| self.ids.get(info).copied());
        let id = match (info, known) {
            (Some(info), Some(None)) => self.tell(info),
            (_, known) => known.flatten().unwrap_or(0),
        };
        self.round.insert(op_id, id);
        id
    }

    fn tell(&mut self, info: &OpInfo) -> u32 {
        if self.ids.len() == REMEMBERED {
            self.ids.clear();
        }
        self.last_id += 1;
        self.names.push(&entry(self.last_id, info));
        self.ids.insert(info.clone(), self.last_id);
        self.last_id
    }

    fn both(&mut self) -> [&mut Slices; 2] {
        [&mut self.names, &mut self.records]
    }

    pub(crate) fn spill(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.names.flush(storage)?;
        self.records.spill(storage)
    }

    pub(crate) fn flush(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.both()
            .into_iter()
            .try_for_each(|file| file.flush(storage))
    }

    pub(crate) fn close(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.both()
            .into_iter()
            .try_for_each(|file| file.close(storage))
    }

    pub(crate) fn abandon(&mut self, storage: &mut Storage) {
        self.both()
            .into_iter()
            .for_each(|file| file.abandon(storage));
    }
}

/// One operator: magic, length of what follows, id, flags, number of sources, then each name with
/// its length.
fn entry(id: u32, info: &OpInfo) -> Vec<u8> {
    let head = [id, info.flags.bits(), info.sources.len() as u32];
    let mut body: Vec<u8> = head.iter().flat_map(|field| field.to_le_bytes()).collect();
    let names = [&info.name, &info.type_, &info.kernel];
    for name in names.into_iter().chain(&info.sources) {
        body.extend((name.as_bytes().len() as u32).to_le_bytes());
        body.extend(name.as_bytes());
    }
    let head = [ENTRY_MAGIC, body.len() as u32];
    let mut entry: Vec<u8> = head.iter().flat_map(|field| field.to_le_bytes()).collect();
    entry.append(&mut body);
    entry
}
