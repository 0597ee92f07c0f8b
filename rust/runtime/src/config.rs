//! How large a runtime is, by default and by the environment.

use std::env;
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::thread;

use crate::codes::ErrorCode;
use crate::error::{Error, Result};
use crate::os;

const DEVICES: RangeInclusive<u32> = 1..=256;
const WORKERS: RangeInclusive<u32> = 1..=1024;

/// How large a runtime is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// How many devices there are, 1 to 256.
    pub devices: u32,
    /// How many workers run tasks at the same time, 1 to 1024. Held ones are not counted.
    pub workers: u32,
    /// How many streams a device can have, its default streams not counted.
    pub streams: u32,
    /// How many events a device can have.
    pub events: u32,
    /// How much memory a device has, in bytes.
    pub memory_bytes: u64,
}

impl Default for Config {
    /// One device; as many workers as cores, two at least; 65,536 streams and events; the memory of the machine.
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self {
            devices: 1,
            workers: u32::try_from(cores)
                .unwrap_or(u32::MAX)
                .clamp(2, *WORKERS.end()),
            streams: 65_536,
            events: 65_536,
            memory_bytes: os::physical_memory_bytes(),
        }
    }
}

impl Config {
    /// The default, changed by `OPTAP_DEVICES` and `OPTAP_WORKERS`. 107000 for a value that is not a number in range.
    pub fn from_env() -> Result<Self> {
        Self::from_variables(|name| env::var_os(name))
    }

    fn from_variables(value_of: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let default = Self::default();
        let number = |name, default, range| match value_of(name) {
            None => Ok(default),
            Some(text) => parse(name, &text, range),
        };
        Ok(Self {
            devices: number("OPTAP_DEVICES", default.devices, DEVICES)?,
            workers: number("OPTAP_WORKERS", default.workers, WORKERS)?,
            ..default
        })
    }

    /// Refuses numbers out of range.
    pub(crate) fn check(&self) -> Result<()> {
        for (name, value, range) in [
            ("devices", self.devices, DEVICES),
            ("workers", self.workers, WORKERS),
        ] {
            if !range.contains(&value) {
                let detail = format!(
                    "{value} {name} are not possible; use {} to {}",
                    range.start(),
                    range.end()
                );
                return Err(Error::new(ErrorCode::ParamInvalid, detail));
            }
        }
        Ok(())
    }
}

fn parse(name: &str, text: &OsString, range: RangeInclusive<u32>) -> Result<u32> {
    let value = text.to_str().and_then(|text| text.trim().parse().ok());
    value.filter(|value| range.contains(value)).ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        let detail =
            format!("{name} is {text:?}; set it to a number from {least} to {most}, or unset it");
        Error::new(ErrorCode::ParamInvalid, detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_devices(text: &str) -> Result<Config> {
        Config::from_variables(|name| (name == "OPTAP_DEVICES").then(|| text.into()))
    }

    #[test]
    fn a_variable_changes_the_default() {
        let expected = Config {
            devices: 4,
            ..Config::default()
        };
        assert_eq!(with_devices(" 4 "), Ok(expected));
        assert_eq!(Config::from_variables(|_| None), Ok(Config::default()));
    }

    #[test]
    fn a_bad_variable_is_named_with_its_value() {
        for text in ["", "0", "257", "-1", "two", "1.5"] {
            let error = with_devices(text).unwrap_err();
            assert_eq!(error.code(), ErrorCode::ParamInvalid);
            assert!(
                error
                    .detail()
                    .contains(&format!("OPTAP_DEVICES is {text:?}")),
                "{error}"
            );
        }
    }
}
