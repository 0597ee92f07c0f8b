//! What a collection is started and stopped with.

use std::collections::BTreeSet;

use optap_runtime::{Error, ErrorCode, Result, Runtime};

use crate::prof::switches;

/// The metrics that stand for none.
pub(crate) const NO_METRICS: i32 = 0xFF;

/// The highest number of a kind of metrics.
const LAST_METRICS: i32 = 8;

/// The most devices that a configuration lists.
const DEVICES: usize = 64;

/// Devices, metrics and switches of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The devices to collect on.
    pub devices: BTreeSet<u32>,
    /// The kind of metrics, not checked before the start.
    pub metrics: i32,
    /// What to collect, as [`switches`] names the bits; with what they imply.
    pub switches: u64,
}

impl Config {
    /// A configuration. 100000 for too many, unknown or repeated devices, for none without
    /// [`MSPROFTX`](switches::MSPROFTX), and for events.
    pub(crate) fn new(devices: &[u32], metrics: i32, events: u64, bits: u64) -> Result<Self> {
        if events != 0 {
            return Err(invalid(
                "metrics of a script's own choice are not supported".into(),
            ));
        }
        if devices.is_empty() && bits & switches::MSPROFTX == 0 {
            return Err(invalid("no device is listed".into()));
        }
        Ok(Self {
            devices: listed(devices)?,
            metrics,
            switches: switches::with_implied(bits),
        })
    }

    /// What `start` and `stop` refuse: nothing to collect and unknown metrics with 100000, unknown bits with 200007.
    pub(crate) fn check(&self) -> Result<()> {
        let (bits, metrics) = (self.switches, self.metrics);
        if bits == 0 {
            return Err(invalid("the configuration asks for no data".into()));
        }
        if !switches::are_supported(bits) {
            let detail = format!("data_type_config {bits:#x} has a bit that stands for nothing");
            return Err(Error::new(ErrorCode::ProfModulesUnsupported, detail));
        }
        if !(0..=LAST_METRICS).contains(&metrics) && metrics != NO_METRICS {
            return Err(invalid(format!("there are no metrics {metrics}")));
        }
        Ok(())
    }
}

fn listed(devices: &[u32]) -> Result<BTreeSet<u32>> {
    let count = Runtime::global()?.devices().len();
    let unique: BTreeSet<_> = devices.iter().copied().collect();
    if devices.len() > DEVICES || unique.len() < devices.len() {
        return Err(invalid(format!(
            "the devices {devices:?} repeat, or are more than {DEVICES}"
        )));
    }
    match devices.iter().find(|id| **id as usize >= count) {
        Some(id) => Err(invalid(format!(
            "device {id} does not exist; there are {count}"
        ))),
        None => Ok(unique),
    }
}

fn invalid(detail: String) -> Error {
    Error::new(ErrorCode::InvalidParam, detail)
}
