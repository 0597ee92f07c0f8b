//! What a record costs in a summary: 10 million of them, in batches as the drainer makes them.
//!
//! Run with `cargo bench -p optap-summary`. Prints medians over interleaved rounds, CPU ns a record.

use std::sync::Arc;

use optap_record::{Flags, NameTable, OpInfo, OpLease, OpRecord, OpTable};
use optap_summary::{By, Summary};

const RECORDS: usize = 10_000_000;
const TYPES: u32 = 40;
const BATCH: usize = 4_096;
const ROUNDS: usize = 5;

fn main() {
    let lease = lease();
    let records = records(&lease);
    let mut samples = By::ALL.map(|by| (by, Vec::new()));
    for _ in 0..ROUNDS {
        for (by, samples) in &mut samples {
            samples.push(ns_a_record(&records, &lease, *by));
        }
    }
    for (by, mut samples) in samples {
        samples.sort_by(f64::total_cmp);
        println!("{:>8} {:6.2} ns", by.name(), samples[ROUNDS / 2]);
    }
}

fn ns_a_record(records: &[OpRecord], lease: &Arc<OpLease>, by: By) -> f64 {
    let mut summary = Summary::new(by, 65_536);
    let began_ns = cpu_ns();
    for batch in records.chunks(BATCH) {
        summary.add(batch, std::slice::from_ref(lease));
    }
    let spent_ns = cpu_ns() - began_ns;
    assert_eq!(summary.records(), records.len() as u64);
    spent_ns as f64 / records.len() as f64
}

fn lease() -> Arc<OpLease> {
    let intern = |text: &str| NameTable::global().intern(text.as_bytes()).unwrap();
    let info = |at: u32| OpInfo {
        name: intern(&format!("node{at}")),
        type_: intern(&format!("Type{at}")),
        kernel: intern("kernel"),
        flags: Flags::NONE,
        sources: Box::new([]),
    };
    OpTable::global().register((0..TYPES).map(info).collect())
}

/// Types and durations without an order that a processor could guess.
fn records(lease: &OpLease) -> Vec<OpRecord> {
    let mut bits = 1_u64;
    let record = |at| {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let start_ns = 1_000 + 10 * at as u64;
        OpRecord {
            start_ns,
            end_ns: start_ns + (1_000 << ((bits >> 60) % 6)) + (bits >> 40) % 977,
            op_id: lease.first_id() + ((bits >> 33) % u64::from(TYPES)) as u32,
            stream_id: at as u32 / 64 % 8,
            range_id: at as u32 / 1_000 % 16,
            ..OpRecord::default()
        }
    };
    (0..RECORDS).map(record).collect()
}

/// CPU time of this thread, ns.
fn cpu_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is ours to fill.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
