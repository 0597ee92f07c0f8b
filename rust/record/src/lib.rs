//! What an op record is: the 64 bytes that travel the line, the names and operators they point to, and the wire form of
//! CANN at the edge.
#![forbid(unsafe_code)]

mod control;
mod flags;
mod kind;
mod names;
mod op_record;
mod ops;

pub use control::{Fence, Loss, RunEnd};
pub use flags::Flags;
pub use kind::Kind;
pub use names::{NAME_OVERHEAD_BYTES, Name, NameTable, NameTableFull};
pub use op_record::{FIELDS, Field, OP_RECORD_BYTES, OpRecord};
pub use ops::{OpInfo, OpLease, OpTable};
