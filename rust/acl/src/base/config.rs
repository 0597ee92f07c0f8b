//! The configuration file of `acl.init`: its profiling section.

use optap_runtime::{Error, ErrorCode, Result};
use serde_json::Value;

use crate::prof::FileWish;

/// What a setting may be.
enum Form {
    /// One of these words.
    Words(&'static [&'static str]),
    /// Text that is not empty.
    Text,
    /// A number of MB from 200 on, with the unit.
    Storage,
    /// A number from the first to the last.
    Number(u64, u64),
}

const SWITCH: Form = Form::Words(&["on", "off"]);

/// Every setting, and what it may be.
const SETTINGS: [(&str, Form); 31] = [
    ("switch", SWITCH),
    ("output", Form::Text),
    ("storage_limit", Form::Storage),
    ("aic_metrics", Form::Text),
    ("aicpu", SWITCH),
    ("l2", SWITCH),
    ("hccl", SWITCH),
    ("msproftx", SWITCH),
    ("task_tsfw", SWITCH),
    ("ascendcl", SWITCH),
    (
        "task_time",
        Form::Words(&["on", "off", "l0", "l1", "l2", "l3"]),
    ),
    (
        "task_trace",
        Form::Words(&["on", "off", "l0", "l1", "l2", "l3"]),
    ),
    ("runtime_api", SWITCH),
    ("ge_api", Form::Words(&["off", "l0", "l1"])),
    ("task_memory", SWITCH),
    ("task_block", Form::Words(&["all", "on", "off"])),
    ("training_trace", SWITCH),
    ("optype", Form::Text),
    ("llc_profiling", Form::Text),
    ("host_sys", Form::Text),
    ("host_sys_usage", Form::Text),
    ("sys_mem_serviceflow", Form::Text),
    ("instr_profiling", SWITCH),
    ("instr_profiling_freq", Form::Number(300, 30_000)),
    ("sys_hardware_mem_freq", Form::Number(1, 100)),
    ("sys_io_sampling_freq", Form::Number(1, 100)),
    ("sys_interconnection_freq", Form::Number(1, 50)),
    ("dvpp_freq", Form::Number(1, 100)),
    ("host_sys_usage_freq", Form::Number(1, 50)),
    ("sys_lp_freq", Form::Number(1, 100)),
    ("sys_cpu_freq", Form::Number(1, 50)),
];

/// What a configuration asks to collect; `None` where profiling is not switched on, as in an empty one.
///
/// # Errors
/// 100006 for what is no JSON, 100000 for settings that are unknown, of the wrong type or out of range.
pub(super) fn profiling(content: &[u8]) -> Result<Option<FileWish>> {
    if content.is_empty() {
        return Ok(None);
    }
    let root: Value = serde_json::from_slice(content).map_err(|error| {
        Error::new(
            ErrorCode::ParseFile,
            format!("the configuration is no JSON: {error}"),
        )
    })?;
    let Some(section) = root.get("profiler") else {
        return Ok(None);
    };
    let settings = section
        .as_object()
        .ok_or_else(|| wrong("profiler", section))?;
    if settings.get("switch").and_then(Value::as_str) != Some("on") {
        return Ok(None);
    }
    settings
        .iter()
        .try_for_each(|(name, value)| check(name, value))?;
    Ok(Some(FileWish::new(settings)))
}

fn check(name: &str, value: &Value) -> Result<()> {
    let known = SETTINGS.iter().find(|(known, _)| *known == name);
    let fits = known.is_some_and(|(_, form)| form.takes(value));
    fits.then_some(()).ok_or_else(|| wrong(name, value))
}

impl Form {
    fn takes(&self, value: &Value) -> bool {
        match self {
            Self::Words(words) => value.as_str().is_some_and(|text| words.contains(&text)),
            Self::Text => value.as_str().is_some_and(|text| !text.is_empty()),
            Self::Storage => {
                let size = value.as_str().and_then(|text| text.strip_suffix("MB"));
                size.and_then(|size| size.parse::<u32>().ok())
                    .is_some_and(|size| size >= 200)
            }
            Self::Number(least, most) => value
                .as_u64()
                .is_some_and(|number| (*least..=*most).contains(&number)),
        }
    }
}

fn wrong(name: &str, value: &Value) -> Error {
    let detail =
        format!("profiling setting {name} is {value}, which is unknown or not one that it takes");
    Error::new(ErrorCode::InvalidParam, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(section: &str) -> std::result::Result<bool, i32> {
        profiling(format!(r#"{{"profiler": {section}}}"#).as_bytes())
            .map(|wish| wish.is_some())
            .map_err(|error| error.code().code())
    }

    #[test]
    fn profiling_is_on_when_its_switch_is() {
        assert!(profiling(b"").unwrap().is_none());
        assert!(profiling(b"{}").unwrap().is_none());
        assert_eq!(answer("{}"), Ok(false));
        assert_eq!(answer(r#"{"switch": "off", "output": 1}"#), Ok(false));
        assert_eq!(
            answer(
                r#"{"switch": "on", "task_time": "l1", "sys_cpu_freq": 50, "storage_limit": "200MB"}"#
            ),
            Ok(true)
        );
    }

    #[test]
    fn wrong_settings_are_refused() {
        for setting in [
            r#""other": "on""#,
            r#""output": """#,
            r#""aicpu": 1"#,
            r#""storage_limit": "199MB""#,
            r#""storage_limit": "200""#,
            r#""sys_cpu_freq": 51"#,
            r#""sys_cpu_freq": "50""#,
        ] {
            assert_eq!(
                answer(&format!(r#"{{"switch": "on", {setting}}}"#)),
                Err(100000),
                "{setting}"
            );
        }
        assert_eq!(answer("1"), Err(100000));
        assert_eq!(profiling(b"no JSON").unwrap_err().code().code(), 100006);
    }
}
