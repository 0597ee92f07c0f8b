//! Data types, as CANN numbers them.

use optap_engine::DType;

/// What a type that is not known, or has no fixed size, counts for.
const DEFAULT_BYTES: usize = 8;

/// The number and the size in bytes of each type whose size is not the default.
const SIZES: [(i32, usize); 26] = [
    (-1, 0),
    (0, 4),
    (1, 2),
    (2, 1),
    (3, 4),
    (4, 1),
    (6, 2),
    (7, 2),
    (8, 4),
    (12, 1),
    (13, 0),
    (17, 16),
    (27, 2),
    (29, 1),
    (30, 1),
    (33, 4),
    (34, 1),
    (35, 1),
    (36, 1),
    (37, 1),
    (38, 1),
    (39, 1),
    (40, 1),
    (41, 1),
    (9, 8),
    (10, 8),
];

/// The numbers of the types that the engine has.
const ENGINE: [(DType, i32); 12] = [
    (DType::F32, 0),
    (DType::F16, 1),
    (DType::I8, 2),
    (DType::I32, 3),
    (DType::U8, 4),
    (DType::I16, 6),
    (DType::U16, 7),
    (DType::U32, 8),
    (DType::I64, 9),
    (DType::U64, 10),
    (DType::F64, 11),
    (DType::Bool, 12),
];

/// The size of an element in bytes; 0 for text and for the undefined type.
pub fn data_type_size(data_type: i32) -> usize {
    let known = SIZES.iter().find(|(number, _)| *number == data_type);
    known.map_or(DEFAULT_BYTES, |(_, bytes)| *bytes)
}

/// The number of a type of the engine.
pub(crate) fn from_dtype(dtype: DType) -> i32 {
    ENGINE
        .iter()
        .find(|(own, _)| *own == dtype)
        .map_or(-1, |(_, number)| *number)
}

/// The engine's type of this number, if it has one.
pub(crate) fn to_dtype(data_type: i32) -> Option<DType> {
    ENGINE
        .iter()
        .find(|(_, number)| *number == data_type)
        .map(|(own, _)| *own)
}
