//! What the library knows of itself.

use std::time::Duration;

use optap_profiler::{Profiler, clock};
use optap_record::{FIELDS, NameTable};
use optap_runtime::{ErrorCode, Runtime};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{OrRaise, class_name};
use crate::number::limit;

const LONGEST: Duration = Duration::from_secs(1 << 30);

/// The counter that stamps ops: `tsc`, `cntvct` or `clock_gettime`.
#[pyfunction]
pub fn clock_source() -> &'static str {
    clock::source()
}

/// The time in nanoseconds, on the clock of every op.
#[pyfunction]
pub fn monotonic_ns() -> u64 {
    optap_runtime::monotonic_ns()
}

/// What the line has cost so far: wake-ups, passes, processor time.
#[pyfunction]
pub fn cost(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let cost = Profiler::global().cost();
    let told = PyDict::new(py);
    told.set_item("drainer_wakes", cost.drainer_wakes)?;
    told.set_item("drainer_cpu_ns", cost.drainer_cpu_ns)?;
    told.set_item("passes", cost.passes)?;
    Ok(told)
}

/// Number of names kept, bytes they take, and the most they may take.
#[pyfunction]
pub fn name_table() -> (usize, usize, Option<usize>) {
    let table = NameTable::global();
    (table.len(), table.bytes(), table.capacity_bytes())
}

/// Limit the memory of names; `None` for no limit.
#[pyfunction]
#[pyo3(signature = (capacity_bytes))]
pub fn set_name_capacity(capacity_bytes: Option<usize>) {
    NameTable::global().set_capacity_bytes(capacity_bytes);
}

/// Name, offset in bytes and numpy format of each field of a record.
#[pyfunction]
pub fn op_record_fields() -> Vec<(&'static str, usize, &'static str)> {
    FIELDS
        .iter()
        .map(|field| (field.name, field.offset, field.format))
        .collect()
}

/// Code, CANN's name, class in `optap.errors` and meaning of each error.
#[pyfunction]
pub fn error_codes() -> Vec<(i32, &'static str, &'static str, &'static str)> {
    let row = |code: &ErrorCode| (code.code(), code.name(), class_name(*code), code.message());
    ErrorCode::ALL.iter().map(row).collect()
}

/// End all runs and workers, within `timeout` seconds; return whether nothing is left.
#[pyfunction]
pub fn shutdown(py: Python<'_>, timeout: f64) -> PyResult<bool> {
    let limit = limit("timeout", Some(timeout))?.unwrap_or(LONGEST);
    let runtime = Runtime::global().or_raise()?;
    Ok(py.detach(|| runtime.shutdown(limit)))
}
