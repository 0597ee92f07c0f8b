//! Dense tensors.

use std::fmt;
use std::sync::Arc;

use tract_core::prelude::{DatumType, TValue, Tensor as Dense};
use tract_core::tract_data::TractResult;

use crate::spec::joined;
use crate::{DType, Error, cast};

/// A dense, row-major, read-only tensor. Cloning it shares the bytes.
///
/// ```
/// use optap_engine::{DType, Tensor};
/// let tensor = Tensor::new(DType::I32, &[2], &[1, 0, 0, 0, 2, 0, 0, 0])?;
/// assert_eq!(tensor.shape(), [2]);
/// assert_eq!(tensor.as_bytes().len(), 8);
/// # Ok::<(), optap_engine::Error>(())
/// ```
#[derive(Clone)]
pub struct Tensor {
    dtype: DType,
    dense: Arc<Dense>,
}

impl Tensor {
    /// Copies `bytes`, little-endian and row-major, into a new tensor. A boolean is any byte; all
    /// but 0 are true.
    ///
    /// # Errors
    /// [`Error::TensorBytes`] when `bytes` is not exactly what type and shape ask for.
    pub fn new(dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<Tensor, Error> {
        let elements = shape
            .iter()
            .try_fold(1_usize, |count, &size| count.checked_mul(size));
        let expected = elements.and_then(|count| count.checked_mul(dtype.size_bytes()));
        let mismatch = || Error::TensorBytes {
            dtype,
            shape: shape.to_vec(),
            expected,
            given: bytes.len(),
        };
        if expected != Some(bytes.len()) {
            return Err(mismatch());
        }
        let dense = filled(dtype, shape, bytes).map_err(|_| mismatch())?;
        Ok(Tensor {
            dtype,
            dense: Arc::new(dense),
        })
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The size of each dimension, in elements; empty for a scalar.
    pub fn shape(&self) -> &[usize] {
        self.dense.shape()
    }

    /// The elements, little-endian and row-major.
    pub fn as_bytes(&self) -> &[u8] {
        self.dense.as_bytes()
    }

    pub(crate) fn into_value(self) -> TValue {
        TValue::from_const(self.dense)
    }

    /// Takes over a value of the engine; the bytes are shared unless the engine keeps them in a
    /// layout of its own.
    pub(crate) fn from_value(value: TValue) -> TractResult<Tensor> {
        let dense = value
            .as_arc_tensor()
            .cloned()
            .unwrap_or_else(|| Arc::new((*value).clone()));
        drop(value);
        let datum = dense.datum_type();
        let Some(dtype) = cast::from_datum(datum) else {
            return Err(tract_core::internal::anyhow!(
                "output has type {datum:?}, which has no plain form"
            ));
        };
        let dense = match datum {
            DatumType::TDim => Arc::new(dense.cast_to_dt(DatumType::I64)?.into_owned()),
            _ if dense.is_plain_ram() => dense,
            _ => Arc::new(Arc::unwrap_or_clone(dense).into_plain_ram()?),
        };
        Ok(Tensor { dtype, dense })
    }
}

fn filled(dtype: DType, shape: &[usize], bytes: &[u8]) -> TractResult<Dense> {
    if dtype == DType::Bool {
        let truths: Vec<bool> = bytes.iter().map(|&byte| byte != 0).collect();
        return Dense::from_shape(shape, &truths);
    }
    // SAFETY: the length was checked against type and shape, and every pattern of bytes is a value
    // of each numeric type.
    unsafe { Dense::from_raw_dt(cast::to_datum(dtype), shape, bytes) }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.dtype, joined(self.shape()))
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({self})")
    }
}
