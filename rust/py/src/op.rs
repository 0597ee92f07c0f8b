//! One op, read where it lies.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use optap_profiler::Block;
use optap_record::{OpRecord, Payload};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyFrozenSet, PyString, PyType};

use crate::raw;
use crate::strings::{Label, LabelCache, Strings, text};

/// Keeps a block alive for the ops that lie in it: a reference of the interpreter is cheaper than one of ours.
#[pyclass(frozen, module = "optap._core")]
pub struct BlockHandle {
    block: Arc<Block>,
}

/// The Python object `Op`. Times are nanoseconds of `time.monotonic_ns()`.
#[repr(C)]
pub struct Op {
    base: PyObject,
    /// The `BlockHandle` that keeps `record` and `strings` alive; owned.
    handle: *mut PyObject,
    record: *const OpRecord,
    strings: Option<NonNull<Strings>>,
    gap: u64,
}

/// Makes the ops of one block after another.
#[derive(Default)]
pub struct OpMaker {
    handle: Option<Py<BlockHandle>>,
    labels: LabelCache,
}

impl OpMaker {
    /// The op at `index` of `block`, with what was lost just before it; an owned reference, null with an exception set.
    #[inline]
    pub fn make(
        &mut self,
        py: Python<'_>,
        block: &Arc<Block>,
        index: usize,
        gap: u64,
    ) -> *mut PyObject {
        let record = &block.records()[index];
        let (Ok(handle), Ok(class)) = (self.handle(py, block), op_type(py)) else {
            return ffi_error(py);
        };
        let strings = self.labels.find(block, record.op_id);
        // SAFETY: `class` is the type of `Op`s, and every field is set before the op is given away.
        unsafe {
            let op = raw::allocate::<Op>(class);
            if !op.is_null() {
                (*op).handle = ffi::Py_NewRef(handle);
                (*op).record = record;
                (*op).strings = strings;
                (*op).gap = gap;
            }
            op.cast()
        }
    }

    /// The handle of `block`, made where it is not that of the last op.
    #[inline]
    fn handle(&mut self, py: Python<'_>, block: &Arc<Block>) -> PyResult<*mut PyObject> {
        let known = self.handle.as_ref();
        if let Some(handle) = known.filter(|handle| Arc::ptr_eq(&handle.get().block, block)) {
            return Ok(handle.as_ptr());
        }
        self.labels.clear();
        let handle = BlockHandle {
            block: block.clone(),
        };
        let previous = self.handle.replace(Py::new(py, handle)?);
        raw::drop_attached(previous);
        Ok(self.handle.as_ref().map_or(ptr::null_mut(), Py::as_ptr))
    }

    /// The strings of the op `op_id` of `block`.
    #[inline]
    pub fn strings(
        &mut self,
        py: Python<'_>,
        block: &Arc<Block>,
        op_id: u32,
    ) -> PyResult<Option<NonNull<Strings>>> {
        self.handle(py, block)?;
        Ok(self.labels.find(block, op_id))
    }
}

fn ffi_error(py: Python<'_>) -> *mut PyObject {
    raw::raise(py, pyo3::exceptions::PyMemoryError::new_err(()))
}

/// The type of `Op`.
#[inline]
pub fn op_type(py: Python<'_>) -> PyResult<*mut ffi::PyTypeObject> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = TYPE.get_or_try_init(py, || make_op_type(py))?;
    Ok(class.as_ptr().cast())
}

/// Puts the type into the module.
pub fn export(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let class = op_type(module.py())?.cast::<PyObject>();
    // SAFETY: the type lives as long as the interpreter.
    let class = unsafe { Bound::from_borrowed_ptr(module.py(), class) };
    module.add("Op", class)
}

