//! A few runs of a small model, within ranges and steps.

use optap_export::{Anchor, Settings};
use optap_record::{Flags, Kind, NameTable, OpInfo, OpRecord};

/// When the scenario begins, monotonic ns.
pub const START_NS: u64 = 5_000_000_000_000;

/// Begins at a round wall clock.
pub fn settings() -> Settings {
    Settings {
        anchor: Anchor {
            monotonic_ns: START_NS,
            unix_ns: 1_767_225_600_000_000_000,
        },
        process_name: "app".to_owned(),
        ..Settings::default()
    }
}

/// What the ids 1 to 5 name.
pub fn ops() -> [OpInfo; 5] {
    [
        ("conv1", "Conv"),
        ("relu1", "Relu"),
        ("fc", "Gemm"),
        ("prefill", "serving"),
        ("request done", "serving"),
    ]
    .map(|(name, type_)| op(name, type_))
}

/// The records of so many runs, 100 us apart.
pub fn runs(count: u64) -> impl Iterator<Item = [OpRecord; 6]> {
    (1..=count).map(|run_id| run(run_id, START_NS + run_id * 100_000))
}

/// Three operators that follow each other, within a range and a step; then a mark.
fn run(run_id: u64, start_ns: u64) -> [OpRecord; 6] {
    let record = |kind, op_id, from_ns, to_ns| OpRecord {
        kind,
        op_id,
        run_id,
        start_ns: start_ns + from_ns,
        end_ns: start_ns + to_ns,
        model_id: if kind == Kind::OP { 9 } else { 0 },
        stream_id: 2,
        thread_id: 4_243,
        ..OpRecord::default()
    };
    [
        record(Kind::OP, 1, 0, 40_000),
        record(Kind::OP, 2, 40_000, 52_500),
        record(Kind::OP, 3, 60_000, 80_001),
        record(Kind::RANGE, 4, 0, 85_000),
        record(Kind::STEP, 0, 0, 90_000),
        record(Kind::MARK, 5, 95_000, 95_000),
    ]
}

pub fn op(name: &str, type_: &str) -> OpInfo {
    let intern = |text: &str| {
        let name = NameTable::global().intern(text.as_bytes());
        name.expect("a table without a limit is never full")
    };
    OpInfo {
        name: intern(name),
        type_: intern(type_),
        kernel: intern(&format!("Cpu{type_}")),
        flags: Flags::NONE,
        sources: Box::new([]),
    }
}
