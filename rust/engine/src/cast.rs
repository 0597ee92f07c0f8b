//! Between our element types, ONNX's and the engine's.

use tract_core::prelude::DatumType;
use tract_onnx::pb::tensor_proto::DataType;

use crate::DType;

/// The engine's type for ours.
pub(crate) fn to_datum(dtype: DType) -> DatumType {
    match dtype {
        DType::F16 => DatumType::F16,
        DType::F32 => DatumType::F32,
        DType::F64 => DatumType::F64,
        DType::I8 => DatumType::I8,
        DType::I16 => DatumType::I16,
        DType::I32 => DatumType::I32,
        DType::I64 => DatumType::I64,
        DType::U8 => DatumType::U8,
        DType::U16 => DatumType::U16,
        DType::U32 => DatumType::U32,
        DType::U64 => DatumType::U64,
        DType::Bool => DatumType::Bool,
    }
}

/// Our type for the engine's: a quantised type is its storage type, a symbolic integer is an `i64`.
pub(crate) fn from_datum(datum: DatumType) -> Option<DType> {
    if datum == DatumType::TDim {
        return Some(DType::I64);
    }
    let datum = datum.unquantized();
    DType::ALL
        .into_iter()
        .find(|&dtype| to_datum(dtype) == datum)
}

/// Our type for the ONNX type code, or the type's name when the engine cannot take it.
pub(crate) fn from_onnx(code: i32) -> Result<DType, String> {
    let onnx = DataType::try_from(code).map_err(|_| format!("type code {code}"))?;
    let datum = DatumType::try_from(onnx).ok().and_then(from_datum);
    datum.ok_or_else(|| onnx.as_str_name().to_lowercase())
}
