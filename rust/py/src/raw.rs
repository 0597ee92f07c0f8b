//! Heap types built from slot tables, for the few objects that are made once an op.
//!
//! A class of the binding library carries the collector's header and a trampoline a call; an op, its iterator and
//! its reader are made or called millions of times a second, and do without.

use std::ffi::{CStr, c_int, c_void};
use std::mem::ManuallyDrop;
use std::ptr;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

/// A slot and its function.
pub fn slot(slot: c_int, function: *mut c_void) -> ffi::PyType_Slot {
    ffi::PyType_Slot {
        slot,
        pfunc: function,
    }
}

/// A read-only attribute; `closure` is passed to `get`.
pub fn attribute(
    name: &'static CStr,
    doc: &'static CStr,
    get: ffi::getter,
    closure: usize,
) -> ffi::PyGetSetDef {
    ffi::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(get),
        set: None,
        doc: doc.as_ptr(),
        closure: closure as *mut c_void,
    }
}

/// The end of a table of attributes.
pub fn no_attribute() -> ffi::PyGetSetDef {
    ffi::PyGetSetDef {
        name: ptr::null(),
        get: None,
        set: None,
        doc: ptr::null(),
        closure: ptr::null_mut(),
    }
}

fn definition(
    name: &'static CStr,
    doc: Option<&'static CStr>,
    function: ffi::PyMethodDefPointer,
    flags: c_int,
) -> ffi::PyMethodDef {
    ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: function,
        ml_flags: flags,
        ml_doc: doc.map_or(ptr::null(), CStr::as_ptr),
    }
}

/// A method of another calling convention than the ones below.
pub fn bare_method(
    name: &'static CStr,
    function: ffi::PyCFunction,
    flags: c_int,
) -> ffi::PyMethodDef {
    let function = ffi::PyMethodDefPointer {
        PyCFunction: function,
    };
    definition(name, None, function, flags)
}

/// A method without arguments.
pub fn method(
    name: &'static CStr,
    doc: &'static CStr,
    function: ffi::PyCFunction,
) -> ffi::PyMethodDef {
    let function = ffi::PyMethodDefPointer {
        PyCFunction: function,
    };
    definition(name, Some(doc), function, ffi::METH_NOARGS)
}

/// A method that takes its arguments as a C array.
pub fn fast_method(
    name: &'static CStr,
    doc: &'static CStr,
    function: ffi::PyCFunctionFast,
) -> ffi::PyMethodDef {
    let function = ffi::PyMethodDefPointer {
        PyCFunctionFast: function,
    };
    definition(name, Some(doc), function, ffi::METH_FASTCALL)
}

/// A function that takes its arguments as a C array, with keywords.
pub fn keyword_function(
    name: &'static CStr,
    doc: &'static CStr,
    function: ffi::PyCFunctionFastWithKeywords,
) -> ffi::PyMethodDef {
    let function = ffi::PyMethodDefPointer {
        PyCFunctionFastWithKeywords: function,
    };
    definition(
        name,
        Some(doc),
        function,
        ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
    )
}

/// Makes a type that Python code cannot instantiate or subclass, of objects laid out as `T`.
///
/// # Safety
/// The slots end with an empty one, fit the type, and what they point to lives for ever.
pub unsafe fn make_type<T>(
    py: Python<'_>,
    name: &'static CStr,
    flags: u64,
    slots: &mut [ffi::PyType_Slot],
) -> PyResult<Py<PyType>> {
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: size_of::<T>() as c_int,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION | flags) as _,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the spec is valid for the call, and the caller vouches for the slots.
    let class = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&mut spec)) }?;
    Ok(class.cast_into::<PyType>()?.unbind())
}

/// Allocates an object of `class`, not known to the collector, with everything after its head uninitialised.
///
/// # Safety
/// Attached; objects of `class` are laid out as `T`, and the caller initialises the rest before anybody looks.
#[inline]
pub unsafe fn allocate<T>(class: *mut ffi::PyTypeObject) -> *mut T {
    // SAFETY: the memory is as large as the type's objects; the head is set before it is returned.
    unsafe {
        let object = ffi::PyObject_Malloc(size_of::<T>()).cast::<PyObject>();
        if object.is_null() {
            return ffi::PyErr_NoMemory().cast();
        }
        ffi::PyObject_Init(object, class).cast()
    }
}

/// Frees what [`allocate`] gave.
///
/// # Safety
/// Attached; nothing refers to `object`, and what it owned is dropped.
#[inline]
pub unsafe fn free(object: *mut PyObject) {
    // SAFETY: see above; an object of a heap type owns a reference to its type.
    unsafe {
        let class = ffi::Py_TYPE(object);
        ffi::PyObject_Free(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}

/// Drops what owns references now. The binding library does not see that a raw slot is attached, and would put the
/// references off. In the last collection of an interpreter, when it cannot be attached to, the references stay.
pub fn drop_attached<T>(owner: T) {
    let mut owner = ManuallyDrop::new(owner);
    // SAFETY: the owner is dropped at most once, and not used afterwards.
    Python::try_attach(|_| unsafe { ManuallyDrop::drop(&mut owner) });
}

/// `PyObject_Call`, which may be unwound.
type Call =
    unsafe extern "C-unwind" fn(*mut PyObject, *mut PyObject, *mut PyObject) -> *mut PyObject;

/// Sleeps for ever when it is dropped.
struct Hang;

impl Drop for Hang {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

/// Calls `callable` on a thread of ours. Does not return where the interpreter ends before the call does.
///
/// Before Python 3.14 an interpreter that has ended unwinds a thread that comes back to it, which aborts the process
/// at the first native frame; there, this one sleeps until the process is gone.
pub fn call_to_the_end<'py>(
    callable: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let keywords = keywords.map_or(ptr::null_mut(), |keywords| keywords.as_ptr());
    let hang = Hang;
    // The binding library declares that this function never unwinds; the compiler must not see that it is the same.
    let address = std::hint::black_box(ffi::PyObject_Call as *const ());
    // SAFETY: the function has this signature; attached; callable, tuple and dictionary live for the call, and a forced
    // unwind ends in `hang`.
    let result = unsafe {
        let call = std::mem::transmute::<*const (), Call>(address);
        call(callable.as_ptr(), arguments.as_ptr(), keywords)
    };
    std::mem::forget(hang);
    // SAFETY: the result is an owned reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(callable.py(), result) }
}

/// Sets `error` as the current exception; null, for the interpreter.
pub fn raise(py: Python<'_>, error: PyErr) -> *mut PyObject {
    error.restore(py);
    ptr::null_mut()
}

/// The object of `result`, or null with the exception set.
pub fn give<T>(py: Python<'_>, result: PyResult<Bound<'_, T>>) -> *mut PyObject {
    result.map_or_else(|error| raise(py, error), Bound::into_ptr)
}

/// `__iter__`, `__aiter__` and `__await__` of an object that is its own.
///
/// # Safety
/// Called by the interpreter with a live object.
pub unsafe extern "C" fn itself(object: *mut PyObject) -> *mut PyObject {
    // SAFETY: see above.
    unsafe { ffi::Py_NewRef(object) }
}
