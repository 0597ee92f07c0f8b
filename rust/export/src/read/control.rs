//! The small files that say what the data files mean.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::Value;

use super::clock::{Clock, hz};
use crate::process::Process;
use crate::prof::Anchor;

/// The longest control file that is read, bytes.
const LONGEST_BYTES: u64 = 1 << 20;

/// What the host's files say.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub(crate) platform: u32,
    pub(crate) clock: Clock,
    pub(crate) anchor: Anchor,
    pub(crate) process: Process,
}

/// Reads the host's files.
pub(crate) fn host(host: &Path) -> io::Result<Control> {
    let info = json(&host.join("info.json"))?;
    let start = json(&host.join("start_info"))?;
    let anchor = Anchor {
        monotonic_ns: number(&start["clockMonotonicRaw"]).unwrap_or(0),
        unix_ns: number(&start["collectionTimeBegin"])
            .unwrap_or(0)
            .saturating_mul(1_000),
    };
    let platform =
        number(&info["platform_version"]).and_then(|version| u32::try_from(version).ok());
    let platform = platform.ok_or_else(|| bad(&host.join("info.json"), "no platform_version"))?;
    let mut clock = Clock::MONOTONIC;
    clock.hz = info["CPU"][0]["Frequency"].as_str().and_then(hz);
    if clock.hz.is_some() {
        let log = log(&host.join("host_start.log"))?;
        clock.counter = value(&log, "cntvct");
        clock.monotonic_ns = value(&log, "clock_monotonic_raw");
    }
    Ok(Control {
        platform,
        clock,
        anchor,
        process: process(&info),
    })
}

fn process(info: &Value) -> Process {
    let text = |key: &str| info[key].as_str().unwrap_or_default().to_owned();
    let pid = number(&info["pid"]).and_then(|pid| u32::try_from(pid).ok());
    Process {
        pid: pid.unwrap_or(0),
        name: text("pid_name"),
        host_name: text("hostname"),
    }
}

/// Reads how a device counts.
pub(crate) fn device(device: &Path, id: u32) -> io::Result<Clock> {
    let info = json(&device.join(format!("info.json.{id}")))?;
    let mhz = info["DeviceInfo"][0]["hwts_frequency"].as_str();
    let host = log(&device.join(format!("host_start.log.{id}")))?;
    let own = log(&device.join(format!("dev_start.log.{id}")))?;
    let counter = value(&own, "cntvct");
    let monotonic_ns = value(&host, "clock_monotonic_raw");
    Ok(Clock {
        counter,
        monotonic_ns,
        hz: Some(mhz.and_then(hz).unwrap_or(1_000_000_000)),
    })
}

fn json(path: &Path) -> io::Result<Value> {
    serde_json::from_str(&text(path)?).map_err(|error| bad(path, &error.to_string()))
}

fn log(path: &Path) -> io::Result<HashMap<String, u64>> {
    let text = text(path)?;
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    let numbers = pairs
        .filter_map(|(key, number)| Some((key.trim().to_owned(), number.trim().parse().ok()?)));
    Ok(numbers.collect())
}

fn value(log: &HashMap<String, u64>, key: &str) -> u64 {
    log.get(key).copied().unwrap_or(0)
}

fn text(path: &Path) -> io::Result<String> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(named)?;
    if !file.metadata().map_err(named)?.is_file() {
        return Err(bad(path, "not a file"));
    }
    let mut text = Vec::new();
    file.take(LONGEST_BYTES)
        .read_to_end(&mut text)
        .map_err(named)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A number, or a text that is one.
fn number(value: &Value) -> Option<u64> {
    let text = value.as_str().and_then(|text| text.trim().parse().ok());
    text.or_else(|| value.as_u64())
}

fn bad(path: &Path, reason: &str) -> io::Error {
    let message = format!("{}: {reason}", path.display());
    io::Error::new(io::ErrorKind::InvalidData, message)
}
