//! What an op record is: the 64 bytes that travel the line, the names and operators they point to,
//! and the wire form of CANN at the edge.
#![deny(unsafe_code)]

mod codec;
mod control;
mod crc;
mod decoder;
mod flags;
mod kind;
mod names;
mod op_record;
mod ops;
mod payload;
mod wire;

pub use codec::{DecodeError, sign, signature, verify};
pub use control::{Fence, Loss};
pub use decoder::{Counters, Decoder};
pub use flags::Flags;
pub use kind::Kind;
pub use names::{NAME_OVERHEAD_BYTES, Name, NameTable, NameTableFull};
pub use op_record::{FIELDS, Field, NO_DEVICE, OP_RECORD_BYTES, OpRecord};
pub use ops::{OpInfo, OpLease, OpTable};
pub use payload::Payload;
pub use wire::{Layout, WireRecord};
