//! Which ONNX nodes each executed operator does the work of.
//!
//! Three things are known after optimisation: the marks in the engine's names tell which ONNX node an
//! operator grew from; the labels on its outputs tell which ONNX value it produces, and so where a
//! fusion ends; and the ONNX graph tells what lies between. A node that no operator claims was either
//! computed while planning or taken into a neighbour.

use tract_core::prelude::TypedModel;

use crate::OnnxNode;
use crate::flow::Flow;
use crate::graph::marks;

/// Where the work of the ONNX nodes went.
pub(crate) struct Lineage {
    /// For each executed operator the ONNX nodes behind it; the first named it.
    pub(crate) sources: Vec<Vec<usize>>,
    /// The ONNX nodes at the top of the graph that no operator carries.
    pub(crate) folded: Vec<usize>,
}

/// Traces the engine's nodes `executed` back to ONNX `nodes`.
pub(crate) fn trace(
    model: &TypedModel,
    executed: &[usize],
    nodes: &[OnnxNode],
    flow: &Flow,
) -> Lineage {
    let mut lineage = Lineage {
        sources: Vec::with_capacity(executed.len()),
        folded: Vec::new(),
    };
    let mut carriers = vec![Vec::new(); nodes.len()];
    lineage.take_names(model, executed, &mut carriers);
    lineage.take_labels(model, executed, flow, &mut carriers);
    absorb(&mut carriers, flow);
    for (node, ops) in carriers.iter().enumerate() {
        ops.iter().for_each(|&op| lineage.add(op, node));
    }
    lineage.folded = flow
        .top()
        .iter()
        .copied()
        .filter(|&node| carriers[node].is_empty())
        .collect();
    lineage
}

impl Lineage {
    fn add(&mut self, op: usize, source: usize) {
        if !self.sources[op].contains(&source) {
            self.sources[op].push(source);
        }
    }

    /// The innermost mark of a name comes last and is the closest.
    fn take_names(&mut self, model: &TypedModel, executed: &[usize], carriers: &mut [Vec<usize>]) {
        for (op, &id) in executed.iter().enumerate() {
            let mut sources: Vec<usize> = marks(&model.node(id).name)
                .filter(|&mark| mark < carriers.len())
                .collect();
            sources.reverse();
            sources.dedup();
            sources.iter().for_each(|&source| carriers[source].push(op));
            self.sources.push(sources);
        }
    }

    /// A label counts where no name tells, and for nodes that no name claims.
    fn take_labels(
        &mut self,
        model: &TypedModel,
        executed: &[usize],
        flow: &Flow,
        carriers: &mut [Vec<usize>],
    ) {
        for (op, &id) in executed.iter().enumerate() {
            for slot in 0..model.node(id).outputs.len() {
                let label = model.outlet_label((id, slot).into());
                let Some(writer) = label.and_then(|label| flow.writer(label)) else {
                    continue;
                };
                if carriers[writer].is_empty() || self.sources[op].is_empty() {
                    carriers[writer].push(op);
                    self.add(op, writer);
                }
            }
        }
    }
}

/// Gives each unclaimed node to the operators that carry its readers, or failing that its writers.
fn absorb(carriers: &mut [Vec<usize>], flow: &Flow) {
    let open: Vec<usize> = flow
        .top()
        .iter()
        .copied()
        .rev()
        .filter(|&node| !flow.is_constant(node))
        .collect();
    settle(carriers, open.iter(), |node| flow.readers(node));
    settle(carriers, open.iter().rev(), |node| flow.writers(node));
}

/// Repeats until nothing changes; one round is enough when `order` follows the data.
fn settle<'a>(
    carriers: &mut [Vec<usize>],
    order: impl Iterator<Item = &'a usize> + Clone,
    neighbours: impl Fn(usize) -> &'a [usize],
) {
    loop {
        let mut changed = false;
        for &node in order
            .clone()
            .filter(|&&node| carriers[node].is_empty())
            .collect::<Vec<_>>()
        {
            let mut found: Vec<usize> = neighbours(node)
                .iter()
                .flat_map(|&near| carriers[near].clone())
                .collect();
            found.sort_unstable();
            found.dedup();
            changed |= !found.is_empty();
            carriers[node] = found;
        }
        if !changed {
            return;
        }
    }
}
