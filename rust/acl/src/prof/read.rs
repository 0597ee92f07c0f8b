//! The getters: from a buffer of records to what one of them says. They need no context and work in any thread.

use optap_record::{Name, WireRecord};
use optap_runtime::{Error, ErrorCode, Result};

use crate::prof::names::{Fetched, OpNames, Text, Texts};
use crate::prof::records::{self, RECORD_BYTES};
use crate::{Acl, log};

/// The longest text that a call may ask for, bytes.
const TEXT_BYTES: u32 = 4096;

/// The size of a record, bytes.
pub fn get_op_desc_size() -> Result<u32> {
    Ok(RECORD_BYTES as u32)
}

/// How many records `buffer` holds; 100000 where it is null, no whole records, or damaged.
pub fn get_op_num(buffer: Option<&[u8]>) -> Result<u32> {
    records::count(buffer)
}

/// The model whose operator the record at `index` tells. Errors as [`get_op_num`], and for an index outside.
pub fn get_model_id(buffer: Option<&[u8]>, index: u32) -> Result<u32> {
    read(buffer, index).map(|record| record.model_id)
}

/// When the operator began, ns. Errors as [`get_model_id`].
pub fn get_op_start(buffer: Option<&[u8]>, index: u32) -> Result<u64> {
    read(buffer, index).map(|record| record.start_ns)
}

/// When the operator ended, ns. Errors as [`get_model_id`].
pub fn get_op_end(buffer: Option<&[u8]>, index: u32) -> Result<u64> {
    read(buffer, index).map(|record| record.end_ns)
}

/// How long the operator took, ns. Errors as [`get_model_id`].
pub fn get_op_duration(buffer: Option<&[u8]>, index: u32) -> Result<u64> {
    read(buffer, index).map(|record| record.duration_ns)
}

/// The size of an operator's name or type, bytes, with a NUL at its end. Errors as [`get_op_text`]; takes nothing.
pub fn get_op_text_len(buffer: Option<&[u8]>, index: u32, text: Text) -> Result<usize> {
    Acl::global()
        .prof
        .shared
        .names
        .read_len(buffer, index, text)
}

/// An operator's name or type, which is given once.
///
/// 100000 as for [`get_model_id`], for a text that was given before, for more than 4096 `room_bytes`, and where the
/// text needs more than `room_bytes`; then it stays.
pub fn get_op_text(
    buffer: Option<&[u8]>,
    index: u32,
    text: Text,
    room_bytes: Option<u32>,
) -> Result<Fetched> {
    if let Some(room_bytes) = room_bytes.filter(|room_bytes| *room_bytes > TEXT_BYTES) {
        let detail =
            format!("a text of {room_bytes} bytes was asked for; at most {TEXT_BYTES} are given");
        return Err(Error::new(ErrorCode::InvalidParam, detail));
    }
    Acl::global()
        .prof
        .shared
        .names
        .read(buffer, index, text, room_bytes)
}

/// A record, which is logged when it is read for the first time.
#[inline]
fn read(buffer: Option<&[u8]>, index: u32) -> Result<WireRecord> {
    let record = records::record(buffer, index)?;
    if log::is_on() {
        Acl::global().prof.shared.names.tell(&record);
    }
    Ok(record)
}

impl OpNames {
    /// As [`get_op_text_len`], of this table.
    pub fn read_len(&self, buffer: Option<&[u8]>, index: u32, text: Text) -> Result<usize> {
        let record = records::record(buffer, index)?;
        self.length_bytes(record.op_index, text)
            .map(|length_bytes| length_bytes + 1)
    }

    /// As [`get_op_text`], of this table, and without a limit.
    pub fn read(
        &self,
        buffer: Option<&[u8]>,
        index: u32,
        text: Text,
        room_bytes: Option<u32>,
    ) -> Result<Fetched> {
        let record = records::record(buffer, index)?;
        if log::is_on() {
            self.tell(&record);
        }
        self.fetch(record.op_index, text, room_bytes)
    }

    /// Logs a record where it is read for the first time.
    fn tell(&self, record: &WireRecord) {
        let Some(Texts { name, op_type }) = self.first_read(record.op_index) else {
            return;
        };
        let shown = |text: &Option<Name>| {
            text.as_ref().map_or_else(String::new, |text| {
                String::from_utf8_lossy(text.as_bytes()).into_owned()
            })
        };
        let (name, op_type) = (shown(&name), shown(&op_type));
        let WireRecord {
            model_id,
            op_index,
            start_ns,
            end_ns,
            duration_ns,
            ..
        } = record;
        log::info(format_args!(
            "op {op_index}: model {model_id}, name {name}, type {op_type}, start {start_ns}, end {end_ns}, duration \
             {duration_ns} ns"
        ));
    }
}
