//! What an event of a Chrome trace costs, beside a loop that writes the least such a trace can hold.
//!
//! Run with `cargo bench -p optap-export`, and a directory in `OPTAP_BENCH_DIR` (`/dev/shm` by
//! default on Linux). Prints medians over interleaved rounds, CPU ns a record.

mod support;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use optap_export::ChromeWriter;
use optap_record::{OpInfo, OpRecord};
use support::{ROUNDS, cpu_ns, directory, ops, records, report};

fn main() -> io::Result<()> {
    let (records, ops) = (records(), ops());
    let path = directory().join(format!("optap-chrome-{}.json", std::process::id()));
    let mut floor_ns = Vec::new();
    let mut blocks_ns = [256, 4_096].map(|records| (records, Vec::new()));
    let (mut floor_bytes, mut bytes) = (0, 0);
    for _ in 0..ROUNDS {
        floor_ns.push(cpu_ns(|| floor(&path, &records, &ops))?);
        floor_bytes = path.metadata()?.len();
        for (batch, samples) in &mut blocks_ns {
            samples.push(cpu_ns(|| chrome(&path, &records, &ops, *batch))?);
            bytes = path.metadata()?.len();
        }
    }
    std::fs::remove_file(&path)?;
    report("floor: name, times, 4 integers", floor_ns, floor_bytes);
    for (batch, samples) in blocks_ns {
        report(&format!("ChromeWriter, {batch} a batch"), samples, bytes);
    }
    Ok(())
}

fn chrome(path: &Path, records: &[OpRecord], ops: &[OpInfo], batch: usize) -> io::Result<()> {
    let mut writer = ChromeWriter::new(File::create(path)?);
    for records in records.chunks(batch) {
        writer.write(records, |op_id| ops.get(op_id as usize - 1))?;
    }
    writer.finish().map(drop)
}

/// The least: names that need no escape, no cache, no check, no argument that the viewers do not need.
fn floor(path: &Path, records: &[OpRecord], ops: &[OpInfo]) -> io::Result<()> {
    let mut file = File::create(path)?;
    let mut json = Vec::with_capacity(1 << 17);
    let mut digits = itoa::Buffer::new();
    json.extend_from_slice(b"[");
    for record in records {
        let mut micros = |json: &mut Vec<u8>, ns: u64| {
            json.extend_from_slice(digits.format(ns / 1_000).as_bytes());
            let rest = (ns % 1_000) as u16;
            json.extend([rest / 100, rest / 10 % 10, rest % 10].map(|digit| b'0' + digit as u8));
        };
        json.extend_from_slice(b"{\"name\":\"");
        json.extend_from_slice(ops[record.op_id as usize - 1].name.as_bytes());
        json.extend_from_slice(b"\",\"cat\":\"op\",\"ph\":\"X\",\"ts\":");
        micros(&mut json, record.start_ns);
        json.extend_from_slice(b",\"dur\":");
        micros(&mut json, record.end_ns - record.start_ns);
        for (member, value) in [
            (b",\"pid\":".as_slice(), record.device_id),
            (b",\"tid\":", record.stream_id),
            (b",\"args\":{\"model_id\":", record.model_id),
            (b",\"op_id\":", record.op_id),
        ] {
            json.extend_from_slice(member);
            json.extend_from_slice(digits.format(value).as_bytes());
        }
        json.extend_from_slice(b"}},");
        if json.len() > 1 << 16 {
            file.write_all(&json)?;
            json.clear();
        }
    }
    json.extend_from_slice(b"{}]");
    file.write_all(&json)
}
