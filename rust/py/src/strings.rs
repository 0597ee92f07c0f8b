//! Names as Python strings, made once an op.

use std::ops::Range;
use std::ptr::NonNull;

use optap_profiler::Block;
use optap_record::{Name, OpInfo, OpLease};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

/// The three names of an op.
#[derive(Clone, Copy)]
pub enum Label {
    /// The ONNX node's name.
    Name,
    /// The ONNX operator type.
    Type,
    /// What the engine ran.
    Kernel,
}

/// The strings of one op, each made on first use.
pub type Strings = [PyOnceLock<Py<PyString>>; 3];

/// The strings of a lease, in the order of its ids.
struct Labels(Box<[Strings]>);

impl Labels {
    fn of(lease: &OpLease) -> Self {
        let strings = || std::array::from_fn(|_| PyOnceLock::new());
        Self((0..lease.len()).map(|_| strings()).collect())
    }
}

/// Finds the strings of ops, and remembers the last lease: neighbours mostly share it.
#[derive(Default)]
pub struct LabelCache {
    ids: Range<u32>,
    strings: Option<NonNull<Strings>>,
}

// SAFETY: the pointer leads to strings that any thread may read; whoever uses it keeps their block alive.
unsafe impl Send for LabelCache {}

impl LabelCache {
    /// The strings of `op_id`, which live as long as `block`; `None` for an op without names.
    #[inline]
    pub fn find(&mut self, block: &Block, op_id: u32) -> Option<NonNull<Strings>> {
        if !self.ids.contains(&op_id) {
            self.look_up(block, op_id)?;
        }
        let first = self.strings?;
        // SAFETY: `op_id` lies in `ids`, and there is one entry of `strings` for each of them.
        Some(unsafe { first.add((op_id - self.ids.start) as usize) })
    }

    /// Forgets the lease: its block may be gone.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    #[cold]
    fn look_up(&mut self, block: &Block, op_id: u32) -> Option<()> {
        let lease = block.lease(op_id)?;
        let labels = lease.extension(Labels::of)?;
        self.strings = NonNull::new(labels.0.as_ptr().cast_mut());
        self.ids = lease.ids();
        Some(())
    }
}

/// The label of `op_id`; an empty string for an op without names.
pub fn label<'py>(
    py: Python<'py>,
    block: &Block,
    op_id: u32,
    label: Label,
) -> PyResult<Bound<'py, PyString>> {
    let found = LabelCache::default().find(block, op_id);
    // SAFETY: the strings live as long as `block`.
    let strings = found.map(|strings| unsafe { strings.as_ref() });
    text(py, strings, block, op_id, label)
}

/// The label of `op_id` out of its `strings`, made where it is asked for the first time.
#[inline]
pub fn text<'py>(
    py: Python<'py>,
    strings: Option<&Strings>,
    block: &Block,
    op_id: u32,
    label: Label,
) -> PyResult<Bound<'py, PyString>> {
    let Some(strings) = strings else {
        return Ok(PyString::intern(py, ""));
    };
    let make = || match block.info(op_id) {
        Some(info) => decode(py, name_of(info, label)).map(Bound::unbind),
        None => Ok(PyString::intern(py, "").unbind()),
    };
    let text = strings[label as usize].get_or_try_init(py, make)?;
    Ok(text.bind(py).clone())
}

fn name_of(info: &OpInfo, label: Label) -> &Name {
    match label {
        Label::Name => &info.name,
        Label::Type => &info.type_,
        Label::Kernel => &info.kernel,
    }
}

/// Any bytes as text: invalid UTF-8 survives as surrogates, as with `os.fsdecode`.
pub fn decode<'py>(py: Python<'py>, name: &Name) -> PyResult<Bound<'py, PyString>> {
    let bytes = name.as_bytes();
    // SAFETY: pointer and length are those of `bytes`; a new reference or null with an exception set comes back.
    let decoded = unsafe {
        let text = ffi::PyUnicode_DecodeUTF8(
            bytes.as_ptr().cast(),
            bytes.len() as isize,
            c"surrogateescape".as_ptr(),
        );
        Bound::from_owned_ptr_or_err(py, text)?
    };
    Ok(decoded.cast_into::<PyString>()?)
}

/// The bytes behind a string of Python, surrogates turned back.
pub fn encode(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    let encoded = text.call_method1("encode", ("utf-8", "surrogateescape"))?;
    encoded.extract::<Vec<u8>>()
}
