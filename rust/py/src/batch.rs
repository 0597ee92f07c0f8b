//! A batch of ops: rows, columns, bytes.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_int};
use std::sync::OnceLock;

use optap_profiler::Slice;
use optap_record::{FIELDS, OP_RECORD_BYTES};
use pyo3::exceptions::PyIndexError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyDict};

use crate::arrow;
use crate::buffer::{View, fill, release};
use crate::op::Op;
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

    fn op(&self, index: usize) -> Op {
        let gap = if index == 0 { self.slice.gap } else { 0 };
        Op::new(
            self.slice.block.clone(),
            self.slice.range.start + index,
            gap,
        )
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

    fn __getitem__(&self, index: isize) -> PyResult<Op> {
        let len = self.slice.len();
        let at = if index < 0 {
            index + len as isize
        } else {
            index
        };
        let inside = usize::try_from(at).ok().filter(|at| *at < len);
        inside
            .map(|at| self.op(at))
            .ok_or_else(|| PyIndexError::new_err(format!("index {index} of a batch of {len} ops")))
    }

    fn __iter__(slf: Bound<'_, Self>) -> BatchIterator {
        BatchIterator {
            batch: slf.unbind(),
            next: std::sync::atomic::AtomicUsize::new(0),
        }
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

/// Iterates over a batch.
#[pyclass(frozen, module = "optap._core")]
pub struct BatchIterator {
    batch: Py<Batch>,
    next: std::sync::atomic::AtomicUsize,
}

#[pymethods]
impl BatchIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self) -> Option<Op> {
        let index = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let batch = self.batch.get();
        (index < batch.slice.len()).then(|| batch.op(index))
    }
}
