//! Names as Python strings, made once an op.

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

type Strings = [PyOnceLock<Py<PyString>>; 3];

/// The strings of a lease, in the order of its ids.
struct Labels(Box<[Strings]>);

impl Labels {
    fn of(lease: &OpLease) -> Self {
        Self(
            (0..lease.len())
                .map(|_| std::array::from_fn(|_| PyOnceLock::new()))
                .collect(),
        )
    }
}

/// The label of `op_id`; an empty string for an op without names.
pub fn label<'py>(
    py: Python<'py>,
    block: &Block,
    op_id: u32,
    label: Label,
) -> PyResult<Bound<'py, PyString>> {
    let Some(lease) = block.lease(op_id) else {
        return Ok(PyString::intern(py, ""));
    };
    let Some(labels) = lease.extension(Labels::of) else {
        return Ok(PyString::intern(py, ""));
    };
    let strings = &labels.0[(op_id - lease.first_id()) as usize];
    let make = || match lease.get(op_id) {
        Some(info) => decode(py, name_of(info, label)).map(Bound::unbind),
        None => Ok(PyString::intern(py, "").unbind()),
    };
    strings[label as usize]
        .get_or_try_init(py, make)
        .map(|string| string.bind(py).clone())
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
