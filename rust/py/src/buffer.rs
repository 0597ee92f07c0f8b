//! The producing side of the buffer protocol (PEP 3118).

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// A one-dimensional, contiguous, read-only run of items.
pub struct View {
    /// The first item.
    pub data: *const c_void,
    /// Number of items.
    pub items: usize,
    /// Size of an item, in bytes.
    pub item_bytes: usize,
    /// Layout of an item, in `struct` notation.
    pub format: &'static CStr,
}

/// Fills `view` with `layout`, owned by `owner`.
///
/// # Safety
/// `view` is valid, and the items live and never change while `owner` lives.
pub unsafe fn fill(
    owner: Bound<'_, PyAny>,
    layout: View,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
        return Err(PyBufferError::new_err(
            "the bytes are read-only; copy them to change them",
        ));
    }
    // The one dimension needs a place that lives as long as the view: `internal` holds it until the release.
    let items = Box::into_raw(Box::new([
        layout.items as isize,
        layout.item_bytes as isize,
    ]));
    let wants = |flag: c_int| flags & flag == flag;
    // SAFETY: the caller vouches for `view`; `items` stays valid until `release`.
    unsafe {
        (*view).buf = layout.data.cast_mut();
        (*view).len = (layout.items * layout.item_bytes) as isize;
        (*view).readonly = 1;
        (*view).itemsize = layout.item_bytes as isize;
        (*view).format = if wants(ffi::PyBUF_FORMAT) {
            layout.format.as_ptr().cast_mut()
        } else {
            ptr::null_mut()
        };
        (*view).ndim = 1;
        (*view).shape = if wants(ffi::PyBUF_ND) {
            items.cast()
        } else {
            ptr::null_mut()
        };
        (*view).strides = if wants(ffi::PyBUF_STRIDES) {
            items.cast::<isize>().add(1)
        } else {
            ptr::null_mut()
        };
        (*view).suboffsets = ptr::null_mut();
        (*view).internal = items.cast();
        (*view).obj = owner.into_ptr();
    }
    Ok(())
}

/// Frees what [`fill`] allocated.
///
/// # Safety
/// `view` was filled by [`fill`] and is released once.
pub unsafe fn release(view: *mut ffi::Py_buffer) {
    // SAFETY: `internal` came from `Box::into_raw` in `fill`.
    drop(unsafe { Box::from_raw((*view).internal.cast::<[isize; 2]>()) });
}
