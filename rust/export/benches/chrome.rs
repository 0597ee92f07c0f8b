//! What an event of a Chrome trace costs, beside a loop that writes the least such a trace can hold.
//!
//! Run with `cargo bench -p optap-export`, and a directory in `OPTAP_BENCH_DIR` (`/dev/shm` by
//! default on Linux). Prints medians over interleaved rounds, CPU ns a record.

use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use optap_export::ChromeWriter;
use optap_record::{Flags, NameTable, OpInfo, OpRecord};

const RECORDS: usize = 1_000_000;
const OPS: usize = 500;
const ROUNDS: usize = 7;

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

fn ops() -> Vec<OpInfo> {
    let intern = |text: String| NameTable::global().intern(text.as_bytes()).unwrap();
    (0..OPS)
        .map(|id| OpInfo {
            name: intern(format!("OpType{}/layer/MatMul_{id}", id % 40)),
            type_: intern(format!("OpType{}", id % 40)),
            kernel: intern(format!("OptMatMul{}", id % 40)),
            flags: Flags::NONE,
            sources: Box::new([]),
        })
        .collect()
}

fn records() -> Vec<OpRecord> {
    let (mut random, mut start_ns) = (1_u64, 1_000_000_000_000_000);
    let mut next = |below: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % below
    };
    (0..RECORDS as u64)
        .map(|sequence| {
            start_ns += 500 + next(4_500);
            OpRecord {
                start_ns,
                end_ns: start_ns + 1 + next(60_000),
                run_id: sequence / OPS as u64,
                sequence,
                op_id: 1 + next(OPS as u64) as u32,
                model_id: 1,
                thread_id: 7,
                ..OpRecord::default()
            }
        })
        .collect()
}

fn directory() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let default = || {
        if memory.is_dir() {
            memory.into()
        } else {
            env::temp_dir()
        }
    };
    env::var_os("OPTAP_BENCH_DIR").map_or_else(default, PathBuf::from)
}

/// The processor time that `work` takes, ns a record.
fn cpu_ns(work: impl FnOnce() -> io::Result<()>) -> io::Result<f64> {
    let begin = process_cpu_ns();
    work()?;
    Ok((process_cpu_ns() - begin) as f64 / RECORDS as f64)
}

fn process_cpu_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for the result.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn report(name: &str, mut samples: Vec<f64>, bytes: u64) {
    samples.sort_by(f64::total_cmp);
    let (median, least) = (samples[ROUNDS / 2], samples[0]);
    let size = bytes as f64 / RECORDS as f64;
    println!("{name:<34} {median:>8.1} ns  (least {least:.1})  {size:>6.1} bytes");
}
