//! The small files that say what the data files mean.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::anchor::Anchor;
use super::asked::Asked;
use super::settings::Settings;
use super::slice::create;
use crate::json::Json;
use crate::process::host_name;

/// Whose side a directory shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Host,
    Device(u32),
}

impl Side {
    /// The number by which the files call the side.
    fn number(self) -> u32 {
        match self {
            Self::Host => 64,
            Self::Device(id) => id,
        }
    }

    /// The name of one of its files, which a device's number follows.
    fn file(self, name: &str) -> String {
        match self {
            Self::Host => name.to_owned(),
            Self::Device(id) => format!("{name}.{id}"),
        }
    }

    pub(crate) fn directory(self) -> String {
        match self {
            Self::Host => "host".to_owned(),
            Self::Device(id) => format!("device_{id}"),
        }
    }
}

/// Writes what is known at the start; gives the number of files.
pub(crate) fn begin(directory: &Path, side: Side, settings: &Settings) -> io::Result<u64> {
    let anchor = settings.anchor.whole_us();
    let put = |name: &str, text: &str| create(&directory.join(name))?.write_all(text.as_bytes());
    put(&side.file("info.json"), &info(side, settings))?;
    put("sample.json", &sample(side, &settings.asked))?;
    put(&side.file("start_info"), &instant("Begin", anchor))?;
    let ns = anchor.monotonic_ns;
    let section = match side {
        Side::Host => "[Host]".to_owned(),
        Side::Device(id) => format!("[Device{id}]"),
    };
    let clocks = format!("clock_monotonic_raw: {ns}\ncntvct: {ns}\n");
    let log = format!("{section}\n{clocks}cntvct_diff: 0\n");
    put(&side.file("host_start.log"), &log)?;
    if side == Side::Host {
        return Ok(4);
    }
    put(&side.file("dev_start.log"), &clocks)?;
    Ok(5)
}

/// Writes what is known at the end; gives the number of files.
pub(crate) fn end(directory: &Path, side: Side, at: Anchor) -> io::Result<u64> {
    let text = instant("End", at.whole_us());
    create(&directory.join(side.file("end_info")))?.write_all(text.as_bytes())?;
    Ok(1)
}

/// An instant on both clocks, as strings.
fn instant(which: &str, at: Anchor) -> String {
    let (us, ns) = (at.unix_ns / 1_000, at.monotonic_ns);
    let date = date(at.unix_ns);
    let [begin, end] = match which {
        "Begin" => [(date.as_str(), us.to_string()), ("", String::new())],
        _ => [("", String::new()), (date.as_str(), us.to_string())],
    };
    format!(
        r#"{{"collectionDateBegin":"{}","collectionDateEnd":"{}","collectionTimeBegin":"{}","collectionTimeEnd":"{}","clockMonotonicRaw":"{ns}"}}"#,
        begin.0, end.0, begin.1, end.1,
    )
}

fn date(unix_ns: u64) -> String {
    let [year, month, day, hour, minute, second] = super::name::calendar(unix_ns);
    let micros = unix_ns / 1_000 % 1_000_000;
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}")
}

/// The machine and the process, in one line. Host records are in ns, and so are the device's, whose
/// counter runs at 1,000 MHz.
fn info(side: Side, settings: &Settings) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let device = match side {
        Side::Host => String::new(),
        Side::Device(id) => format!(
            r#"{{"id":{id},"env_type":3,"ctrl_cpu_core_num":1,"ai_cpu_core_num":{cores},"ai_core_num":0,"aiv_num":0,"hwts_frequency":"1000.000000","aic_frequency":"1000","aiv_frequency":"1000"}}"#
        ),
    };
    let (pid, number) = (std::process::id(), side.number());
    let (host, name) = (quoted(&host_name()), quoted(&settings.process_name));
    let (memory_kib, arch) = (memory_kib(), std::env::consts::ARCH);
    format!(
        r#"{{"DeviceInfo":[{device}],"netCard":[],"CPU":[{{"Id":0,"Name":"{arch}","Frequency":"","Logical_CPU_Count":"{cores}","Type":"{arch}"}}],"version":"1.0","jobInfo":"","OS":"{}","hostname":{host},"hwtype":"{arch}","devices":"{number}","platform":"","platform_version":"5","pid":"{pid}","pid_name":{name},"upTime":"","memoryTotal":{memory_kib},"cpuNums":1,"sysClockFreq":100,"cpuCores":{cores},"netCardNums":0,"rank_id":-1,"drvVersion":467732,"cannVersion":"","hostUid":"0"}}"#,
        std::env::consts::OS,
    )
}

/// What is collected. Counters of cores are never on: nobody could give them.
fn sample(side: Side, asked: &Asked) -> String {
    let number = side.number();
    let is_host = side == Side::Host;
    let switch = |is_on| if is_on { "on" } else { "off" };
    let (tasks, calls) = (switch(asked.level.is_some()), switch(asked.calls));
    let (tx, steps) = (switch(asked.ranges), switch(asked.steps));
    let (level, metrics) = (asked.level_name(), asked.metrics.unwrap_or_default());
    format!(
        r#"{{"result_dir":".","devices":"{number}","msprofBinPid":-1,"ai_core_profiling":"off","ai_core_profiling_mode":"task-based","ai_core_metrics":"{metrics}","ai_core_profiling_events":"","aicore_sampling_interval":10,"aiv_profiling":"off","aiv_profiling_mode":"task-based","aiv_metrics":"{metrics}","aiv_profiling_events":"","aiv_sampling_interval":10,"llc_profiling":"","profLevel":"{level}","prof_level":"{level}","taskTime":"{tasks}","acl":"{calls}","msproftx":"{tx}","ts_keypoint":"{steps}","profiling_mode":"app","hostProfiling":{is_host}}}"#
    )
}

fn quoted(text: &str) -> String {
    let mut json = Json::default();
    json.string(text);
    String::from_utf8_lossy(json.bytes()).into_owned()
}

fn memory_kib() -> u64 {
    let known = fs::read_to_string("/proc/meminfo").ok();
    let total = known
        .as_deref()
        .and_then(|text| text.split_whitespace().nth(1));
    total.and_then(|kib| kib.parse().ok()).unwrap_or(0)
}