fn make_op_type(py: Python<'_>) -> PyResult<Py<PyType>> {
    let attributes = Box::leak(Box::new(attributes()));
    let doc = c"One op that completed. Times are nanoseconds of time.monotonic_ns().";
    let mut slots = [
        raw::slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
        raw::slot(ffi::Py_tp_repr, repr as *mut c_void),
        raw::slot(ffi::Py_tp_getset, attributes.as_mut_ptr().cast()),
        raw::slot(ffi::Py_tp_doc, doc.as_ptr().cast_mut().cast()),
        raw::slot(0, ptr::null_mut()),
    ];
    // SAFETY: the slots fit `Op`, and their tables live for ever.
    unsafe { raw::make_type::<Op>(py, c"optap.Op", 0, &mut slots) }
}

fn attributes() -> [ffi::PyGetSetDef; 19] {
    use raw::attribute as read;
    [
        read(c"name", c"Name of the ONNX node.", label, Label::Name as usize),
        read(c"type", c"Operator type of the ONNX node, such as Conv.", label, Label::Type as usize),
        read(c"kernel", c"What the engine ran for it.", label, Label::Kernel as usize),
        read(c"kind", c"op, range, mark or step.", kind, 0),
        read(c"start_ns", c"When it began, in nanoseconds.", wide, offset_of!(OpRecord, start_ns)),
        read(c"end_ns", c"When it ended, in nanoseconds.", wide, offset_of!(OpRecord, end_ns)),
        read(c"duration_ns", c"How long it took, in nanoseconds; None where a time is zero or the end lies before the start.", duration, 0),
        read(c"model_id", c"Id of the model.", narrow, offset_of!(OpRecord, model_id)),
        read(c"device_id", c"Id of the device; 4294967295 for no device.", narrow, offset_of!(OpRecord, device_id)),
        read(c"stream_id", c"Id of the stream.", narrow, offset_of!(OpRecord, stream_id)),
        read(c"thread_id", c"The operating system's id of the thread that ran it.", narrow, offset_of!(OpRecord, thread_id)),
        read(c"run_id", c"Id of the run; the number of a step.", wide, offset_of!(OpRecord, run_id)),
        read(c"range_id", c"Id of the range in force where its run was launched, 0 for none; of a range, its own.", narrow, offset_of!(OpRecord, range_id)),
        read(c"parent_id", c"Id of the range that it lies in, 0 for none.", parent_id, 0),
        read(c"payload", c"The number that was given to a range or mark, else None.", payload, 0),
        read(c"flags", c"What sets the op apart: a set of lower-case words.", flags, 0),
        read(c"sequence", c"Number of the op in its stream, counted at completion; of a range, mark or step, among those of its thread.", wide, offset_of!(OpRecord, sequence)),
        read(c"gap", c"Ops that this subscriber lost just before this one.", gap, 0),
        raw::no_attribute(),
    ]
}

/// # Safety
/// Attached; `object` is a live op.
#[inline]
unsafe fn op<'a>(object: *mut PyObject) -> &'a Op {
    // SAFETY: see above.
    unsafe { &*object.cast::<Op>() }
}

/// # Safety
/// Attached; `object` is a live op.
#[inline]
unsafe fn record<'a>(object: *mut PyObject) -> &'a OpRecord {
    // SAFETY: the op's handle keeps the record alive.
    unsafe { &*op(object).record }
}

/// A field of 64 bits, `offset` bytes into the record.
unsafe extern "C" fn wide(object: *mut PyObject, offset: *mut c_void) -> *mut PyObject {
    // SAFETY: the interpreter passes a live op and the attribute's own offset of a field of 64 bits.
    unsafe {
        let field = op(object).record.byte_add(offset as usize).cast::<u64>();
        ffi::PyLong_FromUnsignedLongLong(*field)
    }
}

/// A field of 32 bits, `offset` bytes into the record.
unsafe extern "C" fn narrow(object: *mut PyObject, offset: *mut c_void) -> *mut PyObject {
    // SAFETY: the interpreter passes a live op and the attribute's own offset of a field of 32 bits.
    unsafe {
        let field = op(object).record.byte_add(offset as usize).cast::<u32>();
        ffi::PyLong_FromUnsignedLongLong((*field).into())
    }
}

