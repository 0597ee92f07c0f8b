//! The operators of a plan.

use std::fmt;

use tract_core::internal::DimLike;
use tract_core::model::TypedNode;
use tract_core::ops::logic::IfThenElse;
use tract_core::ops::scan::{OptScan, Scan};
use tract_core::prelude::{TypedFact, TypedModel};

use crate::spec::joined;
use crate::{DType, Dim, OnnxNode, cast};

/// What sets an operator apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct OpFlags {
    /// The engine made the operator; no ONNX node stands behind it, and its name is the engine's.
    pub made_by_engine: bool,
    /// The operator runs the body of a loop, a scan or a branch, or came from such a body. The nodes
    /// inside a body that is run are not reported one by one.
    pub nested: bool,
    /// The operator does the work of more than one ONNX node.
    pub fused: bool,
}

/// A value that an operator reads or writes. Shown as `float32[1,64]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OpTensor {
    /// The element type; `None` for a layout private to the engine.
    pub dtype: Option<DType>,
    /// The dimensions. [`Dim::Symbol`] is a size known only while running.
    pub dims: Vec<Dim>,
}

impl fmt::Display for OpTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dtype = self.dtype.map_or("packed", DType::name);
        write!(f, "{dtype}[{}]", joined(&self.dims))
    }
}

impl OpTensor {
    fn from_fact(fact: &TypedFact) -> OpTensor {
        let dim = |dim: &tract_core::prelude::TDim| match dim.to_usize() {
            Ok(size) => Dim::Known(size),
            Err(_) => Dim::Symbol(dim.to_string()),
        };
        let dtype = if fact.exotic_fact.is_some() {
            None
        } else {
            cast::from_datum(fact.datum_type)
        };
        OpTensor {
            dtype,
            dims: fact.shape.iter().map(dim).collect(),
        }
    }
}

/// One operator that a plan executes. Its place in [`crate::Plan::ops`] is the index that observers
/// are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanOp {
    /// The name of the ONNX node that the operator came from; of several, the one that is most of the
    /// work. Several operators carry one name when the engine breaks a node up.
    pub name: String,
    /// The type of that node, such as `Conv`.
    pub op_type: String,
    /// The engine's own name for what it runs, such as `OptMatMul`.
    pub kernel: String,
    /// What sets the operator apart.
    pub flags: OpFlags,
    /// The ONNX nodes whose work the operator does, as indices into [`crate::Model::nodes`]. The first
    /// gave the name.
    pub sources: Vec<usize>,
    /// The values that the operator reads.
    pub inputs: Vec<OpTensor>,
    /// The values that the operator writes.
    pub outputs: Vec<OpTensor>,
}

impl PlanOp {
    pub(crate) fn new(
        model: &TypedModel,
        node: &TypedNode,
        nodes: &[OnnxNode],
        sources: Vec<usize>,
    ) -> PlanOp {
        let kernel = node.op().name().into_owned();
        let first = sources.first().map(|&source| &nodes[source]);
        let fact = |outlet: &tract_core::prelude::OutletId| {
            &model.node(outlet.node).outputs[outlet.slot].fact
        };
        PlanOp {
            name: first.map_or_else(
                || crate::graph::unmark(&node.name, nodes),
                |source| source.name.clone(),
            ),
            op_type: first.map_or_else(|| kernel.clone(), |source| source.op_type.clone()),
            flags: OpFlags {
                made_by_engine: sources.is_empty(),
                nested: runs_body(node)
                    || sources.iter().any(|&source| nodes[source].parent.is_some()),
                fused: sources.len() > 1,
            },
            kernel,
            sources,
            inputs: node
                .inputs
                .iter()
                .map(|outlet| OpTensor::from_fact(fact(outlet)))
                .collect(),
            outputs: node
                .outputs
                .iter()
                .map(|outlet| OpTensor::from_fact(&outlet.fact))
                .collect(),
        }
    }
}

fn runs_body(node: &TypedNode) -> bool {
    node.op_is::<Scan>() || node.op_is::<OptScan>() || node.op_is::<IfThenElse>()
}
