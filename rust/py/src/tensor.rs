//! Arrays in and out, through the buffer protocol.

use std::ffi::{CStr, c_int};

use optap_engine::DType;
use optap_runtime::ErrorCode;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::buffer::{View, fill, release};
use crate::error::{from_engine, raise};

/// An output of a run: read-only bytes with a type and a shape.
#[pyclass(frozen, module = "optap._core")]
pub struct Tensor {
    inner: optap_engine::Tensor,
}

impl Tensor {
    /// Wraps an output.
    pub fn new(inner: optap_engine::Tensor) -> Self {
        Self { inner }
    }
}

#[pymethods]
impl Tensor {
    /// The element type in numpy's notation, such as `<f4`.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.inner.dtype().numpy()
    }

    /// The dimensions.
    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.inner.shape().to_vec()
    }

    /// The bytes, C order.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        const FORMAT: &CStr = c"B";
        let bytes = slf.get().inner.as_bytes();
        let layout = View {
            data: bytes.as_ptr().cast(),
            items: bytes.len(),
            item_bytes: 1,
            format: FORMAT,
        };
        // SAFETY: `view` is the interpreter's; the bytes live and stay put as long as the tensor, which never changes.
        unsafe { fill(slf.into_any(), layout, view, flags) }
    }

    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: the interpreter releases each view that `__getbuffer__` filled, once.
        unsafe { release(view) }
    }
}

/// Copies an array of numpy type `dtype` out of a C-contiguous buffer, for the input `input`.
pub fn from_python(
    input: &str,
    dtype: &str,
    shape: &[usize],
    array: &Bound<'_, PyAny>,
) -> PyResult<optap_engine::Tensor> {
    let dtype = DType::from_numpy(dtype).ok_or_else(|| {
        let told = format!(
            "input '{input}': numpy dtype {dtype} is no type of an ONNX tensor that the engine runs"
        );
        raise("InputError", ErrorCode::GeParamInvalid, &told)
    })?;
    let buffer = PyUntypedBuffer::get(array)?;
    if !buffer.is_c_contiguous() {
        return Err(PyValueError::new_err(
            "the array must be C-contiguous; pass numpy.ascontiguousarray(array)",
        ));
    }
    // SAFETY: the buffer is contiguous, `len_bytes` long, and held by `buffer` for the duration of the copy.
    let bytes =
        unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast::<u8>(), buffer.len_bytes()) };
    optap_engine::Tensor::new(dtype, shape, bytes).map_err(|error| from_engine(&error))
}
