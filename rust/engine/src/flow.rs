//! How values run between the nodes at the top of an ONNX graph.

use std::collections::HashMap;

use crate::{OnnxNode, TensorSpec};

/// Readers and writers of every node, and which nodes depend on no input's elements.
pub(crate) struct Flow {
    top: Vec<usize>,
    writer: HashMap<String, usize>,
    readers: Vec<Vec<usize>>,
    writers: Vec<Vec<usize>>,
    constant: Vec<bool>,
}

impl Flow {
    pub(crate) fn new(nodes: &[OnnxNode], inputs: &[TensorSpec]) -> Flow {
        let top: Vec<usize> = (0..nodes.len())
            .filter(|&node| nodes[node].parent.is_none())
            .collect();
        let values = top.iter().flat_map(|&node| {
            nodes[node]
                .outputs
                .iter()
                .map(move |value| (value.clone(), node))
        });
        let writer = values.filter(|(value, _)| !value.is_empty()).collect();
        let (readers, writers) = (vec![Vec::new(); nodes.len()], vec![Vec::new(); nodes.len()]);
        let mut flow = Flow {
            top,
            writer,
            readers,
            writers,
            constant: vec![false; nodes.len()],
        };
        flow.connect(nodes);
        flow.find_constants(nodes, inputs);
        flow
    }

    /// The nodes that stand in no body.
    pub(crate) fn top(&self) -> &[usize] {
        &self.top
    }

    /// The node that writes a value.
    pub(crate) fn writer(&self, value: &str) -> Option<usize> {
        self.writer.get(value).copied()
    }

    /// The nodes that read what `node` writes.
    pub(crate) fn readers(&self, node: usize) -> &[usize] {
        &self.readers[node]
    }

    /// The nodes that write what `node` reads.
    pub(crate) fn writers(&self, node: usize) -> &[usize] {
        &self.writers[node]
    }

    /// Whether a node's result is known once the inputs' shapes are.
    pub(crate) fn is_constant(&self, node: usize) -> bool {
        self.constant[node]
    }

    fn connect(&mut self, nodes: &[OnnxNode]) {
        for &node in &self.top {
            for &written in nodes[node]
                .inputs
                .iter()
                .filter_map(|input| self.writer.get(input))
            {
                self.readers[written].push(node);
                self.writers[node].push(written);
            }
        }
    }

    fn find_constants(&mut self, nodes: &[OnnxNode], inputs: &[TensorSpec]) {
        loop {
            let settled = |flow: &Flow, node: usize| {
                let steady = |value: &String| match flow.writer.get(value) {
                    Some(&writer) => flow.constant[writer],
                    None => inputs.iter().all(|input| input.name != *value),
                };
                let of_shape = matches!(nodes[node].op_type.as_str(), "Shape" | "Size");
                !nodes[node].has_body && (of_shape || nodes[node].inputs.iter().all(steady))
            };
            let found: Vec<usize> = self
                .top
                .iter()
                .copied()
                .filter(|&node| !self.constant[node] && settled(self, node))
                .collect();
            if found.is_empty() {
                return;
            }
            found.iter().for_each(|&node| self.constant[node] = true);
        }
    }
}
