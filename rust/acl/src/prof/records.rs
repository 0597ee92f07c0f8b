//! Buffers of wire records as the getters read them.

use std::cell::RefCell;

use optap_record::{Layout, WireRecord, verify};
use optap_runtime::{Error, ErrorCode, Result};

/// The size of a wire record, bytes.
pub const RECORD_BYTES: usize = Layout::Cann80.size_bytes();

/// Buffers beyond this size are checked at every call instead of remembered.
const REMEMBERED_BYTES: usize = 1 << 20;

thread_local! {
    static CHECKED: RefCell<Checked> = const { RefCell::new(Checked::new()) };
}

/// The last buffer that a thread checked: its content, and whether every signature held.
struct Checked {
    bytes: Vec<u8>,
    verdict: Result<()>,
}

impl Checked {
    const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            verdict: Ok(()),
        }
    }

    /// Makes the content of `buffer` the remembered one, and checks it if it was not.
    fn admit(&mut self, buffer: &[u8]) -> Result<&[u8]> {
        if self.bytes != buffer {
            self.bytes.clear();
            self.bytes.extend_from_slice(buffer);
            self.verdict = check(&self.bytes);
        }
        self.verdict.clone().map(|()| &*self.bytes)
    }
}

/// How many records `buffer` holds.
///
/// 100000 without a buffer, where the size is not that of whole records, and where any record is damaged.
pub fn count(buffer: Option<&[u8]>) -> Result<u32> {
    let buffer = whole(buffer)?;
    with_checked(buffer, |bytes| Ok((bytes.len() / RECORD_BYTES) as u32))
}

/// The record at `index`. 100000 as for [`count`], and where there is no such record.
pub fn record(buffer: Option<&[u8]>, index: u32) -> Result<WireRecord> {
    let buffer = whole(buffer)?;
    with_checked(buffer, |bytes| {
        let from = index as usize * RECORD_BYTES;
        let slot = bytes
            .get(from..from + RECORD_BYTES)
            .ok_or_else(|| outside(index, bytes.len()))?;
        WireRecord::decode(slot, Layout::Cann80).map_err(|damage| damaged(index as usize, &damage))
    })
}

fn with_checked<T>(buffer: &[u8], read: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
    if buffer.len() > REMEMBERED_BYTES {
        check(buffer)?;
        return read(buffer);
    }
    CHECKED.with_borrow_mut(|checked| read(checked.admit(buffer)?))
}

fn check(bytes: &[u8]) -> Result<()> {
    for (index, slot) in bytes.chunks_exact(RECORD_BYTES).enumerate() {
        verify(slot, Layout::Cann80).map_err(|damage| damaged(index, &damage))?;
    }
    Ok(())
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
fn outside(index: u32, len_bytes: usize) -> Error {
    let count = len_bytes / RECORD_BYTES;
    invalid(format!("there is no record {index} among {count}"))
}

#[cold]
fn invalid(detail: String) -> Error {
    Error::new(ErrorCode::InvalidParam, detail)
}
