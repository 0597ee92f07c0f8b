//! What it costs to check and read one wire record, beside a reader that checks its whole buffer in each getter.
//!
//! Run with `cargo bench -p optap-record`. Prints medians over interleaved rounds, ns a record.

use std::hint::black_box;
use std::time::Instant;

use optap_record::{Decoder, Layout, WireRecord, verify};

const ROUNDS: usize = 15;
const GETTERS: usize = 6;
const SIZE: usize = Layout::Cann80.size_bytes();

fn main() {
    let table = table();
    println!(
        "{:<34} {:>12} {:>12} {:>12}",
        "ns a record", "10 a read", "1,000 a read", "100,000"
    );
    let buffers = [10, 1_000, 100_000].map(records);
    report("verify", &buffers, |bytes| {
        each(bytes, |slot| verify(slot, Layout::Cann80).is_ok())
    });
    report("verify + decode", &buffers, |bytes| {
        each(bytes, |slot| {
            black_box(WireRecord::decode(slot, Layout::Cann80)).is_ok()
        })
    });
    let mut ops = Vec::new();
    report("Decoder, to op records", &buffers, |bytes| {
        ops.clear();
        let mut decoder = Decoder::new(Layout::Cann80);
        decoder.push(bytes, |record| ops.push(record.to_op()));
        ops.len()
    });
    report("crc32c crate, once a record", &buffers, |bytes| {
        each(bytes, |slot| !crc32c::crc32c(&slot[4..]) == stored(slot))
    });
    report("table CRC, once a record", &buffers, |bytes| {
        each(bytes, |slot| {
            table_register(&table, &slot[4..]) == stored(slot)
        })
    });
    report("table CRC, whole buffer a getter", &buffers[..2], |bytes| {
        getters(&table, bytes)
    });
}

fn records(count: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for index in 0..count {
        let start_ns = index * 1_000;
        WireRecord {
            op_index: index + 1,
            start_ns,
            end_ns: start_ns + 500,
            duration_ns: 500,
            ..WireRecord::default()
        }
        .encode(Layout::Cann80, &mut bytes);
    }
    bytes
}

fn each(bytes: &[u8], mut good: impl FnMut(&[u8]) -> bool) -> usize {
    bytes.chunks_exact(SIZE).filter(|slot| good(slot)).count()
}

fn report(name: &str, buffers: &[Vec<u8>], mut read: impl FnMut(&[u8]) -> usize) {
    let mut samples = vec![Vec::new(); buffers.len()];
    for _ in 0..ROUNDS {
        for (samples, bytes) in samples.iter_mut().zip(buffers) {
            samples.push(ns_a_record(bytes, &mut read));
        }
    }
    print!("{name:<34}");
    for mut samples in samples {
        samples.sort_by(f64::total_cmp);
        print!(" {:>12.2}", samples[ROUNDS / 2]);
    }
    println!();
}

/// Reads the buffer until at least 5 ms have passed.
fn ns_a_record(bytes: &[u8], read: &mut impl FnMut(&[u8]) -> usize) -> f64 {
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed().as_micros() < 5_000 {
        for _ in 0..(100_000 / bytes.len()).max(1) {
            count += black_box(read(black_box(bytes)));
        }
    }
    start.elapsed().as_nanos() as f64 / count as f64
}

fn stored(slot: &[u8]) -> u32 {
    u32::from_le_bytes([slot[0], slot[1], slot[2], slot[3]])
}

fn getters(table: &[u32; 256], bytes: &[u8]) -> usize {
    let count = bytes.len() / SIZE;
    for _ in 0..count * GETTERS {
        black_box(each(bytes, |slot| {
            table_register(table, &slot[4..]) == stored(slot)
        }));
    }
    count
}

fn table_register(table: &[u32; 256], bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |crc, byte| {
        (crc >> 8) ^ table[((crc ^ u32::from(*byte)) & 0xff) as usize]
    })
}

fn table() -> [u32; 256] {
    std::array::from_fn(|byte| {
        (0..8).fold(byte as u32, |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0x82f6_3b78 } else { 0 }
        })
    })
}
