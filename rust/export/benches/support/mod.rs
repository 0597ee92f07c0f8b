//! A million records, and what it costs to write them.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use optap_record::{Flags, NameTable, OpInfo, OpRecord};

pub const RECORDS: usize = 1_000_000;
pub const ROUNDS: usize = 7;
const OPS: usize = 500;

pub fn ops() -> Vec<OpInfo> {
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

pub fn records() -> Vec<OpRecord> {
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

pub fn directory() -> PathBuf {
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
#[allow(dead_code, reason = "not every bench writes all records")]
pub fn cpu_ns(work: impl FnOnce() -> io::Result<()>) -> io::Result<f64> {
    cpu_ns_of(RECORDS, work)
}

/// The processor time that `work` takes on so many records, ns a record.
pub fn cpu_ns_of(records: usize, work: impl FnOnce() -> io::Result<()>) -> io::Result<f64> {
    let begin = process_cpu_ns();
    work()?;
    Ok((process_cpu_ns() - begin) as f64 / records as f64)
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

pub fn report(name: &str, mut samples: Vec<f64>, bytes: u64) {
    samples.sort_by(f64::total_cmp);
    let (median, least) = (samples[ROUNDS / 2], samples[0]);
    let size = bytes as f64 / RECORDS as f64;
    println!("{name:<34} {median:>8.1} ns  (least {least:.1})  {size:>6.1} bytes");
}
