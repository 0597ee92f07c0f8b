//! The operators that failed last, with what they read and wrote.

use std::collections::VecDeque;
use std::sync::Arc;

use optap_engine::{BoundInputs, Dim, Model, OpTensor, PlanOp, Tensor};
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

/// An operator that failed.
#[derive(Debug)]
pub(crate) struct FailedOp {
    place: [u32; 3],
    name: String,
    inputs: Vec<TensorDesc>,
    outputs: Vec<TensorDesc>,
}

/// The failures of the process, the latest last.
#[derive(Debug, Default)]
pub(crate) struct FailedOps(Mutex<VecDeque<Arc<FailedOp>>>);

impl FailedOps {
    /// Remembers a failure, in the place of the oldest when there are many.
    pub(crate) fn keep(&self, op: FailedOp) {
        let mut kept = self.0.lock();
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back(op.into());
    }

    fn find(&self, place: [u32; 3]) -> Option<Arc<FailedOp>> {
        self.0
            .lock()
            .iter()
            .rev()
            .find(|op| op.place == place)
            .cloned()
    }
}

impl FailedOp {
    pub(crate) fn new(
        info: &ExceptionInfo,
        model: &Model,
        op: &PlanOp,
        inputs: &BoundInputs,
    ) -> Self {
        let node = op.sources.first().map(|source| &model.nodes()[*source]);
        let (reads, writes) = node.map_or((&[][..], &[][..]), |node| {
            (&node.inputs[..], &node.outputs[..])
        });
        let given = |name: &str| {
            let index = model.inputs().iter().position(|spec| spec.name == name)?;
            Some(inputs.tensors()[index].clone())
        };
        let input = |(index, tensor): (usize, &OpTensor)| {
            let name = reads.get(index).map_or("", String::as_str);
            describe(tensor, name, given(name))
        };
        let output = |(index, tensor): (usize, &OpTensor)| {
            describe(tensor, writes.get(index).map_or("", String::as_str), None)
        };
        Self {
            place: [info.device_id, info.stream_id, info.task_id],
            name: op.name.clone(),
            inputs: op.inputs.iter().enumerate().map(input).collect(),
            outputs: op.outputs.iter().enumerate().map(output).collect(),
        }
    }
}

/// The description of a value; zeros stand for data that is not there.
fn describe(tensor: &OpTensor, name: &str, data: Option<Tensor>) -> TensorDesc {
    let size = |dim: &Dim| match dim {
        Dim::Known(size) => *size,
        Dim::Symbol(_) | Dim::Unknown => 0,
    };
    let sizes: Vec<usize> = tensor.dims.iter().map(size).collect();
    let dtype_bytes = tensor.dtype.map_or(1, |dtype| dtype.size_bytes());
    let fits = |data: &Tensor| data.shape() == sizes && Some(data.dtype()) == tensor.dtype;
    let data: Data = match data.filter(fits) {
        Some(data) => Arc::new(Bytes(data)),
        None => Arc::new(vec![0_u8; sizes.iter().product::<usize>() * dtype_bytes]),
    };
    TensorDesc {
        data_type: tensor.dtype.map_or(-1, from_dtype),
        format: ND,
        dims: sizes.iter().map(|size| *size as i64).collect(),
        name: name.to_owned(),
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
