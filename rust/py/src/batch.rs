//! A batch of ops: rows, columns, bytes.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_int, c_void};
use std::fmt::Display;
use std::sync::{Arc, OnceLock};

use optap_profiler::{Block, Slice};
use optap_record::{FIELDS, OP_RECORD_BYTES, OpRecord};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyDict, PySlice, PyType};

use crate::arrow;
use crate::buffer::{View, fill, release};
use crate::fields::{Field, parse, tuple};
use crate::filter::Filter;
use crate::op::OpMaker;
use crate::raw;
use crate::strings::{Label, label};

/// Ops in the order of delivery; read-only, and shared with every other reader of the same ops.
#[pyclass(frozen, sequence, module = "optap")]
pub struct Batch {
    slice: Slice,
}

impl Batch {
    /// Wraps a slice.
    pub fn new(slice: Slice) -> Self {
        Self { slice }
    }

    /// What the batch holds.
    pub fn slice(&self) -> &Slice {
        &self.slice
    }

    #[inline]
    fn gap_before(&self, index: usize) -> u64 {
        if index == 0 { self.slice.gap } else { 0 }
    }

    /// The op at `index`: an owned reference, null with an exception set.
    #[inline]
    fn op(&self, py: Python<'_>, maker: &mut OpMaker, index: usize) -> *mut PyObject {
        let gap = self.gap_before(index);
        maker.make(py, &self.slice.block, self.slice.range.start + index, gap)
    }

    /// Neighbouring ops, without a copy. What was lost before the first op stays with it.
    fn part(&self, part: &Bound<'_, PySlice>) -> PyResult<Self> {
        let len = self.slice.len();
        let indices = part.indices(len as isize)?;
        if indices.step != 1 {
            let told = format!(
                "step {} of a slice: a batch gives neighbours only; take others from batch.array",
                indices.step
            );
            return Err(PyValueError::new_err(told));
        }
        let (start, count) = (indices.start as usize, indices.slicelength);
        let first = self.slice.range.start + start;
        let has_gap = start == 0 && (count > 0 || len == 0);
        Ok(Self::new(Slice {
            block: self.slice.block.clone(),
            range: first..first + count,
            gap: if has_gap { self.slice.gap } else { 0 },
        }))
    }

    /// Records with the names of this batch.
    fn with(&self, records: Vec<OpRecord>, gap: u64) -> Self {
        let leases = self.slice.block.leases().to_vec();
        Self::new(Slice {
            range: 0..records.len(),
            block: Arc::new(Block::new(records, leases)),
            gap,
        })
    }

    fn labels<'py>(&self, py: Python<'py>, which: Label) -> PyResult<Bound<'py, PyDict>> {
        let labels = PyDict::new(py);
        let ids = self.slice.records().iter().map(|record| (record.op_id, ()));
        for (op_id, ()) in BTreeMap::from_iter(ids) {
            labels.set_item(op_id, label(py, &self.slice.block, op_id, which)?)?;
        }
        Ok(labels)
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.slice.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(part) = index.cast::<PySlice>() {
            return Ok(self.part(part)?.into_pyobject(py)?.into_any());
        }
        let len = self.slice.len();
        let index: isize = index
            .extract()
            .map_err(|error| refuse(index, &error, len))?;
        let at = if index < 0 {
            index + len as isize
        } else {
            index
        };
        let Some(at) = usize::try_from(at).ok().filter(|at| *at < len) else {
            return Err(out_of_range(index, len));
        };
        // SAFETY: the reference is owned, or null with an exception set.
        unsafe { Bound::from_owned_ptr_or_err(py, self.op(py, &mut OpMaker::default(), at)) }
    }

    fn __iter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        BatchIterator::create(slf, None)
    }

    /// Iterate over tuples of the named fields, flags as an int: the cheapest way to read a few fields of each op.
    #[pyo3(signature = (*fields))]
    fn rows<'py>(slf: Bound<'py, Self>, fields: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
        BatchIterator::create(slf, Some(parse(&fields)?))
    }

    /// The ops that meet a condition, as a batch of its own; what was lost is not told in it.
    fn filter(&self, py: Python<'_>, r#where: &Filter) -> Self {
        let (slice, condition) = (&self.slice, &r#where.condition);
        let wanted = |record: &&OpRecord| condition.matches(record, slice.block.info(record.op_id));
        py.detach(|| self.with(slice.records().iter().filter(wanted).copied().collect(), 0))
    }

    /// Ops that this subscriber lost just before the first one, or at the end of the stream if the batch is empty.
    #[getter]
    fn gap(&self) -> u64 {
        self.slice.gap
    }

    /// Names by op id.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.labels(py, Label::Name)
    }

    /// Operator types by op id.
    #[getter]
    fn types<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.labels(py, Label::Type)
    }

    /// What the engine ran, by op id.
    #[getter]
    fn kernels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.labels(py, Label::Kernel)
    }

    /// The records as a read-only structured array of shape `(len,)`, without a copy.
    #[getter]
    fn array<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let (from_buffer, dtype) = numpy(py)?;
        from_buffer.bind(py).call1((slf, dtype.bind(py)))
    }

    /// The records as columns of a struct array (Arrow C data interface). `requested_schema` is ignored, as it may be.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        arrow::export(py, &self.slice)
    }

    /// The records, 64 bytes each.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let records = slf.get().slice.records();
        let layout = View {
            data: records.as_ptr().cast(),
            items: records.len(),
            item_bytes: OP_RECORD_BYTES,
            format: format(),
        };
        // SAFETY: `view` is the interpreter's; the block lives and stays put as long as the batch, and never changes.
        unsafe { fill(slf.into_any(), layout, view, flags) }
    }

    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: the interpreter releases each view that `__getbuffer__` filled, once.
        unsafe { release(view) }
    }

    fn __repr__(&self) -> String {
        format!(
            "<Batch of {} ops, gap {}>",
            self.slice.len(),
            self.slice.gap
        )
    }
}

