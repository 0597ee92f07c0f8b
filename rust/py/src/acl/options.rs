//! What scripts may ask of the namespace beyond pyACL.

use optap_acl::prof::{self, Options};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Change how `acl.prof` behaves in this process; what is not given stays.
#[pyfunction]
#[pyo3(signature = (*, strict=None, keypoint_op=None, stamps=None))]
pub fn configure(strict: Option<bool>, keypoint_op: Option<bool>, stamps: Option<usize>) {
    prof::configure(Options {
        strict,
        keypoint_op,
        stamps,
    });
}

/// What became of the records of all subscriptions.
#[pyfunction]
pub fn statistics(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let statistics = prof::statistics();
    let counts = PyDict::new(py);
    counts.set_item("subscribed", statistics.subscribed)?;
    counts.set_item("written", statistics.written)?;
    counts.set_item("unwritten", statistics.unwritten)?;
    counts.set_item("overflowed", statistics.overflowed)?;
    counts.set_item("unread_names", statistics.unread_names)?;
    Ok(counts)
}

/// What is wrong with `OPTAP_LOG`; `None` when nothing is.
#[pyfunction]
pub fn log_fault() -> Option<String> {
    optap_acl::log::level().err()
}
