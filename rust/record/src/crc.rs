//! CRC-32C, the register as it stands after the last byte.
//!
//! A record is too short for the `crc32c` crate's three interleaved lanes; where the processor has
//! the instruction, one plain chain over unaligned words, unrolled for the record's size, takes a
//! third of the time.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64::{__crc32cb as byte_step, __crc32cd as word_step, __crc32cw as half_step};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_mm_crc32_u8 as byte_step, _mm_crc32_u32 as half_step, _mm_crc32_u64};

/// The register after `bytes`, begun with all ones and not inverted at the end.
pub(crate) fn register(bytes: &[u8]) -> u32 {
    if has_instruction() {
        // SAFETY: `has_instruction` has just found the processor feature that the function needs.
        unsafe { chain(bytes) }
    } else {
        register_portable(bytes)
    }
}

/// [`register`] of what follows the first `HEAD` bytes of a record, unrolled for its size.
#[inline]
pub(crate) fn register_behind<const HEAD: usize, const N: usize>(record: &[u8; N]) -> u32 {
    if has_instruction() {
        // SAFETY: `has_instruction` has just found the processor feature that the function needs.
        unsafe { chain_behind::<HEAD, N>(record) }
    } else {
        register_portable(&record[HEAD..])
    }
}

fn register_portable(bytes: &[u8]) -> u32 {
    !crc32c::crc32c(bytes)
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn has_instruction() -> bool {
    is_x86_feature_detected!("sse4.2")
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn has_instruction() -> bool {
    std::arch::is_aarch64_feature_detected!("crc")
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse4.2")]
fn word_step(crc: u32, word: u64) -> u32 {
    _mm_crc32_u64(u64::from(crc), word) as u32
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse4.2"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "crc"))]
fn chain_behind<const HEAD: usize, const N: usize>(record: &[u8; N]) -> u32 {
    chain(&record[HEAD..])
}

#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse4.2"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "crc"))]
fn chain(bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks();
    let mut crc = u32::MAX;
    for word in words {
        crc = word_step(crc, u64::from_le_bytes(*word));
    }
    let (halves, rest) = rest.as_chunks();
    for half in halves {
        crc = half_step(crc, u32::from_le_bytes(*half));
    }
    for byte in rest {
        crc = byte_step(crc, *byte);
    }
    crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_paths_give_the_same_register() {
        let bytes: Vec<u8> = (0..=255).collect();
        for start in 0..8 {
            for end in start..bytes.len() {
                assert_eq!(
                    register(&bytes[start..end]),
                    register_portable(&bytes[start..end])
                );
            }
        }
        let record: &[u8; 80] = bytes.first_chunk().unwrap();
        assert_eq!(
            register_behind::<4, 80>(record),
            register_portable(&record[4..])
        );
    }
}