fn out_of_range(index: impl Display, len: usize) -> PyErr {
    PyIndexError::new_err(format!("index {index} of a batch of {len} ops"))
}

/// The exception for an index that is no number of this size.
fn refuse(index: &Bound<'_, PyAny>, error: &PyErr, len: usize) -> PyErr {
    if error.is_instance_of::<PyOverflowError>(index.py()) {
        return out_of_range(index, len);
    }
    PyTypeError::new_err("a batch is indexed by whole numbers and slices")
}

/// The batches, one after another, as a stream of struct arrays (Arrow C stream interface).
#[pyfunction]
pub fn arrow_stream<'py>(
    py: Python<'py>,
    batches: Vec<PyRef<'py, Batch>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let slices = batches.iter().map(|batch| batch.slice.clone()).collect();
    arrow::export_stream(py, slices)
}

/// The batch with another gap before it.
#[pyfunction]
pub fn with_gap(batch: &Batch, gap: u64) -> Batch {
    Batch::new(Slice {
        gap,
        ..batch.slice.clone()
    })
}

/// The batch with its times `by_ns` nanoseconds later; times of 0, which are unknown, stay.
#[pyfunction]
pub fn move_times(py: Python<'_>, batch: &Batch, by_ns: i64) -> Batch {
    let moved = |time_ns: u64| match time_ns {
        0 => 0,
        known => known.saturating_add_signed(by_ns).max(1),
    };
    let record = |record: &OpRecord| OpRecord {
        start_ns: moved(record.start_ns),
        end_ns: moved(record.end_ns),
        ..*record
    };
    let slice = &batch.slice;
    py.detach(|| batch.with(slice.records().iter().map(record).collect(), slice.gap))
}

/// `numpy.frombuffer` and the dtype of a record, looked up once.
fn numpy(py: Python<'_>) -> PyResult<&'static (Py<PyAny>, Py<PyAny>)> {
    static NUMPY: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();
    NUMPY.get_or_try_init(py, || {
        let from_buffer = py.import("numpy")?.getattr("frombuffer")?;
        let dtype = py.import("optap.batch")?.getattr("OP_DTYPE")?;
        Ok((from_buffer.unbind(), dtype.unbind()))
    })
}

/// The layout of a record in `struct` notation, made from the one table of fields.
fn format() -> &'static CStr {
    static FORMAT: OnceLock<std::ffi::CString> = OnceLock::new();
    FORMAT.get_or_init(|| {
        let code = |field: &optap_record::Field| match field.format {
            "<u8" => "Q",
            "<u4" => "I",
            _ => "H",
        };
        let fields: String = FIELDS
            .iter()
            .map(|field| format!("{}:{}:", code(field), field.name))
            .collect();
        std::ffi::CString::new(format!("T{{<{fields}}}")).unwrap_or_default()
    })
}

/// The iterator over a batch.
#[repr(C)]
struct BatchIterator {
    base: PyObject,
    state: *mut IteratorState,
}

struct IteratorState {
    batch: Py<Batch>,
    fields: Option<Box<[Field]>>,
    next: usize,
    maker: OpMaker,
}

impl BatchIterator {
    fn create(batch: Bound<'_, Batch>, fields: Option<Box<[Field]>>) -> PyResult<Bound<'_, PyAny>> {
        static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let py = batch.py();
        let class = TYPE.get_or_try_init(py, || make_iterator_type(py))?;
        let state = IteratorState {
            batch: batch.unbind(),
            fields,
            next: 0,
            maker: OpMaker::default(),
        };
        // SAFETY: the class is that of `BatchIterator`s, and the state is set before anybody looks.
        unsafe {
            let iterator = raw::allocate::<Self>(class.as_ptr().cast());
            let object = Bound::from_owned_ptr_or_err(py, iterator.cast())?;
            (*iterator).state = Box::into_raw(Box::new(state));
            Ok(object)
        }
    }
}

fn make_iterator_type(py: Python<'_>) -> PyResult<Py<PyType>> {
    let mut slots = [
        raw::slot(ffi::Py_tp_iter, raw::itself as *mut c_void),
        raw::slot(ffi::Py_tp_iternext, next_op as *mut c_void),
        raw::slot(ffi::Py_tp_dealloc, drop_iterator as *mut c_void),
        raw::slot(0, std::ptr::null_mut()),
    ];
    // SAFETY: the slots fit `BatchIterator`.
    unsafe { raw::make_type::<BatchIterator>(py, c"optap._core.BatchIterator", 0, &mut slots) }
}

unsafe extern "C" fn next_op(object: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter calls attached, with a live iterator, one call at a time.
    unsafe {
        let state = &mut *(*object.cast::<BatchIterator>()).state;
        let (batch, index) = (state.batch.get(), state.next);
        if index == batch.slice.len() {
            return std::ptr::null_mut();
        }
        state.next += 1;
        let (py, maker) = (Python::assume_attached(), &mut state.maker);
        match &state.fields {
            None => batch.op(py, maker, index),
            Some(fields) => {
                let (block, gap) = (&batch.slice.block, batch.gap_before(index));
                tuple(
                    py,
                    fields,
                    maker,
                    block,
                    batch.slice.range.start + index,
                    gap,
                )
            }
        }
    }
}

unsafe extern "C" fn drop_iterator(object: *mut PyObject) {
    // SAFETY: the last reference is gone; the state is ours to drop, then the memory.
    unsafe {
        raw::drop_attached(Box::from_raw((*object.cast::<BatchIterator>()).state));
        raw::free(object);
    }
}
