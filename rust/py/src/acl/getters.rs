//! The functions of `acl.prof` that are called for each record, and so without a tuple of arguments.

use std::ffi::CStr;
use std::ptr;
use std::slice;

use optap_acl::answer;
use optap_acl::prof::{self, Text};
use optap_runtime::Result;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi::{self, Py_ssize_t, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{Borrowed, IntoPyObjectExt};

use super::args::Arg;

/// The records at an address; `None` for null.
#[inline]
pub fn records(address: u64, len_bytes: u64) -> Option<&'static [u8]> {
    if address != 0 && len_bytes == 0 {
        return Some(&[]);
    }
    // SAFETY: the script names its own buffer, which it keeps until the call returns.
    unsafe { optap_acl::bytes::at(address, len_bytes) }
}

/// The arguments of one call.
struct Given<'a, 'py> {
    py: Python<'py>,
    function: &'static str,
    given: &'a [*mut PyObject],
}

impl<'a, 'py> Given<'a, 'py> {
    /// The next argument.
    #[inline]
    fn take<T: Arg<'a, 'py>>(&mut self) -> PyResult<T> {
        let (first, rest) = self.given.split_first().ok_or_else(|| self.refuse())?;
        self.given = rest;
        // SAFETY: the interpreter keeps the arguments alive during the call.
        let first = unsafe { Borrowed::from_ptr(self.py, *first) };
        T::parse(first)?.ok_or_else(|| self.refuse())
    }

    /// Refuses arguments that are left over.
    #[inline]
    fn finish(&self) -> PyResult<()> {
        let is_done = self.given.is_empty();
        is_done.then_some(()).ok_or_else(|| self.refuse())
    }

    #[cold]
    fn refuse(&self) -> PyErr {
        PyTypeError::new_err(format!("{} args parse failed", self.function))
    }
}

/// Declares getters: a body each, which makes the Python object, and the table that registers them.
macro_rules! getters {
    ($( $(#[doc = $doc:literal])* $name:ident [$call:ident] ($($arg:ident: $type:ty),*) $body:block )*) => {
        $(
            unsafe extern "C" fn $name(
                _module: *mut PyObject,
                given: *mut *mut PyObject,
                count: Py_ssize_t,
            ) -> *mut PyObject {
                // SAFETY: the interpreter calls attached, with `count` arguments at `given`.
                let mut $call = unsafe { begin(concat!("acl.prof.", stringify!($name)), given, count) };
                end($call.py, (|| {
                    $(let $arg: $type = $call.take()?;)*
                    $call.finish()?;
                    $body
                })())
            }
        )*

        /// Adds the functions to their module.
        pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(add(module, stringify!($name), method(
                // SAFETY: the text ends in its only NUL.
                unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) },
                // SAFETY: as above.
                unsafe { CStr::from_bytes_with_nul_unchecked(concat!($($doc,)* "\0").as_bytes()) },
                $name,
            ))?;)*
            Ok(())
        }
    };
}

type Getter = unsafe extern "C" fn(*mut PyObject, *mut *mut PyObject, Py_ssize_t) -> *mut PyObject;

/// # Safety
/// Attached, and `count` live objects lie at `given` for the whole call.
#[inline]
unsafe fn begin<'a>(
    function: &'static str,
    given: *mut *mut PyObject,
    count: Py_ssize_t,
) -> Given<'a, 'a> {
    let given = if count > 0 {
        // SAFETY: promised by the caller.
        unsafe { slice::from_raw_parts(given, count.unsigned_abs()) }
    } else {
        &[]
    };
    Given {
        // SAFETY: promised by the caller.
        py: unsafe { Python::assume_attached() },
        function,
        given,
    }
}

#[inline]
fn end<'py>(py: Python<'py>, made: PyResult<Bound<'py, PyAny>>) -> *mut PyObject {
    match made {
        Ok(object) => object.into_ptr(),
        Err(error) => {
            error.restore(py);
            ptr::null_mut()
        }
    }
}

fn method(name: &'static CStr, doc: &'static CStr, getter: Getter) -> ffi::PyMethodDef {
    ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFast: getter,
        },
        ml_flags: ffi::METH_FASTCALL,
        ml_doc: doc.as_ptr(),
    }
}

fn add(module: &Bound<'_, PyModule>, name: &str, method: ffi::PyMethodDef) -> PyResult<()> {
    let (py, method) = (module.py(), Box::leak(Box::new(method)));
    let module_name = module.name()?;
    // SAFETY: the definition and its texts live for ever, and the module outlives the call.
    let function = unsafe {
        let function = ffi::PyCFunction_NewEx(method, module.as_ptr(), module_name.as_ptr());
        Bound::from_owned_ptr_or_err(py, function)
    }?;
    module.add(name, function)
}

/// A text and the code of the call.
fn text<'py>(
    call: &Given<'_, 'py>,
    data: Option<&[u8]>,
    index: u32,
    text: Text,
    room: u32,
) -> PyResult<Bound<'py, PyAny>> {
    let fetched = prof::get_op_text(data, index, text, Some(room));
    let code = answer::code(call.function, &fetched);
    let text = match &fetched {
        Ok(fetched) => PyString::new(call.py, &String::from_utf8_lossy(fetched.as_bytes())),
        Err(_) => PyString::new(call.py, ""),
    };
    (text, code).into_bound_py_any(call.py)
}

/// A number that stands for itself, or `otherwise`.
fn number<'py>(
    call: &Given<'_, 'py>,
    result: Result<u64>,
    otherwise: u64,
) -> PyResult<Bound<'py, PyAny>> {
    answer::value(call.function, result, otherwise).into_bound_py_any(call.py)
}

getters! {
    /// How many records a buffer holds.
    get_op_num[call](data: u64, len: u64) {
        answer::pair(call.function, prof::get_op_num(records(data, len)), 0).into_bound_py_any(call.py)
    }

    /// The model of a record; 100000 on failure.
    get_model_id[call](data: u64, len: u64, index: u32) {
        number(&call, prof::get_model_id(records(data, len), index).map(u64::from), 100_000)
    }

    /// The type of a record's operator, given once.
    get_op_type[call](data: u64, len: u64, index: u32, room: u32) {
        text(&call, records(data, len), index, Text::Type, room)
    }

    /// The name of a record's operator, given once.
    get_op_name[call](data: u64, len: u64, index: u32, room: u32) {
        text(&call, records(data, len), index, Text::Name, room)
    }

    /// When the operator began, ns; 0 on failure.
    get_op_start[call](data: u64, len: u64, index: u32) {
        number(&call, prof::get_op_start(records(data, len), index), 0)
    }

    /// When the operator ended, ns; 0 on failure.
    get_op_end[call](data: u64, len: u64, index: u32) {
        number(&call, prof::get_op_end(records(data, len), index), 0)
    }

    /// How long the operator took, ns; 0 on failure.
    get_op_duration[call](data: u64, len: u64, index: u32) {
        number(&call, prof::get_op_duration(records(data, len), index), 0)
    }
}
