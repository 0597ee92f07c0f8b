//! Which tables there are, and their columns.

use optap_record::Kind;

/// A table of one row for each operator, mark or step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// `op_summary`: what ran, when, and how long the device waited before.
    OpSummary,
    /// `task_time`: which kernel ran, from when to when.
    TaskTime,
    /// `msprof_tx`: ranges and marks.
    MsprofTx,
    /// `step_trace`: steps.
    StepTrace,
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
            Self::MsprofTx => {
                "Device_id,pid,tid,category,event_type,payload_type,payload_value,Start_time(us),\
                 End_time(us),message_type,message,domain,Device Start_time(us),Device End_time(us)"
            }
            Self::StepTrace => {
                "Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),\
                 Iteration Time(us),FP to BP Time(us),Iteration Refresh(us),Data Aug Bound(us),\
                 Model ID"
            }
            Self::TaskTime => {
                "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),\
                 task_stop(us)"
            }
        }
    }

    /// Whether a record of this kind has a row.
    pub(crate) fn takes(self, kind: Kind) -> bool {
        match self {
            Self::OpSummary | Self::TaskTime => kind == Kind::OP,
            Self::MsprofTx => matches!(kind, Kind::RANGE | Kind::MARK),
            Self::StepTrace => kind == Kind::STEP,
        }
    }
}
