//! The object that `annotate` returns.
//!
//! The context variable holds the annotation that was entered last in each context. One that is entered for the first
//! time is its own entry there; entered again, also by another task, it makes a new entry that it owns. So no state is
//! shared, and an exit finds the entry of its own context: the token that takes it back works in no other one.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

use optap_profiler::{Label, OpenRange};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};

use crate::annotate::arguments::Said;
use crate::annotate::context::Raised;
use crate::annotate::done::done;
use crate::annotate::entry::{begin_entry, end_entry};
use crate::annotate::labels::label_of;
use crate::raw;

/// Where an entry stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Never entered.
    Fresh,
    /// In force, or with others in force inside of it.
    Entered,
    /// Left.
    Left,
    /// Left while another one inside of it was still entered, so that the variable still leads to it.
    LeftBelow,
}

/// The Python object.
#[repr(C)]
pub struct Annotation {
    base: PyObject,
    /// Owned references.
    pub(super) said: Said,
    pub(super) label: Option<Arc<Label>>,
    pub(super) stage: Stage,
    pub(super) range: Option<OpenRange>,
    /// The annotation that this is an entry of; owned, null for one that is its own.
    pub(super) owner: *mut PyObject,
    /// The entry around this one; owned, null where there is none and once it is left.
    pub(super) outer: *mut PyObject,
    /// What takes the entry back; owned, null while it is not entered.
    pub(super) token: *mut PyObject,
}

/// A fresh annotation: an owned reference, null with an exception set.
///
/// # Safety
/// Attached; what is said is alive.
#[inline]
pub unsafe fn create(py: Python<'_>, said: Said, owner: *mut PyObject) -> *mut PyObject {
    let class = match annotation_type(py) {
        Ok(class) => class,
        Err(error) => return raw::raise(py, error),
    };
    // SAFETY: the class is that of `Annotation`s; each field but the head is written before anybody looks, and the
    // collector is not told before the object is entered.
    unsafe {
        let annotation = ffi::PyObject_GC_New::<Annotation>(class);
        if annotation.is_null() {
            return annotation.cast();
        }
        said.texts()
            .into_iter()
            .for_each(|text| ffi::Py_XINCREF(text));
        ffi::Py_XINCREF(owner);
        (&raw mut (*annotation).said).write(said);
        (&raw mut (*annotation).label).write(None);
        (*annotation).stage = Stage::Fresh;
        (*annotation).range = None;
        (*annotation).owner = owner;
        (*annotation).outer = ptr::null_mut();
        (*annotation).token = ptr::null_mut();
        annotation.cast()
    }
}

#[inline]
pub(super) fn annotation_type(py: Python<'_>) -> PyResult<*mut ffi::PyTypeObject> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = TYPE.get_or_try_init(py, || make_type(py))?;
    Ok(class.as_ptr().cast())
}

/// Puts the type into the module.
pub fn export(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let class = annotation_type(module.py())?.cast::<PyObject>();
    // SAFETY: the type lives as long as the interpreter.
    module.add("Annotation", unsafe {
        Bound::from_borrowed_ptr(module.py(), class)
    })
}

fn make_type(py: Python<'_>) -> PyResult<Py<PyType>> {
    let methods = Box::leak(Box::new([
        raw::method(c"__enter__", c"Begin the range in this context.", enter),
        raw::fast_method(c"__exit__", c"End the range that this context began.", exit),
        raw::method(
            c"__aenter__",
            c"As `__enter__`, awaited; never suspends.",
            async_enter,
        ),
        raw::fast_method(
            c"__aexit__",
            c"As `__exit__`, awaited; never suspends.",
            async_exit,
        ),
        ffi::PyMethodDef::zeroed(),
    ]));
    let doc = c"A range to be entered: `with`, `async with`, or a decorator. As often as you like, by many tasks at once.";
    let mut slots = [
        raw::slot(ffi::Py_tp_methods, methods.as_mut_ptr().cast()),
        raw::slot(ffi::Py_tp_call, decorate as *mut c_void),
        raw::slot(ffi::Py_tp_repr, repr as *mut c_void),
        raw::slot(ffi::Py_tp_traverse, traverse as *mut c_void),
        raw::slot(ffi::Py_tp_clear, clear as *mut c_void),
        raw::slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
        raw::slot(ffi::Py_tp_doc, doc.as_ptr().cast_mut().cast()),
        raw::slot(0, ptr::null_mut()),
    ];
    let flags = ffi::Py_TPFLAGS_HAVE_GC;
    // SAFETY: the slots fit `Annotation`, and their tables live for ever.
    unsafe { raw::make_type::<Annotation>(py, c"optap.Annotation", flags, &mut slots) }
}

