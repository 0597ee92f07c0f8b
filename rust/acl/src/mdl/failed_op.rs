//! The operators that failed last, with what they read and wrote.

use std::collections::VecDeque;
use std::sync::Arc;

use optap_engine::{DType, Dim, OnnxNode, OpTensor, Tensor};
use optap_model::FailedOp;
use optap_runtime::{Error, ErrorCode, Result};
use parking_lot::Mutex;

use crate::Acl;
use crate::base::{Data, TensorDesc, from_dtype};
use crate::mdl::state::state;
use crate::rt::ExceptionInfo;

/// How many failed operators are remembered.
const KEPT: usize = 1000;
/// The longest name that may be asked for, in bytes.
const MOST_NAME_BYTES: u64 = 4096;
/// Any layout.
const ND: i32 = 2;

/// An operator that failed, with all that can be asked about it.
#[derive(Debug)]
pub(crate) struct Remembered {
    place: [u32; 3],
    name: String,
    inputs: Vec<TensorDesc>,
    outputs: Vec<TensorDesc>,
}

/// The failures of the process, the latest last.
#[derive(Debug, Default)]
pub(crate) struct FailedOps(Mutex<VecDeque<Arc<Remembered>>>);

impl FailedOps {
    /// Remembers a failure, in the place of the oldest when there are many.
    pub(crate) fn keep(&self, op: Remembered) {
        let mut kept = self.0.lock();
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back(op.into());
    }

    fn find(&self, place: [u32; 3]) -> Option<Arc<Remembered>> {
        self.0
            .lock()
            .iter()
            .rev()
            .find(|op| op.place == place)
            .cloned()
    }
}

impl Remembered {
    pub(crate) fn new(info: &ExceptionInfo, nodes: &[OnnxNode], op: &FailedOp) -> Self {
        let planned = op.planned();
        let node = planned.sources.first().map(|source| &nodes[*source]);
        let (reads, writes) = node.map_or((&[][..], &[][..]), |node| {
            (&node.inputs[..], &node.outputs[..])
        });
        let name_of = |names: &[String], at: usize| names.get(at).cloned().unwrap_or_default();
        let inputs = planned.inputs.iter().enumerate();
        let outputs = planned.outputs.iter().enumerate();
        Self {
            place: [info.device_id, info.stream_id, info.task_id],
            name: planned.name.clone(),
            inputs: inputs
                .map(|(at, value)| match op.input(at) {
                    Some(read) => described(read, name_of(reads, at)),
                    None => expected(value, name_of(reads, at)),
                })
                .collect(),
            outputs: outputs
                .map(|(at, value)| expected(value, name_of(writes, at)))
                .collect(),
        }
    }
}

/// The description of a value that was there.
fn described(read: &Tensor, name: String) -> TensorDesc {
    describe(
        Some(read.dtype()),
        read.shape(),
        name,
        Arc::new(Bytes(read.clone())),
    )
}

/// The description of a value as it was planned; zeros stand for its data.
fn expected(value: &OpTensor, name: String) -> TensorDesc {
    let size = |dim: &Dim| match dim {
        Dim::Known(size) => *size,
        Dim::Symbol(_) | Dim::Unknown => 0,
    };
    let sizes: Vec<usize> = value.dims.iter().map(size).collect();
    let element_bytes = value.dtype.map_or(1, DType::size_bytes);
    let len_bytes = sizes.iter().product::<usize>() * element_bytes;
    describe(value.dtype, &sizes, name, Arc::new(vec![0_u8; len_bytes]))
}

fn describe(dtype: Option<DType>, sizes: &[usize], name: String, data: Data) -> TensorDesc {
    TensorDesc {
        data_type: dtype.map_or(-1, from_dtype),
        format: ND,
        dims: sizes.iter().map(|size| *size as i64).collect(),
        name,
        data: Some(data),
        row: 0,
    }
}

/// The bytes of a tensor.
struct Bytes(Tensor);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// What is known of a failed operator; the descriptions are the caller's to destroy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpDesc {
    /// The name of the operator.
    pub name: String,
    /// The first description of what it read.
    pub inputs: u64,
    /// How many there are.
    pub num_inputs: usize,
    /// The first description of what it wrote.
    pub outputs: u64,
    /// How many there are.
    pub num_outputs: usize,
}

/// What is known of the operator that failed in a task.
///
/// # Errors
/// 100000 for a `name_bytes` above 4096 or with no room for the name and a NUL, and for an operator that reads or writes
/// nothing; 145000 when no failure of the task is remembered.
pub fn create_and_get_op_desc(
    device_id: u32,
    stream_id: u32,
    task_id: u32,
    name_bytes: u64,
) -> Result<OpDesc> {
    let found = state().failed_ops.find([device_id, stream_id, task_id]);
    let op = found.ok_or_else(|| {
        let detail = format!(
            "no failed operator is known for device {device_id}, stream {stream_id}, task {task_id}"
        );
        Error::new(ErrorCode::GeParamInvalid, detail)
    })?;
    let is_whole = !op.inputs.is_empty() && !op.outputs.is_empty();
    if name_bytes > MOST_NAME_BYTES || name_bytes <= op.name.len() as u64 || !is_whole {
        let detail = format!(
            "{name_bytes} bytes do not hold the name '{}', or it has no ends",
            op.name
        );
        return Err(Error::new(ErrorCode::InvalidParam, detail));
    }
    Ok(OpDesc {
        name: op.name.clone(),
        inputs: hand_out(&op.inputs),
        num_inputs: op.inputs.len(),
        outputs: hand_out(&op.outputs),
        num_outputs: op.outputs.len(),
    })
}

/// Gives descriptions numbers in a row.
fn hand_out(descs: &[TensorDesc]) -> u64 {
    let count = descs.len() as u64;
    let rows = descs.iter().zip(0..).map(|(desc, at)| TensorDesc {
        row: count - at,
        ..desc.clone()
    });
    let rows: Vec<_> = rows.collect();
    Acl::global().base.descs.insert_all(rows.into_iter())
}
