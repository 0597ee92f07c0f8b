//! Writes a small `PROF_*` directory: `cargo run -p optap-export --example prof -- DIRECTORY [OPS]`.
//!
//! `msprof --export=on --output=DIRECTORY/PROF_…` then gives the tables.

use std::io;

use optap_export::{Anchor, ProfDir, Settings};
use optap_record::{Flags, Kind, NameTable, OpInfo, OpRecord};

const START_NS: u64 = 5_000_000_000_000;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let base = arguments.next().unwrap_or_else(|| "profiles".to_owned());
    let count = arguments.next().and_then(|ops| ops.parse().ok());
    let settings = Settings {
        anchor: Anchor {
            monotonic_ns: START_NS,
            unix_ns: 1_767_225_600_000_000_000,
        },
        process_name: "app".to_owned(),
        ..Settings::default()
    };
    let ops = [
        ("conv1", "Conv"),
        ("relu1", "Relu"),
        ("fc", "Gemm"),
        ("prefill", "serving"),
        ("request done", "serving"),
    ]
    .map(|(name, type_)| op(name, type_));
    let mut prof = ProfDir::create(base.as_ref(), &[0], &settings)?;
    let names = |op_id: u32| ops.get((op_id as usize).checked_sub(1)?);
    let mut next_ns = START_NS + 100_000;
    for run_id in 1..=count.unwrap_or(6_u64) / 3 {
        prof.write(&run(run_id, next_ns), names)?;
        next_ns += 100_000;
    }
    let report = prof.finish()?;
    println!("{}", report.path.display());
    Ok(())
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

fn op(name: &str, type_: &str) -> OpInfo {
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
