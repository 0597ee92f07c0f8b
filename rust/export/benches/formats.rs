//! What an operator costs from a `PROF_*` directory of 100,000 of them to a database, to the tables
//! and to traces, reading included; and what each reader costs.
//!
//! Run with `cargo bench -p optap-export --bench formats`, and a directory in `OPTAP_BENCH_DIR`
//! (`/dev/shm` by default on Linux). Prints medians over rounds, CPU ns an operator. With
//! `OPTAP_BENCH_MEMORY=1` it streams 10 million records into each writer instead, and prints the most
//! memory that the process took: the database needs 2 GB in the directory.

mod support;

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use optap_export::{
    Anchor, ApiStatistic, ChromeWriter, CsvWriter, DatabaseWriter, MsprofTraceWriter, OpStatistic,
    PerfettoWriter, Process, ProfDir, Profile, Settings, Table, read,
};
use optap_record::{NameTable, OpInfo, OpRecord};
use support::{RECORDS, ROUNDS, cpu_ns_of, directory, ops, records, report};

const OPS: usize = 100_000;
const BATCH: usize = 4_096;
const TABLES: [Table; 4] = [
    Table::OpSummary,
    Table::TaskTime,
    Table::MsprofTx,
    Table::StepTrace,
];

fn main() -> io::Result<()> {
    let base = directory().join(format!("optap-formats-{}", std::process::id()));
    fs::create_dir_all(&base)?;
    let done = match env::var_os("OPTAP_BENCH_MEMORY") {
        Some(_) => memory(&base),
        None => times(&base),
    };
    fs::remove_dir_all(&base)?;
    done
}

fn times(base: &Path) -> io::Result<()> {
    let (records, ops) = (records(), ops());
    let prof = prof(base, &records[..OPS], &ops)?;
    let paths =
        ["msprof_1.db", "op_summary.csv", "trace.json", "msprof.json"].map(|name| base.join(name));
    let names = [
        "PROF to database",
        "PROF to six CSVs",
        "PROF to Chrome JSON",
        "PROF to msprof's JSON",
        "read PROF",
        "read database",
        "read op_summary",
        "read Chrome JSON",
        "read msprof's JSON",
    ];
    let mut samples = names.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        fs::remove_file(&paths[0]).or_else(ignore_absent)?;
        let works: [&dyn Fn() -> io::Result<()>; 4] = [
            &|| database(&profile(&prof)?, &paths[0]),
            &|| tables(&profile(&prof)?, base),
            &|| chrome(&profile(&prof)?, &paths[2]),
            &|| msprof(&profile(&prof)?, &paths[3]),
        ];
        for (sample, work) in samples.iter_mut().zip(works) {
            sample.push(cpu_ns_of(OPS, work)?);
        }
        let inputs = [&prof, &paths[0], &paths[1], &paths[2], &paths[3]];
        for (sample, path) in samples[works.len()..].iter_mut().zip(inputs) {
            sample.push(cpu_ns_of(OPS, || profile(path).map(drop))?);
        }
    }
    for (name, samples) in names.into_iter().zip(samples) {
        report(name, samples, 0);
    }
    Ok(())
}

fn ignore_absent(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    }
}

fn prof(base: &Path, records: &[OpRecord], ops: &[OpInfo]) -> io::Result<PathBuf> {
    let mut prof = ProfDir::create(base, &[0], &Settings::default())?;
    for records in records.chunks(BATCH) {
        prof.write(records, |op_id| ops.get(op_id as usize - 1))?;
    }
    Ok(prof.finish()?.path)
}

fn profile(path: &Path) -> io::Result<Profile> {
    let profile = read(path, NameTable::global())?;
    assert_eq!(profile.records.len(), OPS, "{}", path.display());
    Ok(profile)
}

fn database(profile: &Profile, path: &Path) -> io::Result<()> {
    let mut database = DatabaseWriter::create(path, profile.anchor, &profile.process)?;
    for records in profile.records.chunks(BATCH) {
        database.write(records, |op_id| profile.op(op_id))?;
    }
    database.finish().map(drop)
}

fn tables(profile: &Profile, base: &Path) -> io::Result<()> {
    for table in TABLES {
        let name = if table == Table::OpSummary {
            "op_summary.csv"
        } else {
            "other.csv"
        };
        let file = File::create(base.join(name))?;
        let mut table = CsvWriter::new(file, table, profile.anchor);
        table.write(&profile.records, |op_id| profile.op(op_id))?;
        table.finish()?;
    }
    let mut types = OpStatistic::default();
    types.add(&profile.records, |op_id| profile.op(op_id));
    types.write_to(File::create(base.join("other.csv"))?)?;
    let mut calls = ApiStatistic::default();
    calls.add(&profile.records);
    calls
        .write_to(File::create(base.join("other.csv"))?)
        .map(drop)
}

fn chrome(profile: &Profile, path: &Path) -> io::Result<()> {
    let mut trace = ChromeWriter::new(File::create(path)?);
    trace.write(&profile.records, |op_id| profile.op(op_id))?;
    trace.finish().map(drop)
}

fn msprof(profile: &Profile, path: &Path) -> io::Result<()> {
    let file = File::create(path)?;
    let mut trace = MsprofTraceWriter::new(file, profile.anchor, profile.process.clone());
    trace.write(&profile.records, |op_id| profile.op(op_id))?;
    trace.finish().map(drop)
}

/// Streams ten times the records into each writer; what a writer keeps shows in the process.
fn memory(base: &Path) -> io::Result<()> {
    let (records, ops) = (records(), ops());
    println!("before: {} KiB", peak_kib());
    let anchor = Anchor::now();
    let path = base.join("msprof_1.db");
    let mut database = DatabaseWriter::create(&path, anchor, &Process::current())?;
    let mut trace = MsprofTraceWriter::new(io::sink(), anchor, Process::current());
    let mut perfetto = PerfettoWriter::new(io::sink());
    let mut table = CsvWriter::new(io::sink(), Table::OpSummary, anchor);
    for _ in 0..10 {
        for records in records.chunks(BATCH) {
            let names = |op_id: u32| ops.get(op_id as usize - 1);
            database.write(records, names)?;
            trace.write(records, names)?;
            perfetto.write(records, names)?;
            table.write(records, names)?;
        }
    }
    trace.finish()?;
    perfetto.finish()?;
    table.finish()?;
    database.finish()?;
    println!("after {} records: {} KiB", 10 * RECORDS, peak_kib());
    Ok(())
}

/// The most memory that the process has taken; 0 where the system does not tell.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.and_then(|kib| kib.parse().ok()).unwrap_or(0)
}
