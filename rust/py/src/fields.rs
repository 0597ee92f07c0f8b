//! Ops as tuples of chosen fields.

use std::mem::offset_of;
use std::sync::Arc;

use optap_profiler::Block;
use optap_record::OpRecord;
use pyo3::exceptions::PyValueError;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString, PyTuple};

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
    /// What the record is about, as a word.
    Kind,
    /// The duration, which can be absent.
    Duration,
    /// What was lost just before.
    Gap,
}

const FIELDS: &[(&str, Field)] = &[
    ("name", Field::Label(Label::Name)),
    ("type", Field::Label(Label::Type)),
    ("kernel", Field::Label(Label::Kernel)),
    ("kind", Field::Kind),
    ("start_ns", Field::Wide(offset_of!(OpRecord, start_ns))),
    ("end_ns", Field::Wide(offset_of!(OpRecord, end_ns))),
    ("duration_ns", Field::Duration),
    ("model_id", Field::Narrow(offset_of!(OpRecord, model_id))),
    ("device_id", Field::Narrow(offset_of!(OpRecord, device_id))),
    ("stream_id", Field::Narrow(offset_of!(OpRecord, stream_id))),
    ("thread_id", Field::Narrow(offset_of!(OpRecord, thread_id))),
    ("run_id", Field::Wide(offset_of!(OpRecord, run_id))),
    ("range_id", Field::Narrow(offset_of!(OpRecord, range_id))),
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
                Self::Kind => PyString::intern(py, record.kind.name()).into_ptr(),
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

/// The fields that `names`, any iterable of texts, chooses.
pub fn chosen(names: &Bound<'_, PyAny>) -> PyResult<Box<[Field]>> {
    if names.is_instance_of::<PyString>() {
        let name = names.repr()?;
        let told = format!("fields={name} is one text; give a tuple: fields=({name},)");
        return Err(PyValueError::new_err(told));
    }
    let names = names.try_iter()?.map(|name| name?.extract::<String>());
    parse(&names.collect::<PyResult<Vec<_>>>()?)
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
    let strings = maker.strings(py, block, op_id).ok().flatten();
    // SAFETY: the strings live as long as `block`.
    let strings = strings.map(|strings| unsafe { strings.as_ref() });
    match strings.and_then(|strings| strings[which as usize].get(py)) {
        // SAFETY: the string is alive.
        Some(known) => unsafe { ffi::Py_NewRef(known.as_ptr()) },
        None => crate::raw::give(py, text(py, strings, block, op_id, which)),
    }
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
        if tuple.is_null() {
            return tuple;
        }
        let items = items_of(py, tuple);
        for (place, field) in fields.iter().enumerate() {
            let value = field.value(py, maker, block, index, gap);
            if value.is_null() {
                ffi::Py_DECREF(tuple);
                return value;
            }
            match items {
                Some(items) => *items.add(place) = value,
                None => _ = ffi::PyTuple_SetItem(tuple, place as isize, value),
            }
        }
        tuple
    }
}

/// Where a tuple keeps its items, `None` where that could not be found out: the limited API only offers a call an item.
#[inline]
fn items_of(py: Python<'_>, tuple: *mut PyObject) -> Option<*mut *mut PyObject> {
    static OFFSET_BYTES: PyOnceLock<Option<usize>> = PyOnceLock::new();
    let offset_bytes = (*OFFSET_BYTES.get_or_init(py, || probe(py).ok().flatten()))?;
    // SAFETY: the probe found the first item of a tuple there.
    Some(unsafe { tuple.byte_add(offset_bytes).cast() })
}

/// Looks for a known item where the head of a tuple ends.
fn probe(py: Python<'_>) -> PyResult<Option<usize>> {
    let item = PyList::empty(py);
    let tuple = PyTuple::new(py, [&item])?;
    let offset_bytes = tuple
        .get_type()
        .getattr("__basicsize__")?
        .extract::<usize>()?;
    // SAFETY: a tuple of one item is at least one pointer longer than its head.
    let found = unsafe {
        *tuple
            .as_ptr()
            .byte_add(offset_bytes)
            .cast::<*mut PyObject>()
    };
    Ok((found == item.as_ptr()).then_some(offset_bytes))
}
