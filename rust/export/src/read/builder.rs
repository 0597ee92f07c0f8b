//! Records and operators of a profile that is being put together.

use std::collections::HashMap;
use std::io;

use optap_record::{Flags, NameTable, OpInfo, OpRecord};

use super::damage::Damage;
use super::profile::Profile;
use crate::process::Process;
use crate::prof::Anchor;

/// Gives each operator its id, and puts the records in order.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    names: &'a NameTable,
    ids: HashMap<Vec<u8>, u32>,
    key: Vec<u8>,
    ops: Vec<OpInfo>,
    records: Vec<OpRecord>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(names: &'a NameTable) -> Self {
        Self {
            names,
            ids: HashMap::new(),
            key: Vec::new(),
            ops: Vec::new(),
            records: Vec::new(),
        }
    }

    /// The id of the operator with this name, type and kernel.
    ///
    /// # Errors
    ///
    /// If the name table is full.
    pub(crate) fn op(&mut self, texts: [&[u8]; 3]) -> io::Result<u32> {
        self.key.clear();
        for text in texts {
            append(&mut self.key, text);
        }
        if let Some(&id) = self.ids.get(&self.key) {
            return Ok(id);
        }
        let intern = |text: &[u8]| self.names.intern(text).map_err(io::Error::other);
        self.ops.push(OpInfo {
            name: intern(texts[0])?,
            type_: intern(texts[1])?,
            kernel: intern(texts[2])?,
            flags: Flags::NONE,
            sources: Box::new([]),
        });
        let id = self.ops.len() as u32;
        self.ids.insert(self.key.clone(), id);
        Ok(id)
    }

    #[inline]
    pub(crate) fn push(&mut self, record: OpRecord) {
        self.records.push(record);
    }

    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Sets the thread of a record by its place.
    pub(crate) fn set_thread(&mut self, at: usize, thread_id: u32) {
        if let Some(record) = self.records.get_mut(at) {
            record.thread_id = thread_id;
        }
    }

    /// Puts the records in order.
    pub(crate) fn finish(
        mut self,
        anchor: Anchor,
        process: Process,
        damages: Vec<Damage>,
    ) -> Profile {
        in_order(&mut self.records);
        Profile {
            anchor,
            process,
            records: self.records,
            ops: self.ops,
            damages,
        }
    }
}

/// Sorts records by their ends, flags their times and counts them in each stream.
pub(crate) fn in_order(records: &mut [OpRecord]) {
    records.sort_by_key(|record| (record.end_ns, record.start_ns));
    let mut sequences: HashMap<(u32, u32), u64> = HashMap::new();
    for record in records {
        record.flag_times();
        let stream = (record.device_id, record.stream_id);
        let next = sequences.entry(stream).or_default();
        record.sequence = *next;
        *next += 1;
    }
}

/// Appends a text to a key, so that no two lists of texts make the same key.
pub(crate) fn append(key: &mut Vec<u8>, text: &[u8]) {
    key.extend_from_slice(&text.len().to_le_bytes());
    key.extend_from_slice(text);
}
