//! Element types.

use std::fmt;

/// The type of a tensor's elements.
///
/// ```
/// use optap_engine::DType;
/// assert_eq!(DType::F32.numpy(), "<f4");
/// assert_eq!(DType::from_numpy("<i8"), Some(DType::I64));
/// assert_eq!(DType::I64.size_bytes(), 8);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DType {
    /// IEEE 754 half precision.
    F16,
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 double precision.
    F64,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// One byte, 0 or 1.
    Bool,
}

/// Every type with its name, its numpy type string and its size in bytes.
const TABLE: [(DType, &str, &str, usize); 12] = [
    (DType::F16, "float16", "<f2", 2),
    (DType::F32, "float32", "<f4", 4),
    (DType::F64, "float64", "<f8", 8),
    (DType::I8, "int8", "|i1", 1),
    (DType::I16, "int16", "<i2", 2),
    (DType::I32, "int32", "<i4", 4),
    (DType::I64, "int64", "<i8", 8),
    (DType::U8, "uint8", "|u1", 1),
    (DType::U16, "uint16", "<u2", 2),
    (DType::U32, "uint32", "<u4", 4),
    (DType::U64, "uint64", "<u8", 8),
    (DType::Bool, "bool", "|b1", 1),
];

impl DType {
    /// Every element type.
    pub const ALL: [DType; 12] = {
        let mut all = [DType::F16; 12];
        let mut index = 0;
        while index < all.len() {
            all[index] = TABLE[index].0;
            index += 1;
        }
        all
    };

    /// The type's usual name, such as `float32`.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// The numpy type string, such as `<f4`.
    pub fn numpy(self) -> &'static str {
        TABLE[self as usize].2
    }

    /// The size of one element, in bytes.
    pub fn size_bytes(self) -> usize {
        TABLE[self as usize].3
    }

    /// The type that a numpy type string names, or `None` when the engine has no such type.
    /// A byte order of `=` stands for little-endian, and one-byte types take any order.
    pub fn from_numpy(text: &str) -> Option<DType> {
        let (order, code) = text.split_at_checked(1)?;
        let fits = |dtype: &DType| {
            let own = dtype.numpy();
            own[1..] == *code && (own.starts_with('|') || matches!(order, "<" | "="))
        };
        Self::ALL.into_iter().find(fits)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_stands_in_the_order_of_the_type() {
        for (index, dtype) in DType::ALL.into_iter().enumerate() {
            assert_eq!(dtype as usize, index);
        }
    }

    #[test]
    fn numpy_strings_round_trip() {
        for dtype in DType::ALL {
            assert_eq!(DType::from_numpy(dtype.numpy()), Some(dtype));
        }
    }

    #[test]
    fn foreign_numpy_strings_are_refused() {
        for text in ["", "<", ">f4", "<c8", "|S4", "<U1", "é4", "<f44"] {
            assert_eq!(DType::from_numpy(text), None, "{text}");
        }
        assert_eq!(DType::from_numpy("<u1"), Some(DType::U8));
        assert_eq!(DType::from_numpy("=f4"), Some(DType::F32));
    }
}
