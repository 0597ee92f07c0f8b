//! The record that CANN writes to a subscriber: its fields, its sizes, its place beside
//! [`OpRecord`].

use crate::{Kind, OpRecord};

/// The size of the wire record, which changed once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// 80 bytes, CANN 8.5 and later: with the device and 4 bytes of padding.
    #[default]
    Cann80,
    /// 72 bytes, before CANN 8.5.
    Cann72,
}

impl Layout {
    /// The size of one record, bytes.
    #[inline]
    #[must_use]
    pub const fn size_bytes(self) -> usize {
        match self {
            Self::Cann80 => 80,
            Self::Cann72 => 72,
        }
    }
}

/// The fields of a wire record but its signature, which follows from them.
///
/// Times are nanoseconds of the device's counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireRecord {
    /// The loaded model.
    pub model_id: u32,
    /// What ran: one of [`WireRecord::OP`], [`WireRecord::SUBGRAPH`], [`WireRecord::OP_THREAD`], or
    /// a value of the future.
    pub flag: u32,
    /// The host thread that launched the operator, or the sub-task's thread where `flag` is
    /// [`WireRecord::OP_THREAD`].
    pub thread_id: u32,
    /// The key of the operator's name and type; counted from 1.
    pub op_index: u64,
    /// How long the operator took, ns, as the writer reckoned it.
    pub duration_ns: u64,
    /// When it began, ns.
    pub start_ns: u64,
    /// When it ended, ns.
    pub end_ns: u64,
    /// How long its compute core was busy, ns; mostly 0.
    pub execution_ns: u64,
    /// Operations of the matrix unit.
    pub cube_fops: u64,
    /// Operations of the vector unit.
    pub vector_fops: u64,
    /// The device; not in [`Layout::Cann72`].
    pub device_id: u32,
    /// What fills the last 4 bytes, signed with the rest; not in [`Layout::Cann72`].
    pub padding: u32,
}

impl WireRecord {
    /// The `flag` of an operator.
    pub const OP: u32 = 0;
    /// The `flag` of a subgraph that ran as one task.
    pub const SUBGRAPH: u32 = 1;
    /// The `flag` of one thread of a subgraph.
    pub const OP_THREAD: u32 = 2;

    /// The record of the line that tells the same, with impossible times flagged.
    ///
    /// The wire knows no run, stream or sequence: these are 0. An `op_index` above 32 bits names no
    /// operator of an [`OpTable`](crate::OpTable) and becomes 0 as well.
    #[inline]
    #[must_use]
    pub fn to_op(&self) -> OpRecord {
        let mut record = OpRecord {
            start_ns: self.start_ns,
            end_ns: self.end_ns,
            op_id: u32::try_from(self.op_index).unwrap_or(0),
            model_id: self.model_id,
            thread_id: self.thread_id,
            device_id: self.device_id,
            kind: Kind::OP,
            ..OpRecord::default()
        };
        record.flag_times();
        record
    }

    /// The wire form of a record of the line; a duration that is not known is written as 0.
    #[inline]
    #[must_use]
    pub fn from_op(record: &OpRecord) -> Self {
        Self {
            model_id: record.model_id,
            flag: Self::OP,
            thread_id: record.thread_id,
            op_index: u64::from(record.op_id),
            duration_ns: record.duration_ns().unwrap_or(0),
            start_ns: record.start_ns,
            end_ns: record.end_ns,
            device_id: record.device_id,
            ..Self::default()
        }
    }
}