/// # Safety
/// `object` is a live annotation, and nobody else uses it during the call (the interpreter lock).
#[inline]
pub(super) unsafe fn annotation<'a>(object: *mut PyObject) -> &'a mut Annotation {
    // SAFETY: see above.
    unsafe { &mut *object.cast::<Annotation>() }
}

unsafe extern "C" fn enter(object: *mut PyObject, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter calls the method of a live annotation, attached.
    unsafe {
        match begin_entry(object) {
            Ok(()) => ffi::Py_NewRef(object),
            Err(Raised) => ptr::null_mut(),
        }
    }
}

unsafe extern "C" fn async_enter(object: *mut PyObject, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: as for `enter`.
    unsafe {
        match begin_entry(object) {
            Ok(()) => done(Python::assume_attached(), ffi::Py_NewRef(object)),
            Err(Raised) => ptr::null_mut(),
        }
    }
}

impl Annotation {
    /// The label, looked up once.
    ///
    /// # Safety
    /// Attached.
    #[inline]
    pub(super) unsafe fn label(&mut self, py: Python<'_>) -> &Label {
        // SAFETY: the annotation owns its strings.
        let fresh = || unsafe { label_of(py, &self.said) };
        if self.label.as_ref().is_none_or(|label| !label.is_own()) {
            self.label = Some(fresh());
        }
        self.label.get_or_insert_with(fresh)
    }
}

unsafe extern "C" fn exit(object: *mut PyObject, _: *mut *mut PyObject, _: isize) -> *mut PyObject {
    // SAFETY: the interpreter calls the method of a live annotation, attached.
    unsafe {
        end_entry(object);
        ffi::Py_NewRef(ffi::Py_None())
    }
}

unsafe extern "C" fn async_exit(
    object: *mut PyObject,
    _: *mut *mut PyObject,
    _: isize,
) -> *mut PyObject {
    // SAFETY: as for `exit`.
    unsafe {
        end_entry(object);
        done(Python::assume_attached(), ffi::Py_NewRef(ffi::Py_None()))
    }
}

/// `annotation(function)`: the function with the range around each call.
unsafe extern "C" fn decorate(
    object: *mut PyObject,
    arguments: *mut PyObject,
    keywords: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the interpreter calls the slot of a live annotation, attached, with a tuple and null or a dict.
    unsafe {
        let py = Python::assume_attached();
        let decorate = py
            .import("optap.annotation")
            .and_then(|module| module.getattr("_decorate"));
        let decorate = match decorate {
            Ok(decorate) => decorate,
            Err(error) => return raw::raise(py, error),
        };
        let bound = ffi::PyObject_CallFunctionObjArgs(
            decorate.as_ptr(),
            object,
            ptr::null_mut::<PyObject>(),
        );
        if bound.is_null() {
            return bound;
        }
        let decorated = ffi::PyObject_Call(bound, arguments, keywords);
        ffi::Py_DECREF(bound);
        decorated
    }
}

unsafe extern "C" fn repr(object: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter calls attached, with a live annotation.
    unsafe {
        let py = Python::assume_attached();
        let message = Bound::from_borrowed_ptr(py, annotation(object).said.message);
        let told = message
            .repr()
            .map(|message| PyString::new(py, &format!("<Annotation {message}>")));
        raw::give(py, told)
    }
}

unsafe extern "C" fn traverse(
    object: *mut PyObject,
    visit: ffi::visitproc,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the collector calls with a live annotation.
    unsafe {
        let entry = annotation(object);
        let held = [
            ffi::Py_TYPE(object).cast(),
            entry.owner,
            entry.outer,
            entry.token,
        ];
        for one in held.into_iter().filter(|one| !one.is_null()) {
            let answer = visit(one, data);
            if answer != 0 {
                return answer;
            }
        }
        0
    }
}

/// Breaks the circle of an entry whose context was given up before it was left; its range stays open.
unsafe extern "C" fn clear(object: *mut PyObject) -> c_int {
    // SAFETY: the collector calls with a live annotation.
    unsafe {
        let entry = annotation(object);
        entry.stage = Stage::Left;
        for held in [&mut entry.outer, &mut entry.token] {
            ffi::Py_XDECREF(std::mem::replace(held, ptr::null_mut()));
        }
        0
    }
}

unsafe extern "C" fn dealloc(object: *mut PyObject) {
    // SAFETY: the last reference is gone: what the annotation owns is ours to give back, then the memory.
    unsafe {
        ffi::PyObject_GC_UnTrack(object.cast());
        let entry = annotation(object);
        let [message, domain, category] = entry.said.texts();
        for held in [
            message,
            domain,
            category,
            entry.owner,
            entry.outer,
            entry.token,
        ] {
            ffi::Py_XDECREF(held);
        }
        ptr::drop_in_place(&raw mut entry.label);
        let class = ffi::Py_TYPE(object);
        ffi::PyObject_GC_Del(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}
