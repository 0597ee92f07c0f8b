//! What an operator costs in a `PROF_*` directory: to write it, to read it back, and as a row of a
//! table.
//!
//! Run with `cargo bench -p optap-export --bench prof`, and a directory in `OPTAP_BENCH_DIR`
//! (`/dev/shm` by default on Linux). Prints medians over rounds, CPU ns a record.

mod support;

use std::fs;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};

use optap_export::{Anchor, CsvWriter, ProfDir, Profile, Settings, Table, read_prof};
use optap_record::{NameTable, OpInfo, OpRecord};
use support::{ROUNDS, cpu_ns, directory, ops, records, report};

fn main() -> io::Result<()> {
    let (records, ops) = (records(), ops());
    let base = directory().join(format!("optap-prof-{}", std::process::id()));
    let mut samples = [const { Vec::new() }; 3];
    let mut bytes = 0;
    for _ in 0..ROUNDS {
        let (mut path, mut profile) = (PathBuf::new(), None);
        samples[0].push(cpu_ns(|| {
            (path, bytes) = write(&base, &records, &ops)?;
            Ok(())
        })?);
        samples[1].push(cpu_ns(|| {
            profile = Some(read_prof(&path, NameTable::global())?);
            Ok(())
        })?);
        samples[2].push(cpu_ns(|| profile.iter().try_for_each(table))?);
        fs::remove_dir_all(&base)?;
    }
    let [written, read, tabled] = samples;
    report("ProfDir, 4096 a batch", written, bytes);
    report("read_prof", read, bytes);
    report("op_summary", tabled, 0);
    Ok(())
}

fn write(base: &Path, records: &[OpRecord], ops: &[OpInfo]) -> io::Result<(PathBuf, u64)> {
    let mut prof = ProfDir::create(base, &[0], &Settings::default())?;
    for records in records.chunks(4_096) {
        prof.write(records, |op_id| ops.get(op_id as usize - 1))?;
    }
    let report = prof.finish()?;
    Ok((report.path, report.bytes))
}

fn table(profile: &Profile) -> io::Result<()> {
    let anchor = Anchor::now();
    let mut table = CsvWriter::new(io::sink(), Table::OpSummary, anchor);
    table.write(&profile.records, |op_id| profile.op(op_id))?;
    black_box(table.finish()?);
    Ok(())
}
