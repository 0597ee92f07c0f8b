//! Arrays by address.

use pyo3::exceptions::{PyValueError, PyWarning};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use super::answer::object;

/// The letters of the numpy types, by their numbers from 0 on.
const LETTERS: &str = "?bBhHiIlLqQfdgFDG";
const FLOAT16: (i32, &str) = (23, "e");

/// The address of the data of an array.
pub fn address<'py>(
    py: Python<'py>,
    function: &'static str,
    array: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    warn(py, function, "bytes_to_ptr")?;
    check(py, function, array)?;
    data_address(array)
}

/// The address of the data of a contiguous array, a copy where the given one is not, and that array.
pub fn contiguous<'py>(py: Python<'py>, array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    const NAME: &str = "acl.util.numpy_contiguous_to_ptr";
    warn(py, NAME, "bytes_to_ptr")?;
    check(py, NAME, array)?;
    let array = py
        .import("numpy")?
        .call_method1("ascontiguousarray", (array,))?;
    object(py, (data_address(&array)?, array))
}

/// An array over the memory at an address.
pub fn view<'py>(
    py: Python<'py>,
    address: u64,
    shape: &Bound<'py, PyAny>,
    type_number: i32,
) -> PyResult<Bound<'py, PyAny>> {
    const NAME: &str = "acl.util.ptr_to_numpy";
    warn(py, NAME, "ptr_to_bytes")?;
    if address == 0 {
        return Err(PyValueError::new_err(format!(
            "{NAME} takes the address of memory"
        )));
    }
    let numpy = py.import("numpy")?;
    let dtype = numpy.getattr("dtype")?.call1((letter(type_number)?,))?;
    let shape: Vec<usize> = shape.cast::<PyTuple>()?.extract()?;
    let item_bytes: usize = dtype.getattr("itemsize")?.extract()?;
    let len_bytes = shape
        .iter()
        .try_fold(item_bytes, |bytes, size| bytes.checked_mul(*size));
    let len_bytes = len_bytes
        .ok_or_else(|| PyValueError::new_err(format!("{NAME}: the shape is too large")))?;
    let letters = py.import("ctypes")?.getattr("c_char")?.mul(len_bytes)?;
    let memory = letters.call_method1("from_address", (address,))?;
    numpy
        .call_method1("frombuffer", (memory, dtype))?
        .call_method1("reshape", (shape,))
}

fn letter(type_number: i32) -> PyResult<String> {
    if type_number == FLOAT16.0 {
        return Ok(FLOAT16.1.to_owned());
    }
    let letter = usize::try_from(type_number)
        .ok()
        .and_then(|number| LETTERS.chars().nth(number));
    letter.map(String::from).ok_or_else(|| {
        PyValueError::new_err(format!("numpy type {type_number} has no plain memory"))
    })
}

fn data_address<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    array.getattr("ctypes")?.getattr("data")
}

fn check(py: Python<'_>, function: &'static str, array: &Bound<'_, PyAny>) -> PyResult<()> {
    let class = py.import("numpy")?.getattr("ndarray")?;
    if array.is_instance(class.cast::<PyType>()?)? {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "{function} takes a numpy.ndarray"
    )))
}

fn warn(py: Python<'_>, function: &'static str, better: &str) -> PyResult<()> {
    let text =
        format!("{function} is deprecated; use acl.util.{better} and the methods of the array");
    let text =
        std::ffi::CString::new(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    PyErr::warn(py, &py.get_type::<PyWarning>(), &text, 1)
}
