//! Failures that a test asks for.

use optap_model::{FaultKind, Model};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::OrRaise;

/// Let a node of a model fail in a run from now.
#[pyfunction]
pub fn fail_op(model_id: u32, name: &str, at_run: u64, kind: &str) -> PyResult<()> {
    let kind = FaultKind::from_name(kind).ok_or_else(|| {
        PyValueError::new_err(format!("kind={kind:?} must be 'error', 'hang' or 'nan'"))
    })?;
    let model = Model::find(model_id).or_raise()?;
    model.fail_op(name, at_run, kind).or_raise()
}
