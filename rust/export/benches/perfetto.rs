//! What an event of a Perfetto trace costs, beside a loop that writes the least such a trace can hold.
//!
//! Run with `cargo bench -p optap-export --bench perfetto`, and a directory in `OPTAP_BENCH_DIR`
//! (`/dev/shm` by default on Linux). Prints medians over interleaved rounds, CPU ns a record.

mod support;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use optap_export::PerfettoWriter;
use optap_record::{OpInfo, OpRecord};
use support::{ROUNDS, cpu_ns, directory, ops, records, report};

fn main() -> io::Result<()> {
    let (records, ops) = (records(), ops());
    let path = directory().join(format!("optap-perfetto-{}.pftrace", std::process::id()));
    let mut floor_ns = Vec::new();
    let mut blocks_ns = [256, 4_096].map(|records| (records, Vec::new()));
    let (mut floor_bytes, mut bytes) = (0, 0);
    for _ in 0..ROUNDS {
        floor_ns.push(cpu_ns(|| floor(&path, &records, &ops))?);
        floor_bytes = path.metadata()?.len();
        for (batch, samples) in &mut blocks_ns {
            samples.push(cpu_ns(|| perfetto(&path, &records, &ops, *batch))?);
            bytes = path.metadata()?.len();
        }
    }
    std::fs::remove_file(&path)?;
    report("floor: name, times, track", floor_ns, floor_bytes);
    for (batch, samples) in blocks_ns {
        report(&format!("PerfettoWriter, {batch} a batch"), samples, bytes);
    }
    Ok(())
}

fn perfetto(path: &Path, records: &[OpRecord], ops: &[OpInfo], batch: usize) -> io::Result<()> {
    let mut writer = PerfettoWriter::new(File::create(path)?);
    for records in records.chunks(batch) {
        writer.write(records, |op_id| ops.get(op_id as usize - 1))?;
    }
    writer.finish().map(drop)
}

/// The least: one track, interned names, no annotation.
fn floor(path: &Path, records: &[OpRecord], ops: &[OpInfo]) -> io::Result<()> {
    let mut file = File::create(path)?;
    let mut trace = Vec::with_capacity(1 << 17);
    names(&mut trace, ops);
    let (mut event, mut packet) = (Vec::new(), Vec::new());
    for record in records {
        for (type_, at_ns) in [(1, record.start_ns), (2, record.end_ns)] {
            event.clear();
            packet.clear();
            event.extend([9 << 3, type_, 11 << 3, 1]);
            if type_ == 1 {
                event.push(10 << 3);
                varint(&mut event, record.op_id.into());
            }
            packet.push(8 << 3);
            varint(&mut packet, at_ns);
            packet.extend([10 << 3, 1]);
            message(&mut packet, 11, &event);
            message(&mut trace, 1, &packet);
        }
        if trace.len() > 1 << 16 {
            file.write_all(&trace)?;
            trace.clear();
        }
    }
    file.write_all(&trace)
}

fn names(trace: &mut Vec<u8>, ops: &[OpInfo]) {
    let (mut entry, mut interned) = (Vec::new(), Vec::new());
    for (iid, op) in (1..).zip(ops) {
        entry.clear();
        entry.push(1 << 3);
        varint(&mut entry, iid);
        message(&mut entry, 2, op.name.as_bytes());
        message(&mut interned, 2, &entry);
    }
    let mut packet = vec![10 << 3, 1, 13 << 3, 1];
    message(&mut packet, 12, &interned);
    message(trace, 1, &packet);
}

fn message(out: &mut Vec<u8>, field: u64, body: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, body.len() as u64);
    out.extend_from_slice(body);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
