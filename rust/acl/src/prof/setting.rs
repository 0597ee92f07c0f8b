//! The settings of a collection that are given one by one, as text.

use std::path::Path;

use optap_runtime::{Error, ErrorCode, Result};

use crate::prof::folder;

/// The longest text of a setting, bytes.
const TEXT_BYTES: usize = 256;

/// The numbers of the settings: greater than the first, less than the last.
const KINDS: std::ops::Range<i32> = 1..17;

const EVENTS: usize = 10;

/// Whether a text is fit for the setting of this kind: 100000 for a kind or a length that there is not, and for wrong
/// kernel metrics; 100010 for any other wrong text.
pub(crate) fn check(kind: i32, text: &str) -> Result<()> {
    if text.len() > TEXT_BYTES {
        return Err(invalid(kind, "the text is longer than 256 bytes"));
    }
    let fits = match kind {
        1 => text
            .strip_suffix("MB")
            .is_some_and(|size| within(size, 200, u32::MAX)),
        3 | 5 | 7 | 11 => within(text, 1, 100),
        4 => matches!(text, "read" | "write"),
        6 | 10 | 13 => within(text, 1, 50),
        8 => are_of(text, &["cpu", "mem", "disk", "network", "osrt", "numa"]),
        9 => are_of(text, &["cpu", "mem"]),
        12 => !text.is_empty(),
        14 => text.split(',').all(|part| !part.is_empty()),
        15 if !is_kernel_metrics(text) => return Err(invalid(kind, "no such metrics")),
        15 => true,
        16 => !text.is_empty() && folder::make(Path::new(text)).is_ok(),
        _ => false,
    };
    let refused = || {
        let detail =
            format!("set_config({kind}, {text:?}): the text is not one that this setting takes");
        Error::new(ErrorCode::InvalidProfilingConfig, detail)
    };
    fits.then_some(()).ok_or_else(refused)
}

/// 100000 where no setting has this number.
pub(crate) fn check_kind(kind: i32) -> Result<()> {
    let known = KINDS.contains(&kind);
    known
        .then_some(())
        .ok_or_else(|| invalid(kind, "there is no such setting"))
}

fn invalid(kind: i32, reason: &str) -> Error {
    Error::new(
        ErrorCode::InvalidParam,
        format!("set_config({kind}, …): {reason}"),
    )
}

fn within(text: &str, least: u32, most: u32) -> bool {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number
        && text.len() <= most.to_string().len()
        && text
            .parse()
            .is_ok_and(|number: u32| (least..=most).contains(&number))
}

fn are_of(text: &str, words: &[&str]) -> bool {
    text.split(',').all(|word| words.contains(&word))
}

fn is_kernel_metrics(text: &str) -> bool {
    let Some(events) = text.strip_prefix("Custom:") else {
        return text == "PipeUtilization";
    };
    events.split(',').count() <= EVENTS
        && events.split(',').all(|event| event.parse::<u16>().is_ok())
}
