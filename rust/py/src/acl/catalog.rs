//! The list of functions, for the documentation.

use optap_acl::Status;
use pyo3::prelude::*;

/// Name, status and note of each function of the namespace.
#[pyfunction]
pub fn functions() -> Vec<(&'static str, &'static str, &'static str)> {
    optap_acl::functions()
        .map(|function| (function.name, status(function.status), function.note))
        .collect()
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Implemented => "implemented",
        Status::Differs => "differs",
        Status::NotSupported => "not supported",
    }
}
