//! The functions of `acl.util`: threads, and addresses of Python objects.

use optap_acl::{bytes, util};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::answer::object;
use super::functions::functions;
use super::numpy;

functions! { "acl.util"
    /// Start a thread that calls a function with one argument, or with none for `None`; return its id, and an errno.
    object start_thread[py](function: Bound<'py, PyAny>, argument: Bound<'py, PyAny>) {
        if !function.is_callable() {
            return Err(PyTypeError::new_err("acl.util.start_thread args parse failed"));
        }
        let (function, argument) = (function.unbind(), argument.unbind());
        let started = util::start_thread(move || Python::attach(|py| call(py, &function, argument)));
        object(py, started.map_or_else(|errno| (0, errno), |thread_id| (thread_id, 0)))
    }
    /// Wait until a thread has ended; return an errno. Raises where its function did.
    object stop_thread[py](thread_id: u64) {
        match py.detach(|| util::stop_thread(thread_id)) {
            Ok(Ok(())) => object(py, 0),
            Ok(Err(raised)) => Err(PyRuntimeError::new_err(format!("exception={raised},msg=thread call failed;"))),
            Err(errno) => object(py, errno),
        }
    }
    /// Return the address of bytes, which must outlive its use.
    object bytes_to_ptr[py](source: Bound<'py, PyAny>) {
        let source = source.cast::<PyBytes>().map_err(|_| PyValueError::new_err("acl.util.bytes_to_ptr takes bytes"))?;
        object(py, source.as_bytes().as_ptr().expose_provenance())
    }
    /// Return a copy of the bytes at an address.
    object ptr_to_bytes[py](address: u64, size_bytes: u64) {
        if size_bytes == 0 {
            return object(py, PyBytes::new(py, &[]));
        }
        // SAFETY: the script names memory that it does not write meanwhile.
        let source = unsafe { bytes::at(address, size_bytes) };
        let source = source.ok_or_else(|| PyValueError::new_err("acl.util.ptr_to_bytes takes the address of memory"))?;
        object(py, PyBytes::new(py, source))
    }
    /// Return the address of the data of an array, which must outlive its use.
    object numpy_to_ptr[py](array: Bound<'py, PyAny>) { numpy::address(py, "acl.util.numpy_to_ptr", &array) }
    /// Return the address of the data of a contiguous array, and that array.
    object numpy_contiguous_to_ptr[py](array: Bound<'py, PyAny>) { numpy::contiguous(py, &array) }
    /// Return an array over memory, which must outlive it.
    object ptr_to_numpy[py](address: u64, shape: Bound<'py, PyAny>, type_number: i32) {
        numpy::view(py, address, &shape, type_number)
    }
}

/// Calls the function of a thread; gives the name of what it raised, whose traceback is printed.
fn call(py: Python<'_>, function: &Py<PyAny>, argument: Py<PyAny>) -> util::Ending {
    let arguments = if argument.is_none(py) {
        PyTuple::empty(py)
    } else {
        (argument,)
            .into_pyobject(py)
            .map_err(|error| error.to_string())?
    };
    function.call1(py, arguments).map(drop).map_err(|error| {
        error.print(py);
        error.get_type(py).to_string()
    })
}
