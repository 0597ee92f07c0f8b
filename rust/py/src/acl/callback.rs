//! Python callables that the runtime calls.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::raw;

/// A call of `function` with `data`; what it raises goes to `sys.unraisablehook`.
///
/// # Errors
/// `TypeError` for what cannot be called.
pub fn once(
    name: &'static str,
    function: Bound<'_, PyAny>,
    data: Bound<'_, PyAny>,
) -> PyResult<impl FnOnce() + Send + 'static> {
    let function = callable(name, function)?;
    let data = data.unbind();
    Ok(move || {
        Python::attach(|py| {
            report(py, &function, call(py, &function, data));
        });
    })
}

/// What tells a Python function of an exception, by the number of its info. Without a function there is none.
///
/// # Errors
/// `TypeError` for what can neither be called nor is `None`.
#[allow(clippy::type_complexity)]
pub fn on_exception(
    name: &'static str,
    function: Option<Bound<'_, PyAny>>,
) -> PyResult<Option<Arc<dyn Fn(u64) + Send + Sync>>> {
    let Some(function) = function.filter(|function| !function.is_none()) else {
        return Ok(None);
    };
    let function = callable(name, function)?;
    Ok(Some(Arc::new(move |info| {
        Python::attach(|py| {
            report(py, &function, call(py, &function, info));
        });
    })))
}

fn callable(name: &'static str, function: Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    if function.is_callable() {
        return Ok(function.unbind());
    }
    Err(PyTypeError::new_err(format!("{name} args parse failed")))
}

fn call<'py>(
    py: Python<'py>,
    function: &Py<PyAny>,
    argument: impl IntoPyObject<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = PyTuple::new(py, [argument])?;
    raw::call_to_the_end(function.bind(py), &arguments, None)
}

fn report(py: Python<'_>, function: &Py<PyAny>, outcome: PyResult<Bound<'_, PyAny>>) {
    if let Err(error) = outcome {
        error.write_unraisable(py, Some(function.bind(py)));
    }
}
