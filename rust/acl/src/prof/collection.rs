//! A script's collection: which devices are written where.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use optap_runtime::{Completion, Error, ErrorCode, Result};
use optap_session::{Round, Wish};

use crate::prof::config::Config;
use crate::prof::switches;

/// Numbers of the settings that say how much is written, and where.
const STORAGE_LIMIT: i32 = 1;
const PATH: i32 = 16;

/// A script's collection, between `init` and `finalize`.
#[derive(Debug)]
pub(crate) struct Collection {
    path: PathBuf,
    /// Settings given one by one.
    pub(crate) settings: BTreeMap<i32, String>,
    /// What each device collects, and into what.
    running: BTreeMap<u32, (Arc<Config>, Arc<Round>)>,
    /// Collections without a device that run.
    on_host: Vec<Arc<Round>>,
}

impl Collection {
    pub(crate) fn new(path: &str) -> Self {
        Self {
            path: path.into(),
            settings: BTreeMap::new(),
            running: BTreeMap::new(),
            on_host: Vec::new(),
        }
    }

    /// 100042 where a device collects already; nothing is started then. 100004 for a folder that cannot be written to.
    pub(crate) fn start(&mut self, config: &Arc<Config>) -> Result<()> {
        config.check()?;
        let mut devices = config.devices.iter();
        if let Some(device) = devices.find(|device| self.running.contains_key(device)) {
            let detail = format!("device {device} collects already; stop it before the next start");
            return Err(Error::new(ErrorCode::ProfAlreadyRun, detail));
        }
        let round = begin(self.folder(), self.wish(config))?;
        let started = config.devices.iter();
        self.running
            .extend(started.map(|device| (*device, (config.clone(), round.clone()))));
        if config.devices.is_empty() {
            self.on_host.push(round);
        }
        Ok(())
    }

    /// Stops the listed devices, and waits for their files; those that do not run are passed over. 100010 where one runs
    /// with other switches, 100004 where a file cannot be written.
    pub(crate) fn stop(&mut self, config: &Config) -> Result<()> {
        config.check()?;
        let mut listed = config.devices.iter();
        let differs = |device: &&u32| {
            let running = self.running.get(device);
            running.is_some_and(|(started, _)| started.switches != config.switches)
        };
        if let Some(device) = listed.find(differs) {
            let detail = format!("device {device} was started with another data_type_config");
            return Err(Error::new(ErrorCode::InvalidProfilingConfig, detail));
        }
        let mut ends = Vec::new();
        for device in &config.devices {
            if let Some((_, round)) = self.running.remove(device) {
                ends.push(round.leave(&[*device]));
            }
        }
        if config.devices.is_empty() && config.switches & switches::MSPROFTX != 0 {
            ends.extend(self.on_host.pop().map(|round| round.stop()));
        }
        all_whole(&ends)
    }

    /// Stops everything, and waits for all files. 100004 where one cannot be written.
    pub(crate) fn end(self) -> Result<()> {
        let running = self.running.values().map(|(_, round)| round);
        let ends: Vec<Completion> = running
            .chain(&self.on_host)
            .map(|round| round.stop())
            .collect();
        all_whole(&ends)
    }

    fn folder(&self) -> &Path {
        self.settings.get(&PATH).map_or(&self.path, Path::new)
    }

    fn wish(&self, config: &Config) -> Wish {
        let limit = self.settings.get(&STORAGE_LIMIT);
        let devices: Vec<u32> = config.devices.iter().copied().collect();
        Wish {
            asked: switches::asked(config.switches, config.metrics),
            storage_limit_bytes: limit.and_then(|text| bytes_of(text)),
            ..Wish::on(&devices)
        }
    }
}

/// Starts a round, and waits until it records.
pub(crate) fn begin(folder: &Path, wish: Wish) -> Result<Arc<Round>> {
    let refused = |error: std::io::Error| Error::new(ErrorCode::WriteFile, error.to_string());
    let round = Arc::new(Round::start(folder, wish).map_err(refused)?);
    whole(round.started())?;
    Ok(round)
}

/// Waits, and tells what went wrong.
pub(crate) fn whole(completion: &Completion) -> Result<()> {
    completion.wait(None).unwrap_or(Ok(()))
}

/// Waits for all, and tells what went wrong first.
fn all_whole(completions: &[Completion]) -> Result<()> {
    let outcomes: Vec<Result<()>> = completions.iter().map(whole).collect();
    outcomes.into_iter().collect()
}

/// The bytes of a size such as `200MB`.
pub(crate) fn bytes_of(text: &str) -> Option<u64> {
    let megabytes: u64 = text.strip_suffix("MB")?.parse().ok()?;
    Some(megabytes << 20)
}