unsafe extern "C" fn gap(object: *mut PyObject, _: *mut c_void) -> *mut PyObject {
    // SAFETY: the interpreter passes a live op.
    unsafe { ffi::PyLong_FromUnsignedLongLong(op(object).gap) }
}

unsafe extern "C" fn parent_id(object: *mut PyObject, _: *mut c_void) -> *mut PyObject {
    // SAFETY: the interpreter passes a live op.
    unsafe { ffi::PyLong_FromUnsignedLongLong(record(object).parent_id().into()) }
}

unsafe extern "C" fn payload(object: *mut PyObject, _: *mut c_void) -> *mut PyObject {
    // SAFETY: the interpreter passes a live op.
    unsafe {
        match record(object).payload() {
            Payload::None => ffi::Py_NewRef(ffi::Py_None()),
            Payload::Int(value) => ffi::PyLong_FromLongLong(value),
            Payload::Float(value) => ffi::PyFloat_FromDouble(value),
        }
    }
}

unsafe extern "C" fn duration(object: *mut PyObject, _: *mut c_void) -> *mut PyObject {
    // SAFETY: the interpreter passes a live op.
    unsafe {
        match record(object).duration_ns() {
            Some(duration_ns) => ffi::PyLong_FromUnsignedLongLong(duration_ns),
            None => ffi::Py_NewRef(ffi::Py_None()),
        }
    }
}

unsafe extern "C" fn label(object: *mut PyObject, which: *mut c_void) -> *mut PyObject {
    let which = [Label::Name, Label::Type, Label::Kernel][which as usize];
    // SAFETY: the interpreter calls attached, with a live op.
    unsafe {
        let py = Python::assume_attached();
        let made = op(object)
            .strings
            .and_then(|strings| strings.as_ref()[which as usize].get(py));
        match made {
            Some(text) => ffi::Py_NewRef(text.as_ptr()),
            None => raw::give(py, read_label(py, op(object), which)),
        }
    }
}

#[cold]
fn read_label<'py>(py: Python<'py>, op: &Op, which: Label) -> PyResult<Bound<'py, PyString>> {
    // SAFETY: the handle is a `BlockHandle` and alive as long as the op, and so are record and strings.
    unsafe {
        let handle = Borrowed::from_ptr(py, op.handle).to_owned();
        let block = &handle.cast_unchecked::<BlockHandle>().get().block;
        let strings = op.strings.map(|strings| strings.as_ref());
        text(py, strings, block, (*op.record).op_id, which)
    }
}

unsafe extern "C" fn kind(object: *mut PyObject, _: *mut c_void) -> *mut PyObject {
    // SAFETY: the interpreter calls attached, with a live op.
    unsafe {
        let py = Python::assume_attached();
        PyString::intern(py, record(object).kind.name()).into_ptr()
    }
}

unsafe extern "C" fn flags(object: *mut PyObject, _: *mut c_void) -> *mut PyObject {
    // SAFETY: the interpreter calls attached, with a live op.
    unsafe {
        let py = Python::assume_attached();
        let words: Vec<_> = record(object).flags.names().collect();
        raw::give(py, PyFrozenSet::new(py, words))
    }
}

unsafe extern "C" fn repr(object: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter calls attached, with a live op.
    unsafe {
        let py = Python::assume_attached();
        let told = describe(py, op(object), record(object).duration_ns());
        raw::give(py, told.map(|told| PyString::new(py, &told)))
    }
}

fn describe(py: Python<'_>, op: &Op, duration_ns: Option<u64>) -> PyResult<String> {
    let (kind, name) = (
        read_label(py, op, Label::Type)?,
        read_label(py, op, Label::Name)?,
    );
    let duration = duration_ns.map_or("no duration".into(), |ns| format!("{ns} ns"));
    Ok(format!("<Op {} {} {duration}>", kind.repr()?, name.repr()?))
}

unsafe extern "C" fn dealloc(object: *mut PyObject) {
    // SAFETY: the last reference is gone: the handle's reference is ours to give back, then the memory.
    unsafe {
        ffi::Py_DECREF(op(object).handle);
        raw::free(object);
    }
}
