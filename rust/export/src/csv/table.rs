//! Which tables there are, and their columns.

/// A table of one row for each operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// `op_summary`: what ran, when, and how long the device waited before.
    OpSummary,
    /// `task_time`: which kernel ran, from when to when.
    TaskTime,
}

impl Table {
    /// The header row, without an end of line.
    #[must_use]
    pub const fn header(self) -> &'static str {
        match self {
            Self::OpSummary => {
                "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,\
                 Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Num,Mix Block Num,\
                 HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes,\
                 Output Data Types,Output Formats,Context ID"
            }
            Self::TaskTime => {
                "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),\
                 task_stop(us)"
            }
        }
    }
}
