//! What lies in the context variable: entries of annotations, which hold each other from the inside out.

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use optap_profiler::{OpenRange, is_recording};
use optap_record::Kind;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::annotate::annotation::{Annotation, Stage, annotation, annotation_type, create};
use crate::annotate::context::{ContextVariable, Raised};

static UNMATCHED_EXITS: AtomicU64 = AtomicU64::new(0);

/// Exits without an entry in their context.
pub fn unmatched_exits() -> u64 {
    UNMATCHED_EXITS.load(Ordering::Relaxed)
}

/// The id of the range in force in this context; 0 for none.
pub fn current_range_id(py: Python<'_>) -> PyResult<u32> {
    // SAFETY: attached.
    unsafe {
        let current = current(ContextVariable::of_range(py)?).map_err(|Raised| PyErr::fetch(py))?;
        let id = range_id(current);
        ffi::Py_XDECREF(current);
        Ok(id)
    }
}

/// The id of the range in force, where the variable can be read; 0 otherwise, without an exception.
///
/// # Safety
/// Attached.
#[inline]
pub unsafe fn range_id_in_force(variable: &ContextVariable) -> u32 {
    // SAFETY: see above.
    unsafe {
        match current(variable) {
            Ok(current) => {
                let id = range_id(current);
                ffi::Py_XDECREF(current);
                id
            }
            Err(Raised) => {
                ffi::PyErr_Clear();
                0
            }
        }
    }
}

/// The entry in force: an owned reference, null for none. Entries that were left below others are passed over.
///
/// # Safety
/// Attached.
#[inline]
unsafe fn current(variable: &ContextVariable) -> Result<*mut PyObject, Raised> {
    // SAFETY: see above.
    unsafe {
        let value = variable.get()?;
        if value.is_null() || !is_annotation(value) {
            ffi::Py_XDECREF(value);
            return Ok(ptr::null_mut());
        }
        Ok(value)
    }
}

/// Whether the value is ours: anybody can reach the variable through its context.
#[inline]
unsafe fn is_annotation(value: *mut PyObject) -> bool {
    // SAFETY: the value is alive, and the caller attached.
    unsafe {
        annotation_type(Python::assume_attached()).is_ok_and(|class| ffi::Py_TYPE(value) == class)
    }
}

#[inline]
unsafe fn range_id(entry: *mut PyObject) -> u32 {
    // SAFETY: the entry is null or an annotation that is alive.
    unsafe { entry.cast::<Annotation>().as_ref() }
        .and_then(|entry| entry.range.as_ref())
        .map_or(0, OpenRange::id)
}

/// Enters the annotation, or a new entry of it if it was entered before.
#[inline]
pub(super) unsafe fn begin_entry(object: *mut PyObject) -> Result<(), Raised> {
    // SAFETY: as for `enter`.
    unsafe {
        let py = Python::assume_attached();
        let Ok(variable) = ContextVariable::of_range(py) else {
            return Err(Raised);
        };
        if annotation(object).stage == Stage::Fresh {
            return begin(py, variable, object);
        }
        let entry = create(py, annotation(object).said, object);
        if entry.is_null() {
            return Err(Raised);
        }
        annotation(entry).label = annotation(object).label.clone();
        let begun = begin(py, variable, entry);
        ffi::Py_DECREF(entry);
        begun
    }
}

#[inline]
unsafe fn begin(
    py: Python<'_>,
    variable: &ContextVariable,
    object: *mut PyObject,
) -> Result<(), Raised> {
    // SAFETY: as for `enter`.
    unsafe {
        let entry = annotation(object);
        let outer = current(variable)?;
        entry.token = match variable.set(object) {
            Ok(token) => token,
            Err(Raised) => {
                ffi::Py_XDECREF(outer);
                return Err(Raised);
            }
        };
        entry.outer = outer;
        entry.stage = Stage::Entered;
        let mut range = OpenRange::begin_untold(range_id(outer), entry.said.payload);
        if is_recording(Kind::RANGE) {
            range.tell(entry.label(py));
        }
        entry.range = Some(range);
        ffi::PyObject_GC_Track(object.cast());
        Ok(())
    }
}

