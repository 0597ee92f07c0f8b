//! The context variable that holds the innermost range.
//!
//! The limited API has no `PyContextVar_*`, but every CPython exports them: they are looked up by name once, and
//! methods of the variable are called where they are hidden.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Set to `methods`, the variable is reached by calls of its methods, as on an interpreter that hides its functions.
const CALLS_VARIABLE: &str = "OPTAP_CONTEXT_CALLS";

type Get = unsafe extern "C" fn(*mut PyObject, *mut PyObject, *mut *mut PyObject) -> c_int;
type Set = unsafe extern "C" fn(*mut PyObject, *mut PyObject) -> *mut PyObject;
type Reset = unsafe extern "C" fn(*mut PyObject, *mut PyObject) -> c_int;

/// An exception is set.
#[derive(Debug)]
pub struct Raised;

/// A variable that each task and thread has a value of its own of.
pub struct ContextVariable {
    object: Py<PyAny>,
    calls: Option<Calls>,
}

#[derive(Clone, Copy)]
struct Calls {
    get: Get,
    set: Set,
    reset: Reset,
}

impl ContextVariable {
    /// The variable of the innermost range.
    #[inline]
    pub fn of_range(py: Python<'_>) -> PyResult<&'static Self> {
        static VARIABLE: PyOnceLock<ContextVariable> = PyOnceLock::new();
        VARIABLE.get_or_try_init(py, || Self::new(py, "optap.range"))
    }

    fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        let class = py.import("contextvars")?.getattr("ContextVar")?;
        let by_method = std::env::var_os(CALLS_VARIABLE).is_some_and(|value| value == "methods");
        Ok(Self {
            object: class.call1((name,))?.unbind(),
            calls: if by_method { None } else { Calls::find() },
        })
    }

    /// The value in this context: an owned reference, null where there is none.
    ///
    /// # Safety
    /// Attached.
    #[inline]
    pub unsafe fn get(&self) -> Result<*mut PyObject, Raised> {
        let Some(calls) = self.calls else {
            // SAFETY: see above.
            return self.get_by_method(unsafe { Python::assume_attached() });
        };
        let mut value = ptr::null_mut();
        // SAFETY: attached; the object is a context variable, and `value` is ours to write.
        match unsafe { (calls.get)(self.object.as_ptr(), ptr::null_mut(), &mut value) } {
            0 => Ok(value),
            _ => Err(Raised),
        }
    }

    /// Sets the value in this context; returns the token that takes it back, an owned reference.
    ///
    /// # Safety
    /// Attached; `value` is alive.
    #[inline]
    pub unsafe fn set(&self, value: *mut PyObject) -> Result<*mut PyObject, Raised> {
        // SAFETY: attached; the object is a context variable.
        let token = unsafe {
            match self.calls {
                Some(calls) => (calls.set)(self.object.as_ptr(), value),
                None => call(&self.object, c"set", value),
            }
        };
        if token.is_null() {
            Err(Raised)
        } else {
            Ok(token)
        }
    }

    /// Takes back what `token` stands for; `false`, without an exception, where this is not its context.
    ///
    /// # Safety
    /// Attached; `token` is one of this variable that was not used before.
    #[inline]
    pub unsafe fn reset(&self, token: *mut PyObject) -> bool {
        // SAFETY: attached; the object is a context variable.
        unsafe {
            let is_reset = match self.calls {
                Some(calls) => (calls.reset)(self.object.as_ptr(), token) == 0,
                None => {
                    let none = call(&self.object, c"reset", token);
                    ffi::Py_XDECREF(none);
                    !none.is_null()
                }
            };
            if !is_reset {
                ffi::PyErr_Clear();
            }
            is_reset
        }
    }

    fn get_by_method(&self, py: Python<'_>) -> Result<*mut PyObject, Raised> {
        let got = self.object.call_method1(py, "get", (py.None(),));
        match got {
            Ok(value) if value.is_none(py) => Ok(ptr::null_mut()),
            Ok(value) => Ok(value.into_ptr()),
            Err(error) => {
                error.restore(py);
                Err(Raised)
            }
        }
    }
}

/// `object.name(argument)`: an owned reference, null with an exception set.
///
/// # Safety
/// Attached; `argument` is alive.
unsafe fn call(object: &Py<PyAny>, name: &CStr, argument: *mut PyObject) -> *mut PyObject {
    // SAFETY: see above; the format takes one object.
    unsafe { ffi::PyObject_CallMethod(object.as_ptr(), name.as_ptr(), c"(O)".as_ptr(), argument) }
}

impl Calls {
    fn find() -> Option<Self> {
        let [get, set, reset] = [
            c"PyContextVar_Get",
            c"PyContextVar_Set",
            c"PyContextVar_Reset",
        ]
        .map(|name| find(name.as_ptr()));
        if get.is_null() || set.is_null() || reset.is_null() {
            return None;
        }
        // SAFETY: the interpreter documents these signatures for these names, and never unloads them.
        unsafe {
            Some(Self {
                get: transmute::<*mut c_void, Get>(get),
                set: transmute::<*mut c_void, Set>(set),
                reset: transmute::<*mut c_void, Reset>(reset),
            })
        }
    }
}

fn find(name: *const c_char) -> *mut c_void {
    // SAFETY: the name is a C string.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name) }
}
