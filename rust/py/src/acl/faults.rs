//! Failures that a test asks for.

use optap_acl::mdl::{self, FaultKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::OrRaise;

/// Let a node of a model fail in a run from now.
#[pyfunction]
pub fn fail_op(model_id: u32, name: &str, at_run: u64, kind: &str) -> PyResult<()> {
    let kind = FaultKind::from_name(kind).ok_or_else(|| {
        PyValueError::new_err(format!("kind={kind:?} must be 'error', 'hang' or 'nan'"))
    })?;
    mdl::fail_op(model_id, name, at_run, kind).or_raise()
}
