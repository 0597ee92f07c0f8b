//! What a model declares about its inputs and outputs.

use std::fmt;

use tract_onnx::pb::tensor_shape_proto::dimension::Value as DimValue;
use tract_onnx::pb::{ValueInfoProto, type_proto};

use crate::{DType, Error, cast};

/// One declared dimension.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Dim {
    /// A fixed size.
    Known(usize),
    /// Any size, the same wherever the symbol stands.
    Symbol(String),
    /// Any size.
    Unknown,
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Known(size) => write!(f, "{size}"),
            Dim::Symbol(symbol) => f.write_str(symbol),
            Dim::Unknown => f.write_str("?"),
        }
    }
}

/// A graph input or output, as the model declares it. Shown as `float32[N,3,224,224]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorSpec {
    /// The name in the graph.
    pub name: String,
    /// The element type.
    pub dtype: DType,
    /// The dimensions; `None` when the model leaves the rank open.
    pub dims: Option<Vec<Dim>>,
}

impl fmt::Display for TensorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.dims {
            Some(dims) => write!(f, "{}[{}]", self.dtype, joined(dims)),
            None => write!(f, "{} of any shape", self.dtype),
        }
    }
}

impl TensorSpec {
    pub(crate) fn from_proto(value: &ValueInfoProto) -> Result<TensorSpec, Error> {
        let declared = value
            .r#type
            .as_ref()
            .and_then(|declared| declared.value.as_ref());
        let Some(type_proto::Value::TensorType(tensor)) = declared else {
            let dtype = "no tensor type".to_owned();
            return Err(Error::UnsupportedType {
                value: value.name.clone(),
                dtype,
            });
        };
        let dtype = cast::from_onnx(tensor.elem_type).map_err(|dtype| Error::UnsupportedType {
            value: value.name.clone(),
            dtype,
        })?;
        let dims = tensor.shape.as_ref();
        let dims = dims.map(|shape| {
            shape
                .dim
                .iter()
                .map(|dim| declared_dim(dim.value.as_ref()))
                .collect()
        });
        Ok(TensorSpec {
            name: value.name.clone(),
            dtype,
            dims,
        })
    }

    /// Whether a tensor of this shape fits, symbols aside.
    pub(crate) fn takes_shape(&self, shape: &[usize]) -> bool {
        let fits = |(dim, size): (&Dim, &usize)| !matches!(dim, Dim::Known(known) if known != size);
        let Some(dims) = &self.dims else { return true };
        dims.len() == shape.len() && dims.iter().zip(shape).all(fits)
    }
}

/// The items with commas between them.
pub(crate) fn joined<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

fn declared_dim(value: Option<&DimValue>) -> Dim {
    match value {
        Some(DimValue::DimValue(size)) => usize::try_from(*size).map_or(Dim::Unknown, Dim::Known),
        Some(DimValue::DimParam(symbol)) if !matches!(symbol.as_str(), "" | "?") => {
            Dim::Symbol(symbol.clone())
        }
        _ => Dim::Unknown,
    }
}
