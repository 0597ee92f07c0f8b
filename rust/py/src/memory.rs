//! Device memory with an owner.

use std::sync::Arc;

use optap_runtime::{Device, ErrorCode, Stream, Task};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{OrRaise, raise};
use crate::number::whole;

/// A block of device memory, freed with its last user.
#[pyclass(frozen, module = "optap")]
pub struct DeviceBuffer {
    inner: Arc<optap_runtime::DeviceBuffer>,
}

impl DeviceBuffer {
    /// Allocates `size_bytes`, zeroed.
    pub fn allocate(device: &Device, size_bytes: usize) -> PyResult<Self> {
        Ok(Self {
            inner: Arc::new(device.allocate(size_bytes).or_raise()?),
        })
    }
}

#[pymethods]
impl DeviceBuffer {
    fn __repr__(&self) -> String {
        let (size_bytes, address) = (self.inner.len_bytes(), self.inner.address());
        format!("<DeviceBuffer of {size_bytes} bytes at {address:#x}>")
    }

    /// Size in bytes.
    #[getter]
    fn size_bytes(&self) -> usize {
        self.inner.len_bytes()
    }

    /// Address of the first byte.
    #[getter]
    fn address(&self) -> usize {
        self.inner.address()
    }

    fn __len__(&self) -> usize {
        self.inner.len_bytes()
    }

    /// Copy the bytes of a C-contiguous buffer to `offset_bytes`.
    #[pyo3(signature = (source, offset_bytes=None), text_signature = "($self, source, offset_bytes=0)")]
    fn write(
        &self,
        source: &Bound<'_, PyAny>,
        offset_bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let offset_bytes = self.size("offset_bytes", offset_bytes)?.unwrap_or(0);
        let buffer = PyUntypedBuffer::get(source)?;
        if !buffer.is_c_contiguous() {
            return Err(PyValueError::new_err(
                "the source must be C-contiguous; pass numpy.ascontiguousarray(source)",
            ));
        }
        // SAFETY: the buffer is contiguous, `len_bytes` long, and held by `buffer` for the duration of the copy.
        let bytes = unsafe {
            std::slice::from_raw_parts(buffer.buf_ptr().cast::<u8>(), buffer.len_bytes())
        };
        self.inner.copy_from(offset_bytes, bytes).or_raise()
    }

    /// A copy of `size_bytes` bytes from `offset_bytes` on; to the end if `None`.
    #[pyo3(signature = (size_bytes=None, offset_bytes=None), text_signature = "($self, size_bytes=None, offset_bytes=0)")]
    fn read<'py>(
        &self,
        py: Python<'py>,
        size_bytes: Option<&Bound<'_, PyAny>>,
        offset_bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let offset_bytes = self.size("offset_bytes", offset_bytes)?.unwrap_or(0);
        let rest = self.inner.len_bytes() - offset_bytes;
        let size_bytes = self.size("size_bytes", size_bytes)?.unwrap_or(rest);
        if size_bytes > rest {
            let told = format!(
                "{size_bytes} bytes from {offset_bytes} on of a buffer of {} bytes",
                self.inner.len_bytes()
            );
            return Err(raise(
                "InvalidArgumentError",
                ErrorCode::ParamInvalid,
                &told,
            ));
        }
        let mut bytes = vec![0; size_bytes];
        self.inner.copy_to(offset_bytes, &mut bytes).or_raise()?;
        Ok(PyBytes::new(py, &bytes))
    }
}

impl DeviceBuffer {
    /// A size or an offset, which cannot exceed the buffer's size.
    fn size(&self, name: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
        let most = self.inner.len_bytes() as u64;
        given.map(|given| whole(name, given, 0..=most)).transpose()
    }
}

/// Queues a copy of all of `source` to the start of `destination`.
pub fn launch_copy(
    stream: &Arc<Stream>,
    destination: &DeviceBuffer,
    source: &DeviceBuffer,
) -> PyResult<()> {
    let (destination, source) = (destination.inner.clone(), source.inner.clone());
    let copy = move || {
        let mut bytes = vec![0; source.len_bytes()];
        source.copy_to(0, &mut bytes)?;
        destination.copy_from(0, &bytes)
    };
    stream
        .launch(Task::work(move |_| copy()))
        .map(drop)
        .or_raise()
}
