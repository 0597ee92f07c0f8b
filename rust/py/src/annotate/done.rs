//! An awaitable that is done: what `__aenter__` and `__aexit__` return.

use std::ffi::c_void;
use std::ptr;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::raw;
use crate::stop::Stop;

#[repr(C)]
struct Done {
    base: PyObject,
    /// The result, owned; null once it was given.
    value: *mut PyObject,
}

/// An awaitable that gives `value`, an owned reference, at once. An owned reference, null with an exception set.
///
/// # Safety
/// Attached.
pub unsafe fn done(py: Python<'_>, value: *mut PyObject) -> *mut PyObject {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    // SAFETY: the class is that of `Done`s, and the value is set before anybody looks.
    unsafe {
        let class = match TYPE.get_or_try_init(py, || make_type(py)) {
            Ok(class) => class.as_ptr(),
            Err(error) => {
                ffi::Py_DECREF(value);
                return raw::raise(py, error);
            }
        };
        let done = raw::allocate::<Done>(class.cast());
        if done.is_null() {
            ffi::Py_DECREF(value);
        } else {
            (*done).value = value;
        }
        done.cast()
    }
}

fn make_type(py: Python<'_>) -> PyResult<Py<PyType>> {
    let itself = raw::itself as *mut c_void;
    let mut slots = [
        raw::slot(ffi::Py_am_await, itself),
        raw::slot(ffi::Py_tp_iter, itself),
        raw::slot(ffi::Py_tp_iternext, give as *mut c_void),
        raw::slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
        raw::slot(0, ptr::null_mut()),
    ];
    // SAFETY: the slots fit `Done`.
    unsafe { raw::make_type::<Done>(py, c"optap._core.Done", 0, &mut slots) }
}

unsafe extern "C" fn give(object: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter calls attached, with a live object.
    unsafe {
        let value = ptr::replace(&raw mut (*object.cast::<Done>()).value, ptr::null_mut());
        if value.is_null() {
            return value;
        }
        Stop::raise(value)
    }
}

unsafe extern "C" fn dealloc(object: *mut PyObject) {
    // SAFETY: the last reference is gone; the value is ours to give back, then the memory.
    unsafe {
        ffi::Py_XDECREF((*object.cast::<Done>()).value);
        raw::free(object);
    }
}
