//! Which ONNX nodes each executed operator does the work of.
//!
//! Three things are known after optimisation: the marks in the engine's names tell which ONNX node an
//! operator grew from; the labels on its outputs tell which ONNX value it produces, and so where a
//! fusion ends; and the ONNX graph tells what lies between. A node that no operator claims was either
//! computed while planning or taken into a neighbour.

use std::collections::BTreeSet;

use tract_core::prelude::TypedModel;

use crate::OnnxNode;
use crate::clue::{self, Clue, is_product};
use crate::flow::Flow;

/// Where the work of the ONNX nodes went.
pub(crate) struct Lineage {
    /// For each executed operator the ONNX nodes behind it; the first names it.
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
    let clues = clue::read(model, executed, nodes, flow);
    let mut carriers = vec![Vec::new(); nodes.len()];
    claim(&clues, &mut carriers);
    absorb(&clues, &mut carriers, flow);
    let is_carried = |node: &usize| !carriers[*node].is_empty();
    let folded = flow
        .top()
        .iter()
        .copied()
        .filter(|node| !is_carried(node))
        .collect();
    Lineage {
        sources: sources(&clues, &carriers, nodes),
        folded,
    }
}

/// The carriers turned round: the nodes of each operator.
fn sources(clues: &[Clue], carriers: &[Vec<usize>], nodes: &[OnnxNode]) -> Vec<Vec<usize>> {
    let mut sources: Vec<Vec<usize>> = clues.iter().map(|clue| clue.named.clone()).collect();
    for (node, ops) in carriers.iter().enumerate() {
        for &op in ops {
            if !sources[op].contains(&node) {
                sources[op].push(node);
            }
        }
    }
    for sources in &mut sources {
        put_in_order(sources, nodes);
    }
    sources
}

/// The product first, or else the node that the engine named the operator after; the rest as in the
/// graph.
fn put_in_order(sources: &mut [usize], nodes: &[OnnxNode]) {
    if let Some(first) = sources
        .iter()
        .position(|&source| is_product(&nodes[source]))
    {
        sources.swap(0, first);
    }
    if let [_, rest @ ..] = sources {
        rest.sort_unstable();
    }
}

/// Gives each node to the operators named after it; a label counts where no name tells, and for nodes
/// that no name claims.
fn claim(clues: &[Clue], carriers: &mut [Vec<usize>]) {
    let doing = || clues.iter().enumerate().filter(|(_, clue)| !clue.prepares);
    for (op, clue) in doing() {
        clue.named
            .iter()
            .for_each(|&source| carriers[source].push(op));
    }
    for (op, clue) in doing() {
        for &writer in &clue.labelled {
            if carriers[writer].is_empty() || clue.named.is_empty() {
                carriers[writer].push(op);
            }
        }
    }
}

/// Gives each unclaimed node to the product before it, if that is open; else to the one operator that
/// carries what reads it; else to those that carry what it reads; else to all that read it.
fn absorb(clues: &[Clue], carriers: &mut [Vec<usize>], flow: &Flow) {
    let forward: Vec<usize> = flow
        .top()
        .iter()
        .copied()
        .filter(|&node| !flow.is_constant(node))
        .collect();
    let backward: Vec<usize> = forward.iter().rev().copied().collect();
    settle(
        carriers,
        &forward,
        |node| flow.writers(node),
        |near| near.len() == 1 && near.iter().all(|&op| clues[op].open),
    );
    settle(
        carriers,
        &backward,
        |node| flow.readers(node),
        |near| near.len() == 1,
    );
    settle(
        carriers,
        &forward,
        |node| flow.writers(node),
        |near| !near.is_empty(),
    );
    settle(
        carriers,
        &backward,
        |node| flow.readers(node),
        |near| !near.is_empty(),
    );
}

/// Hands carriers on from neighbour to neighbour until nothing changes; one round is enough when
/// `order` follows the data.
fn settle<'a>(
    carriers: &mut [Vec<usize>],
    order: &[usize],
    neighbours: impl Fn(usize) -> &'a [usize],
    enough: impl Fn(&BTreeSet<usize>) -> bool,
) {
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order {
            if !carriers[node].is_empty() {
                continue;
            }
            let near: BTreeSet<usize> = neighbours(node)
                .iter()
                .flat_map(|&near| &carriers[near])
                .copied()
                .collect();
            if enough(&near) {
                carriers[node] = near.into_iter().collect();
                changed = true;
            }
        }
    }
}
