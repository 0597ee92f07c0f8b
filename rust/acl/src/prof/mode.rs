//! Who profiles: nobody, a configuration file, a script's collection, or subscriptions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use optap_runtime::{Error, ErrorCode, Result};

use crate::prof::config::Config;
use crate::prof::folder;
use crate::prof::setting;
use crate::prof::subscription::Subscribed;
use crate::prof::switches;

/// The longest path of a collection, bytes, with the NUL.
const PATH_BYTES: usize = 4096;

/// What profiles in this process. The collection and subscriptions exclude each other.
#[derive(Debug, Default)]
pub(crate) struct Mode {
    /// Whether the file given to `acl.init` asks for a collection.
    pub(crate) is_by_file: bool,
    pub(crate) collection: Option<Collection>,
    /// Subscriptions by model.
    pub(crate) subscribed: BTreeMap<u32, Subscribed>,
}

/// A script's collection, between `init` and `finalize`.
#[derive(Debug)]
pub(crate) struct Collection {
    /// Settings given one by one.
    pub(crate) settings: BTreeMap<i32, String>,
    /// What each device collects.
    pub(crate) running: BTreeMap<u32, Arc<Config>>,
    /// Collections without a device that run.
    pub(crate) on_host: usize,
}

impl Mode {
    /// 100042 while the file given to `acl.init` asks for a collection.
    pub(crate) fn check_not_by_file(&self) -> Result<()> {
        if self.is_by_file {
            let detail = "the configuration file given to acl.init profiles already";
            return Err(Error::new(ErrorCode::ProfAlreadyRun, detail));
        }
        Ok(())
    }

    /// 148047 between `init` and `finalize`.
    pub(crate) fn check_no_collection(&self) -> Result<()> {
        if self.collection.is_some() {
            let detail = "a collection is open; call acl.prof.finalize before you subscribe";
            return Err(Error::new(ErrorCode::ProfApiConflict, detail));
        }
        Ok(())
    }

    pub(crate) fn init(&mut self, path: &str) -> Result<()> {
        if path.is_empty() || path.len() >= PATH_BYTES {
            let detail = format!(
                "the path has {} bytes; 1 to {} are allowed",
                path.len(),
                PATH_BYTES - 1
            );
            return Err(Error::new(ErrorCode::InvalidParam, detail));
        }
        self.check_not_by_file()?;
        if self.collection.is_some() {
            return Err(Error::new(
                ErrorCode::RepeatInitialize,
                "acl.prof.init was called before",
            ));
        }
        if let Some(model_id) = self.subscribed.keys().next() {
            let detail =
                format!("model {model_id} is subscribed; unsubscribe it before acl.prof.init");
            return Err(Error::new(ErrorCode::ProfApiConflict, detail));
        }
        folder::make(Path::new(path))?;
        self.collection = Some(Collection {
            settings: BTreeMap::new(),
            running: BTreeMap::new(),
            on_host: 0,
        });
        Ok(())
    }

    /// Ends the collection and everything that it runs.
    pub(crate) fn finalize(&mut self) -> Result<()> {
        self.open()?;
        self.collection = None;
        Ok(())
    }

    /// The collection; 100042 while a file profiles, 100043 before `init`.
    pub(crate) fn open(&mut self) -> Result<&mut Collection> {
        self.check_not_by_file()?;
        self.collection.as_mut().ok_or_else(|| {
            let detail = "no collection is open; call acl.prof.init first";
            Error::new(ErrorCode::ProfNotRun, detail)
        })
    }

    pub(crate) fn set(&mut self, kind: i32, text: &str) -> Result<()> {
        setting::check_kind(kind)?;
        let collection = self.collection.as_mut().ok_or_else(|| {
            let detail = "no collection is open; call acl.prof.init before set_config";
            Error::new(ErrorCode::Uninitialized, detail)
        })?;
        setting::check(kind, text)?;
        collection.settings.insert(kind, text.into());
        Ok(())
    }
}

impl Collection {
    /// 100042 where a device collects already; nothing is started then.
    pub(crate) fn start(&mut self, config: &Arc<Config>) -> Result<()> {
        config.check()?;
        let mut devices = config.devices.iter();
        if let Some(device) = devices.find(|device| self.running.contains_key(device)) {
            let detail = format!("device {device} collects already; stop it before the next start");
            return Err(Error::new(ErrorCode::ProfAlreadyRun, detail));
        }
        let started = config
            .devices
            .iter()
            .map(|device| (*device, config.clone()));
        self.running.extend(started);
        self.on_host += usize::from(config.devices.is_empty());
        Ok(())
    }

    /// Stops the listed devices; those that do not run are passed over. 100010 where one runs with other switches.
    pub(crate) fn stop(&mut self, config: &Config) -> Result<()> {
        config.check()?;
        let listed = || config.devices.iter();
        let started = |device: &u32| self.running.get(device).map(|config| config.switches);
        if let Some(device) =
            listed().find(|device| started(device).is_some_and(|bits| bits != config.switches))
        {
            let detail = format!("device {device} was started with another data_type_config");
            return Err(Error::new(ErrorCode::InvalidProfilingConfig, detail));
        }
        listed().for_each(|device| drop(self.running.remove(device)));
        if config.devices.is_empty() && config.switches & switches::MSPROFTX != 0 {
            self.on_host = self.on_host.saturating_sub(1);
        }
        Ok(())
    }
}
