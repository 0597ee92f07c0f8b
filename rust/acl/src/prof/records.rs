//! Buffers of wire records as the getters read them.

use std::cell::RefCell;

use optap_record::{Layout, WireRecord};
use optap_runtime::{Error, ErrorCode, Result};

/// The size of a wire record, bytes.
pub const RECORD_BYTES: usize = Layout::Cann80.size_bytes();

/// Buffers beyond this size are checked at every call instead of remembered.
const REMEMBERED_BYTES: usize = 1 << 20;

thread_local! {
    static CHECKED: RefCell<Checked> = const { RefCell::new(Checked::new()) };
}

/// The last buffer that a thread checked: its content, and the records in it if every signature held.
struct Checked {
    bytes: Vec<u8>,
    records: Result<Vec<WireRecord>>,
}

impl Checked {
    const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            records: Ok(Vec::new()),
        }
    }

    /// The records of `buffer`, which are checked unless its content is the remembered one.
    #[inline]
    fn admit(&mut self, buffer: &[u8]) -> Result<&[WireRecord]> {
        if self.bytes != buffer {
            self.bytes.clear();
            self.bytes.extend_from_slice(buffer);
            self.records = decode(&self.bytes);
        }
        match &self.records {
            Ok(records) => Ok(records),
            Err(damage) => Err(damage.clone()),
        }
    }
}

/// How many records `buffer` holds.
///
/// 100000 without a buffer, where the size is not that of whole records, and where any record is damaged.
pub fn count(buffer: Option<&[u8]>) -> Result<u32> {
    with_records(whole(buffer)?, |records| Ok(records.len() as u32))
}

/// The record at `index`. 100000 as for [`count`], and where there is no such record.
#[inline]
pub fn record(buffer: Option<&[u8]>, index: u32) -> Result<WireRecord> {
    with_records(whole(buffer)?, |records| {
        let found = records.get(index as usize).copied();
        found.ok_or_else(|| outside(index, records.len()))
    })
}

#[inline]
fn with_records<T>(buffer: &[u8], read: impl FnOnce(&[WireRecord]) -> Result<T>) -> Result<T> {
    if buffer.len() > REMEMBERED_BYTES {
        return read(&decode(buffer)?);
    }
    CHECKED.with_borrow_mut(|checked| read(checked.admit(buffer)?))
}

fn decode(bytes: &[u8]) -> Result<Vec<WireRecord>> {
    let slots = bytes.chunks_exact(RECORD_BYTES).enumerate();
    slots
        .map(|(index, slot)| {
            WireRecord::decode(slot, Layout::Cann80).map_err(|damage| damaged(index, &damage))
        })
        .collect()
}

fn whole(buffer: Option<&[u8]>) -> Result<&[u8]> {
    let buffer = buffer.ok_or_else(|| invalid("the address of the records is null".into()))?;
    let len = buffer.len();
    if !len.is_multiple_of(RECORD_BYTES) || u32::try_from(len).is_err() {
        let detail = format!("{len} bytes are not whole records of {RECORD_BYTES} bytes");
        return Err(invalid(detail));
    }
    Ok(buffer)
}

#[cold]
fn damaged(index: usize, damage: &optap_record::DecodeError) -> Error {
    invalid(format!("record {index} of the buffer: {damage}"))
}

#[cold]
fn outside(index: u32, count: usize) -> Error {
    invalid(format!("there is no record {index} among {count}"))
}

#[cold]
fn invalid(detail: String) -> Error {
    Error::new(ErrorCode::InvalidParam, detail)
}
