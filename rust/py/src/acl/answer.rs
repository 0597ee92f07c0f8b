//! Results as Python objects.

use optap_acl::answer;
use optap_runtime::Result;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

type Object<'py> = PyResult<Bound<'py, PyAny>>;

/// The code alone.
pub fn code<'py, T>(py: Python<'py>, function: &'static str, result: Result<T>) -> Object<'py> {
    object(py, answer::code(function, &result))
}

/// The value and the code.
pub fn pair<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    function: &'static str,
    result: Result<T>,
    otherwise: T,
) -> Object<'py> {
    let (value, code) = answer::pair(function, result, otherwise);
    object(py, (value, code))
}

/// The value alone.
pub fn value<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    function: &'static str,
    result: Result<T>,
    otherwise: T,
) -> Object<'py> {
    object(py, answer::value(function, result, otherwise))
}

/// `None`; a failure is kept for `acl.get_recent_err_msg`.
pub fn nothing<'py, T>(py: Python<'py>, function: &'static str, result: Result<T>) -> Object<'py> {
    answer::code(function, &result);
    Ok(py.None().into_bound(py))
}

/// Any value.
pub fn object<'py>(py: Python<'py>, value: impl IntoPyObject<'py>) -> Object<'py> {
    value.into_bound_py_any(py)
}
