//! Fields of a record, little-endian, by their distance from its start.

pub(crate) fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(record, at))
}

pub(crate) fn u32_at(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(record, at))
}

pub(crate) fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(record, at))
}

/// Bytes beyond the end are zero.
fn array<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    let field = record.get(at..at + N).unwrap_or(&[]);
    bytes[..field.len()].copy_from_slice(field);
    bytes
}
