//! What a row of a summary is about.

use optap_record::{Name, OpInfo};

use crate::by::By;

/// What a row is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Operators of this type.
    Type(Name),
    /// The operator with these name, type and kernel; or ranges with these message, domain and category.
    Name {
        /// The node's name, or the range's message.
        name: Name,
        /// The node's type, or the range's domain.
        type_: Name,
        /// The engine's operator, or the range's category.
        kernel: Name,
    },
    /// The steps with this number.
    Step(u64),
    /// One stream of a device.
    Stream {
        /// The device.
        device_id: u32,
        /// The stream.
        stream_id: u32,
    },
    /// Operators without names, or outside any range or step.
    None,
    /// Operators in ranges that were not told (yet).
    Open,
    /// All keys beyond the limit.
    Others,
}

impl Key {
    /// The key of an operator that has this description.
    pub(crate) fn of_op(info: &OpInfo, by: By) -> Self {
        match by {
            By::Type => Self::Type(info.type_.clone()),
            _ => Self::Name {
                name: info.name.clone(),
                type_: info.type_.clone(),
                kernel: info.kernel.clone(),
            },
        }
    }
}
