//! `StopIteration` with a value, without a new exception object each time.

use std::ptr;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// One `StopIteration` that is raised over and over.
pub struct Stop {
    exception: Py<PyAny>,
    /// Where the exception keeps its value, in words from its start; found by looking, `None` where it was not.
    value_word: Option<usize>,
}

impl Stop {
    /// Raises `StopIteration(value)` and returns null.
    ///
    /// # Safety
    /// The thread is attached, and `value` is an owned reference.
    pub unsafe fn raise(value: *mut PyObject) -> *mut PyObject {
        // SAFETY: see above.
        let py = unsafe { Python::assume_attached() };
        match Self::shared(py).ok().and_then(Self::value_slot) {
            // SAFETY: the slot holds the value, an owned reference, of an exception that nobody else looks at.
            Some((exception, slot)) => unsafe {
                let previous = std::mem::replace(&mut *slot, value);
                ffi::PyErr_Restore(
                    ffi::Py_NewRef(ffi::PyExc_StopIteration),
                    ffi::Py_NewRef(exception),
                    ptr::null_mut(),
                );
                ffi::Py_XDECREF(previous);
            },
            // SAFETY: `value` is owned; the exception takes a reference of its own.
            None => unsafe {
                let exception = ffi::PyObject_CallFunctionObjArgs(
                    ffi::PyExc_StopIteration,
                    value,
                    ptr::null_mut::<PyObject>(),
                );
                ffi::Py_DECREF(value);
                if !exception.is_null() {
                    ffi::PyErr_Restore(
                        ffi::Py_NewRef(ffi::PyExc_StopIteration),
                        exception,
                        ptr::null_mut(),
                    );
                }
            },
        }
        ptr::null_mut()
    }

    /// The exception and the place of its value, while nobody else holds it.
    fn value_slot(&self) -> Option<(*mut PyObject, *mut *mut PyObject)> {
        let exception = self.exception.as_ptr();
        // SAFETY: the exception is alive, and the word lies inside of it.
        unsafe {
            let slot = exception.cast::<*mut PyObject>().add(self.value_word?);
            (ffi::Py_REFCNT(exception) == 1).then_some((exception, slot))
        }
    }

    fn shared(py: Python<'_>) -> PyResult<&'static Self> {
        static SHARED: PyOnceLock<Stop> = PyOnceLock::new();
        SHARED.get_or_try_init(py, || Self::new(py))
    }

    fn new(py: Python<'_>) -> PyResult<Self> {
        let probe = pyo3::types::PyList::empty(py);
        // SAFETY: the exception type lives as long as the interpreter.
        let class = unsafe { Bound::from_borrowed_ptr(py, ffi::PyExc_StopIteration) };
        let exception = class.call1((&probe,))?;
        let words =
            class.getattr("__basicsize__")?.extract::<usize>()? / size_of::<*mut PyObject>();
        // SAFETY: an instance of the type is `__basicsize__` bytes long, aligned to pointers.
        let memory = unsafe {
            std::slice::from_raw_parts(exception.as_ptr().cast::<*mut PyObject>(), words)
        };
        let value_word = memory.iter().position(|word| *word == probe.as_ptr());
        Ok(Self {
            exception: exception.unbind(),
            value_word,
        })
    }
}
