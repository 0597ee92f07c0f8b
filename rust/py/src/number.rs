//! Numbers from Python, within a range: one that lies outside is told with its parameter and what is allowed.

use std::ops::RangeInclusive;
use std::time::Duration;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Longest wait that is not taken for one without an end, in seconds.
const FOREVER_S: f64 = 1e9;

/// The whole number that is given for the parameter `name`.
///
/// # Errors
///
/// `ValueError` where it lies outside `range`, or is more than a `T` holds; `TypeError` where it is none.
pub fn whole<T: TryFrom<u64>>(
    name: &str,
    given: &Bound<'_, PyAny>,
    range: RangeInclusive<u64>,
) -> PyResult<T> {
    let value = match given.extract::<u64>() {
        Ok(value) => range.contains(&value).then_some(value),
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => None,
        Err(_) => {
            let kind = given.get_type().name()?;
            let told = format!("{name} must be a whole number, not {kind}");
            return Err(PyTypeError::new_err(told));
        }
    };
    let fitting = value.and_then(|value| T::try_from(value).ok());
    fitting.ok_or_else(|| {
        let (least, most) = range.into_inner();
        PyValueError::new_err(format!(
            "{name}={} must lie between {least} and {most}",
            shown(given)
        ))
    })
}

/// The seconds that are given for the parameter `name`, as a limit of a wait; `None` where there is none.
///
/// # Errors
///
/// `ValueError` where they are negative or no number.
pub fn limit(name: &str, seconds: Option<f64>) -> PyResult<Option<Duration>> {
    match seconds {
        Some(seconds) if seconds.is_nan() || seconds < 0.0 => Err(PyValueError::new_err(format!(
            "{name}={seconds} must be 0 seconds or more, or None for no limit"
        ))),
        seconds => Ok(seconds
            .filter(|seconds| *seconds <= FOREVER_S)
            .map(Duration::from_secs_f64)),
    }
}

/// The number as Python writes it, unless that would take more than a line.
fn shown(given: &Bound<'_, PyAny>) -> String {
    match given.repr().map(|text| text.to_string()) {
        Ok(text) if text.len() <= 40 => text,
        _ => "a number of many digits".into(),
    }
}
