//! Wire records to bytes and back, each checked once.

use crate::crc;
use crate::{Layout, WireRecord};

const SIGNATURE_BYTES: usize = 4;

/// Why bytes are not a wire record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The signature is not that of the bytes after it.
    #[error(
        "bad signature {stored:#010x}: the record's bytes give {computed:#010x}; it was damaged or is no record"
    )]
    BadSignature {
        /// The signature that the record carries.
        stored: u32,
        /// The signature of its bytes.
        computed: u32,
    },
    /// There are fewer bytes than a record has.
    #[error("a record of {needed_bytes} bytes is cut short after {given_bytes}")]
    Truncated {
        /// The size of a record, bytes.
        needed_bytes: usize,
        /// What was given, bytes.
        given_bytes: usize,
    },
}

/// The signature of the bytes behind it: CRC-32C whose register is not inverted at the end.
///
/// ```
/// assert_eq!(optap_record::signature(b"123456789"), 0x1cf9_6d7c);
/// ```
#[inline]
#[must_use]
pub fn signature(signed: &[u8]) -> u32 {
    crc::register(signed)
}

/// Checks the signature of the record that `bytes` begin with.
///
/// # Errors
///
/// [`DecodeError::Truncated`] if there is no whole record, [`DecodeError::BadSignature`] if it is
/// damaged.
#[inline]
pub fn verify(bytes: &[u8], layout: Layout) -> Result<(), DecodeError> {
    match layout {
        Layout::Cann80 => whole::<80>(bytes).and_then(check),
        Layout::Cann72 => whole::<72>(bytes).and_then(check),
    }
}

/// Writes the signature of the record that `bytes` begin with.
///
/// # Errors
///
/// [`DecodeError::Truncated`] if there is no whole record; the bytes are then left alone.
pub fn sign(bytes: &mut [u8], layout: Layout) -> Result<(), DecodeError> {
    let (needed_bytes, given_bytes) = (layout.size_bytes(), bytes.len());
    let record = bytes
        .get_mut(..needed_bytes)
        .ok_or(DecodeError::Truncated {
            needed_bytes,
            given_bytes,
        })?;
    let (head, signed) = record.split_at_mut(SIGNATURE_BYTES);
    head.copy_from_slice(&crc::register(signed).to_le_bytes());
    Ok(())
}

impl WireRecord {
    /// Reads the record that `bytes` begin with, and checks it.
    ///
    /// ```
    /// use optap_record::{Layout, WireRecord};
    /// let record = WireRecord { model_id: 1, op_index: 7, start_ns: 1_000, end_ns: 1_500, ..WireRecord::default() };
    /// let mut bytes = Vec::new();
    /// record.encode(Layout::Cann80, &mut bytes);
    /// assert_eq!(WireRecord::decode(&bytes, Layout::Cann80)?, record);
    /// # Ok::<(), optap_record::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DecodeError::Truncated`] if there is no whole record, [`DecodeError::BadSignature`] if it
    /// is damaged.
    #[inline]
    pub fn decode(bytes: &[u8], layout: Layout) -> Result<Self, DecodeError> {
        match layout {
            Layout::Cann80 => {
                let record = whole::<80>(bytes)?;
                check(record)?;
                let mut fields = Self::read(record);
                (fields.device_id, fields.padding) = (u32_at(record, 72), u32_at(record, 76));
                Ok(fields)
            }
            Layout::Cann72 => {
                let record = whole::<72>(bytes)?;
                check(record)?;
                Ok(Self::read(record))
            }
        }
    }

    /// Appends the signed record to `out`.
    pub fn encode(&self, layout: Layout, out: &mut Vec<u8>) {
        let mut bytes = [0; 80];
        let heads = [self.model_id, self.flag, self.thread_id];
        let bodies = [
            self.op_index,
            self.duration_ns,
            self.start_ns,
            self.end_ns,
            self.execution_ns,
            self.cube_fops,
            self.vector_fops,
        ];
        for (slot, value) in bytes[4..16].chunks_exact_mut(4).zip(heads) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        for (slot, value) in bytes[16..72].chunks_exact_mut(8).zip(bodies) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        bytes[72..76].copy_from_slice(&self.device_id.to_le_bytes());
        bytes[76..80].copy_from_slice(&self.padding.to_le_bytes());
        let (head, signed) = bytes[..layout.size_bytes()].split_at_mut(SIGNATURE_BYTES);
        head.copy_from_slice(&crc::register(signed).to_le_bytes());
        out.extend_from_slice(&bytes[..layout.size_bytes()]);
    }

    #[inline]
    fn read<const N: usize>(record: &[u8; N]) -> Self {
        Self {
            model_id: u32_at(record, 4),
            flag: u32_at(record, 8),
            thread_id: u32_at(record, 12),
            op_index: u64_at(record, 16),
            duration_ns: u64_at(record, 24),
            start_ns: u64_at(record, 32),
            end_ns: u64_at(record, 40),
            execution_ns: u64_at(record, 48),
            cube_fops: u64_at(record, 56),
            vector_fops: u64_at(record, 64),
            device_id: 0,
            padding: 0,
        }
    }
}

#[inline]
fn whole<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], DecodeError> {
    bytes.first_chunk().ok_or(DecodeError::Truncated {
        needed_bytes: N,
        given_bytes: bytes.len(),
    })
}

#[inline]
fn check<const N: usize>(record: &[u8; N]) -> Result<(), DecodeError> {
    let (stored, computed) = (
        u32_at(record, 0),
        crc::register_behind::<SIGNATURE_BYTES, N>(record),
    );
    if stored == computed {
        Ok(())
    } else {
        Err(DecodeError::BadSignature { stored, computed })
    }
}

#[inline]
fn u32_at<const N: usize>(record: &[u8; N], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| record[at + byte]))
}

#[inline]
fn u64_at<const N: usize>(record: &[u8; N], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|byte| record[at + byte]))
}
