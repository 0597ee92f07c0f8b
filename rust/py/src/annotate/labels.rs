//! From Python strings to the label that stands for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use optap_profiler::{Label, Profiler};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::annotate::arguments::Said;
use crate::annotate::cache;
use crate::strings::encode;

static NAMELESS: AtomicU64 = AtomicU64::new(0);

/// Ranges and marks whose text did not fit under the cap of names.
pub fn nameless() -> u64 {
    NAMELESS.load(Ordering::Relaxed)
}

/// The label of what is said. One without a name, and counted, where names are capped: the program that is profiled
/// goes on.
///
/// # Safety
/// Attached; the strings are alive.
#[inline]
pub unsafe fn label_of(py: Python<'_>, said: &Said) -> Arc<Label> {
    // SAFETY: see above.
    unsafe { with_label(py, said, Arc::clone) }
}

/// Calls `use_label` with the label of what is said.
///
/// # Safety
/// As for [`label_of`].
#[inline]
pub unsafe fn with_label<T>(
    py: Python<'_>,
    said: &Said,
    use_label: impl FnOnce(&Arc<Label>) -> T,
) -> T {
    let use_label = match cache::with(said.texts(), use_label) {
        Ok(used) => return used,
        Err(use_label) => use_label,
    };
    // SAFETY: see above.
    let label = unsafe { make(py, said) };
    let used = use_label(&label);
    // SAFETY: see above.
    unsafe { cache::keep(said.texts(), label) };
    used
}

#[cold]
unsafe fn make(py: Python<'_>, said: &Said) -> Arc<Label> {
    // SAFETY: the strings are alive.
    let [message, domain, category] = said.texts().map(|text| unsafe { bytes(py, text) });
    let label = Profiler::global().label(&message, &domain, &category);
    label.unwrap_or_else(|_| {
        NAMELESS.fetch_add(1, Ordering::Relaxed);
        Arc::new(Label::nameless())
    })
}

/// The bytes of a string; surrogates that stand for bytes are turned back, others become question marks.
///
/// # Safety
/// Attached; `text` is null or a string that is alive.
unsafe fn bytes(py: Python<'_>, text: *mut PyObject) -> Vec<u8> {
    // SAFETY: see above.
    let Some(text) = (unsafe { Bound::from_borrowed_ptr_or_opt(py, text) }) else {
        return Vec::new();
    };
    let mut length = 0;
    // SAFETY: the text is a string; the bytes live as long as it does.
    unsafe {
        let bytes = ffi::PyUnicode_AsUTF8AndSize(text.as_ptr(), &mut length);
        if !bytes.is_null() {
            return std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize).to_vec();
        }
        ffi::PyErr_Clear();
        let text = text.cast_unchecked::<PyString>();
        encode(text).unwrap_or_else(|_| text.to_string_lossy().into_owned().into_bytes())
    }
}
