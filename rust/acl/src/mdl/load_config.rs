//! Loading by attributes.

use std::collections::HashMap;

use optap_runtime::{Error, ErrorCode, Result};
use parking_lot::Mutex;

use crate::mdl::load::{
    Offer, load_from_file, load_from_file_with_mem, load_from_mem, load_from_mem_with_mem,
};
use crate::mdl::state::state;

const LOAD_TYPE: u32 = 1;
const PATH: u32 = 2;
const MEM_ADDRESS: u32 = 3;
const MEM_SIZE: u32 = 4;
const WEIGHT: [u32; 2] = [5, 6];
const WORKSPACE: [u32; 2] = [7, 8];
/// Attributes of queues, and of how hardware plans memory.
const HARDWARE: std::ops::RangeInclusive<u32> = 9..=13;

const FROM_FILE: u64 = 1;
const FROM_FILE_WITH_MEM: u64 = 2;
const FROM_MEM: u64 = 3;
const FROM_MEM_WITH_MEM: u64 = 4;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A number or an address.
    Number(u64),
    /// A path.
    Text(String),
}

/// Attributes by number.
#[derive(Debug, Default)]
pub(crate) struct LoadConfig(Mutex<HashMap<u32, Setting>>);

impl LoadConfig {
    fn number(&self, attribute: u32) -> Result<u64> {
        match self.0.lock().get(&attribute) {
            Some(Setting::Number(number)) => Ok(*number),
            _ => Err(missing(attribute)),
        }
    }

    fn path(&self) -> Result<String> {
        match self.0.lock().get(&PATH) {
            Some(Setting::Text(path)) => Ok(path.clone()),
            _ => Err(missing(PATH)),
        }
    }

    fn offer(&self, [address, size]: [u32; 2]) -> Result<Offer> {
        Ok(Offer {
            address: self.number(address)?,
            size_bytes: self.number(size)?,
        })
    }

    fn offers(&self) -> Result<[Offer; 2]> {
        Ok([self.offer(WORKSPACE)?, self.offer(WEIGHT)?])
    }
}

fn missing(attribute: u32) -> Error {
    let detail = format!("load attribute {attribute} is not set, or not of its type");
    Error::new(ErrorCode::InvalidParam, detail)
}

/// An empty configuration.
pub fn create_config_handle() -> Result<u64> {
    Ok(state().configs.insert(LoadConfig::default().into()))
}

/// Destroys a configuration. 100000 for null and the second time.
pub fn destroy_config_handle(config: u64) -> Result<()> {
    state().configs.take(config).map(drop)
}

/// Sets an attribute. 100000 for an unknown one or for null, 207000 for one that only hardware has.
pub fn set_config_opt(config: u64, attribute: u32, value: Setting) -> Result<()> {
    let config = state().configs.get(config)?;
    if HARDWARE.contains(&attribute) {
        let detail = format!("load attribute {attribute} needs hardware");
        return Err(Error::new(ErrorCode::FeatureNotSupport, detail));
    }
    if attribute > *HARDWARE.end() {
        let detail = format!("load attribute {attribute} is not known; use 0 to 8");
        return Err(Error::new(ErrorCode::InvalidParam, detail));
    }
    config.0.lock().insert(attribute, value);
    Ok(())
}

/// Loads a model as the configuration says; gives its id. 100000 for one that is incomplete.
///
/// # Safety
/// An address and a size of the model that are set name readable memory.
pub unsafe fn load_with_config(config: u64) -> Result<u32> {
    let config = state().configs.get(config)?;
    // SAFETY: promised by the caller.
    let bytes = || unsafe {
        Ok::<_, Error>(crate::bytes::at(
            config.number(MEM_ADDRESS)?,
            config.number(MEM_SIZE)?,
        ))
    };
    match config.number(LOAD_TYPE)? {
        FROM_FILE => load_from_file(&config.path()?),
        FROM_FILE_WITH_MEM => load_from_file_with_mem(&config.path()?, config.offers()?),
        FROM_MEM => load_from_mem(bytes()?),
        FROM_MEM_WITH_MEM => load_from_mem_with_mem(bytes()?, config.offers()?),
        other => {
            let detail = format!("load type {other} is not known; use 1 to 4");
            Err(Error::new(ErrorCode::InvalidParam, detail))
        }
    }
}