/// Ends the innermost entry of the annotation in this context. Without one nothing happens, but for the count.
#[inline]
pub(super) unsafe fn end_entry(object: *mut PyObject) {
    // SAFETY: as for `exit`.
    unsafe {
        let py = Python::assume_attached();
        let is_ended = ContextVariable::of_range(py).is_ok_and(|variable| {
            let Ok(top) = current(variable) else {
                ffi::PyErr_Clear();
                return false;
            };
            let is_ended = if is_entry(top, object) {
                end(py, variable, top)
            } else {
                end_below(py, variable, top, object)
            };
            ffi::Py_XDECREF(top);
            is_ended
        });
        if !is_ended {
            UNMATCHED_EXITS.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Whether `entry` is one of `object` that was not left.
#[inline]
unsafe fn is_entry(entry: *mut PyObject, object: *mut PyObject) -> bool {
    // SAFETY: the entry is null or a live annotation.
    unsafe {
        let is_its = entry == object
            || entry
                .cast::<Annotation>()
                .as_ref()
                .is_some_and(|entry| entry.owner == object);
        !entry.is_null() && is_its && annotation(entry).stage == Stage::Entered
    }
}

/// Ends `top`, the entry in force; `false` where it belongs to another context.
#[inline]
unsafe fn end(py: Python<'_>, variable: &ContextVariable, top: *mut PyObject) -> bool {
    // SAFETY: as for `exit`; `top` is entered, so it has a token.
    unsafe {
        if !variable.reset(annotation(top).token) {
            return false;
        }
        let outer = annotation(top).outer;
        if !outer.is_null() && annotation(outer).stage == Stage::LeftBelow {
            pass_over(variable, outer);
        }
        finish(py, top, Stage::Left);
        true
    }
}

/// Puts the nearest entry around `left` that was not left in force.
#[cold]
unsafe fn pass_over(variable: &ContextVariable, left: *mut PyObject) {
    // SAFETY: as for `exit`; the entries hold each other.
    unsafe {
        let mut outer = left;
        while !outer.is_null() && annotation(outer).stage == Stage::LeftBelow {
            outer = annotation(outer).outer;
        }
        let value = if outer.is_null() {
            ffi::Py_None()
        } else {
            outer
        };
        set(variable, value);
    }
}

/// Sets the value for good.
unsafe fn set(variable: &ContextVariable, value: *mut PyObject) {
    // SAFETY: attached, and the value is alive.
    unsafe {
        match variable.set(value) {
            Ok(token) => ffi::Py_DECREF(token),
            Err(Raised) => ffi::PyErr_Clear(),
        }
    }
}

/// Ends the innermost entry of `object` around `top`, which stays in force.
#[cold]
unsafe fn end_below(
    py: Python<'_>,
    variable: &ContextVariable,
    top: *mut PyObject,
    object: *mut PyObject,
) -> bool {
    // SAFETY: as for `exit`; the entries hold each other.
    unsafe {
        let mut entry = top;
        while !entry.is_null() && !is_entry(entry, object) {
            entry = annotation(entry).outer;
        }
        if entry.is_null() || !variable.reset(annotation(entry).token) {
            return false;
        }
        set(variable, top);
        finish(py, entry, Stage::LeftBelow);
        true
    }
}

#[inline]
unsafe fn finish(py: Python<'_>, object: *mut PyObject, stage: Stage) {
    // SAFETY: as for `exit`.
    unsafe {
        let entry = annotation(object);
        entry.stage = stage;
        if let Some(range) = entry.range.filter(|_| is_recording(Kind::RANGE)) {
            range.end(entry.label(py));
        }
        let token = std::mem::replace(&mut entry.token, ptr::null_mut());
        ffi::Py_XDECREF(token);
        if stage == Stage::Left {
            ffi::PyObject_GC_UnTrack(object.cast());
            let outer = std::mem::replace(&mut entry.outer, ptr::null_mut());
            ffi::Py_XDECREF(outer);
        }
    }
}
