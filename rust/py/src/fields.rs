//! Ops as tuples of chosen fields.

use std::mem::offset_of;
use std::sync::Arc;

use optap_profiler::Block;
use optap_record::OpRecord;
use pyo3::exceptions::PyValueError;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::op::OpMaker;
use crate::strings::{Label, text};

/// A field of an op.
#[derive(Clone, Copy)]
pub enum Field {
    /// One of the names.
    Label(Label),
    /// A number of 64 bits, at this offset in bytes.
    Wide(usize),
    /// A number of 32 bits, at this offset in bytes.
    Narrow(usize),
    /// The duration, which can be absent.
    Duration,
    /// What was lost just before.
    Gap,
}

const FIELDS: &[(&str, Field)] = &[
    ("name", Field::Label(Label::Name)),
    ("type", Field::Label(Label::Type)),
    ("kernel", Field::Label(Label::Kernel)),
    ("start_ns", Field::Wide(offset_of!(OpRecord, start_ns))),
    ("end_ns", Field::Wide(offset_of!(OpRecord, end_ns))),
    ("duration_ns", Field::Duration),
    ("model_id", Field::Narrow(offset_of!(OpRecord, model_id))),
    ("device_id", Field::Narrow(offset_of!(OpRecord, device_id))),
    ("stream_id", Field::Narrow(offset_of!(OpRecord, stream_id))),
    ("thread_id", Field::Narrow(offset_of!(OpRecord, thread_id))),
    ("run_id", Field::Wide(offset_of!(OpRecord, run_id))),
    ("flags", Field::Narrow(offset_of!(OpRecord, flags))),
    ("sequence", Field::Wide(offset_of!(OpRecord, sequence))),
    ("gap", Field::Gap),
];

impl Field {
    /// The field called `name`.
    fn named(name: &str) -> PyResult<Self> {
        let found = FIELDS.iter().find(|(known, _)| *known == name);
        found.map(|(_, field)| *field).ok_or_else(|| {
            let known: Vec<_> = FIELDS.iter().map(|(known, _)| *known).collect();
            PyValueError::new_err(format!(
                "fields: an op has no field {name:?}; it has {}",
                known.join(", ")
            ))
        })
    }

    /// The field of the op at `index` of `block`: an owned reference, null with an exception set.
    #[inline]
    fn value(
        self,
        py: Python<'_>,
        maker: &mut OpMaker,
        block: &Arc<Block>,
        index: usize,
        gap: u64,
    ) -> *mut PyObject {
        let record = &block.records()[index];
        // SAFETY: attached; each offset is that of a field of its width.
        unsafe {
            match self {
                Self::Wide(offset) => ffi::PyLong_FromUnsignedLongLong(read::<u64>(record, offset)),
                Self::Narrow(offset) => {
                    ffi::PyLong_FromUnsignedLongLong(read::<u32>(record, offset).into())
                }
                Self::Gap => ffi::PyLong_FromUnsignedLongLong(gap),
                Self::Label(which) => label(py, maker, block, record.op_id, which),
                Self::Duration => match record.duration_ns() {
                    Some(duration_ns) => ffi::PyLong_FromUnsignedLongLong(duration_ns),
                    None => ffi::Py_NewRef(ffi::Py_None()),
                },
            }
        }
    }
}

/// The fields called `names`.
pub fn parse(names: &[String]) -> PyResult<Box<[Field]>> {
    names.iter().map(|name| Field::named(name)).collect()
}

/// # Safety
/// `record` has a field of type `T` at `offset`.
#[inline]
unsafe fn read<T: Copy>(record: *const OpRecord, offset: usize) -> T {
    // SAFETY: see above.
    unsafe { *record.byte_add(offset).cast::<T>() }
}

#[inline]
fn label(
    py: Python<'_>,
    maker: &mut OpMaker,
    block: &Arc<Block>,
    op_id: u32,
    which: Label,
) -> *mut PyObject {
    let told = maker.strings(py, block, op_id).and_then(|strings| {
        // SAFETY: the strings live as long as `block`.
        let strings = strings.map(|strings| unsafe { strings.as_ref() });
        text(py, strings, block, op_id, which)
    });
    crate::raw::give(py, told)
}

/// The chosen fields of one op as a tuple: an owned reference, null with an exception set.
#[inline]
pub fn tuple(
    py: Python<'_>,
    fields: &[Field],
    maker: &mut OpMaker,
    block: &Arc<Block>,
    index: usize,
    gap: u64,
) -> *mut PyObject {
    // SAFETY: attached; the tuple is fresh, and each place is set once, with an owned reference.
    unsafe {
        let tuple = ffi::PyTuple_New(fields.len() as isize);
        for (place, field) in fields.iter().enumerate() {
            let value = if tuple.is_null() {
                tuple
            } else {
                field.value(py, maker, block, index, gap)
            };
            if value.is_null() {
                ffi::Py_XDECREF(tuple);
                return value;
            }
            ffi::PyTuple_SetItem(tuple, place as isize, value);
        }
        tuple
    }
}
