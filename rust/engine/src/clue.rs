//! What an executed node of the engine tells about where it came from.

use std::collections::HashMap;

use tract_core::prelude::TypedModel;

use crate::OnnxNode;
use crate::flow::Flow;
use crate::graph::marks;

/// ONNX operators that multiply matrices. One of them is most of the work of whatever it is fused with.
const PRODUCTS: [&str; 9] = [
    "Conv",
    "ConvInteger",
    "ConvTranspose",
    "Einsum",
    "Gemm",
    "MatMul",
    "MatMulInteger",
    "QLinearConv",
    "QLinearMatMul",
];

/// Kernels that lay data out for a product, and do none of it.
const LAYOUTS: [&str; 9] = [
    "AddAxis",
    "Downsample",
    "Im2col",
    "IntoShape",
    "LazyIm2col",
    "MoveAxis",
    "OptMatMulPack",
    "Pad",
    "RmAxis",
];

/// Whether the node is most of the work of whatever it is fused with.
pub(crate) fn is_product(node: &OnnxNode) -> bool {
    PRODUCTS.contains(&node.op_type.as_str())
}

/// What one executed node tells about itself.
pub(crate) struct Clue {
    /// The ONNX nodes in its name, the closest first.
    pub(crate) named: Vec<usize>,
    /// The ONNX nodes whose values it gives.
    pub(crate) labelled: Vec<usize>,
    /// It only lays data out for a product that is computed elsewhere.
    pub(crate) prepares: bool,
    /// It computes a product, and may have taken in what follows it.
    pub(crate) open: bool,
}

impl Clue {
    fn read(model: &TypedModel, id: usize, nodes: &[OnnxNode], flow: &Flow) -> Clue {
        let node = model.node(id);
        let mut named: Vec<usize> = marks(&node.name)
            .filter(|&mark| mark < nodes.len())
            .collect();
        named.reverse();
        named.dedup();
        let labels =
            (0..node.outputs.len()).filter_map(|slot| model.outlet_label((id, slot).into()));
        let labelled: Vec<usize> = labels.filter_map(|label| flow.writer(label)).collect();
        let product = named.iter().any(|&source| is_product(&nodes[source]));
        let prepares = product && LAYOUTS.contains(&&*node.op().name());
        let open = product && !prepares && !labelled.iter().any(|source| named.contains(source));
        Clue {
            named,
            labelled,
            prepares,
            open,
        }
    }

    fn is_silent(&self) -> bool {
        self.closest().is_none()
    }

    fn closest(&self) -> Option<usize> {
        self.named.first().or(self.labelled.first()).copied()
    }
}

/// The clues of all executed nodes.
pub(crate) fn read(
    model: &TypedModel,
    executed: &[usize],
    nodes: &[OnnxNode],
    flow: &Flow,
) -> Vec<Clue> {
    let clues = executed
        .iter()
        .map(|&id| Clue::read(model, id, nodes, flow));
    let mut clues: Vec<Clue> = clues.collect();
    name_strays(model, executed, &mut clues);
    clues
}

/// An operator with neither mark nor label works for whatever reads it.
fn name_strays(model: &TypedModel, executed: &[usize], clues: &mut [Clue]) {
    let op_of_node: HashMap<usize, usize> = executed
        .iter()
        .enumerate()
        .map(|(op, &id)| (id, op))
        .collect();
    for (op, &id) in executed.iter().enumerate().rev() {
        if clues[op].is_silent() {
            let reads = model
                .node(id)
                .outputs
                .iter()
                .flat_map(|output| &output.successors);
            let readers = reads.filter_map(|reader| op_of_node.get(&reader.node));
            let first = readers.filter_map(|&reader| clues[reader].closest()).next();
            clues[op].named.extend(first);
        }
    }
}
