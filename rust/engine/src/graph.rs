//! The ONNX graph as the user wrote it, and the marks that let the engine's nodes be traced back.

use std::collections::{HashMap, HashSet};

use tract_onnx::pb::{GraphProto, NodeProto};

/// A node of the ONNX graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnnxNode {
    /// The node's name, unique in the model. A node without one is named after its first output.
    pub name: String,
    /// The operator, such as `Conv`.
    pub op_type: String,
    /// The operator's domain; empty for the default one.
    pub domain: String,
    /// The names of the values that it reads; empty for an optional one left out.
    pub inputs: Vec<String>,
    /// The names of the values that it writes; empty for an optional one left out.
    pub outputs: Vec<String>,
    /// The node whose body this node stands in; `None` at the top.
    pub parent: Option<usize>,
    /// Whether the node has bodies of its own, as `If`, `Loop` and `Scan` do.
    pub has_body: bool,
}

impl OnnxNode {
    fn from_proto(node: &NodeProto, parent: Option<usize>) -> OnnxNode {
        let has_body = node
            .attribute
            .iter()
            .any(|attribute| attribute.g.is_some() || !attribute.graphs.is_empty());
        OnnxNode {
            name: node.name.clone(),
            op_type: node.op_type.clone(),
            domain: node.domain.clone(),
            inputs: node.input.clone(),
            outputs: node.output.clone(),
            parent,
            has_body,
        }
    }
}

/// Lists every node, bodies after their owners, and writes a mark in place of each name.
///
/// The engine derives its own names from those it is given. A mark survives that with no doubt about
/// where it ends, which a user's name does not. The type stands behind it because the engine reads it
/// from there for random operators.
pub(crate) fn take_nodes(graph: &mut GraphProto) -> Vec<OnnxNode> {
    let mut nodes = Vec::with_capacity(graph.node.len());
    enlist(graph, None, &mut nodes);
    name_apart(&mut nodes);
    nodes
}

fn enlist(graph: &mut GraphProto, parent: Option<usize>, nodes: &mut Vec<OnnxNode>) {
    for node in &mut graph.node {
        let index = nodes.len();
        nodes.push(OnnxNode::from_proto(node, parent));
        node.name = format!("@{index}@{}", node.op_type);
        for attribute in &mut node.attribute {
            for body in attribute.g.iter_mut().chain(&mut attribute.graphs) {
                enlist(body, Some(index), nodes);
            }
        }
    }
}

/// Fills empty names and makes all of them differ; a name that stands first keeps its form.
fn name_apart(nodes: &mut [OnnxNode]) {
    let mut taken: HashSet<String> = nodes.iter().map(|node| node.name.clone()).collect();
    let mut seen = HashSet::with_capacity(nodes.len());
    let mut last_suffix: HashMap<String, usize> = HashMap::new();
    for node in nodes {
        if node.name.is_empty() {
            node.name = node
                .outputs
                .iter()
                .find(|output| !output.is_empty())
                .unwrap_or(&node.op_type)
                .clone();
        } else if seen.insert(node.name.clone()) {
            continue;
        }
        let stem = node.name.clone();
        while !taken.insert(node.name.clone()) {
            let suffix = last_suffix.entry(stem.clone()).or_insert(1);
            *suffix += 1;
            node.name = format!("{stem}_{suffix}");
        }
        seen.insert(node.name.clone());
    }
}

/// The nodes whose marks stand in `text`, in order.
pub(crate) fn marks(text: &str) -> impl Iterator<Item = usize> {
    text.split('@').filter_map(|part| part.parse().ok())
}

/// Writes the user's names in place of the marks.
pub(crate) fn unmark(text: &str, nodes: &[OnnxNode]) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split('@');
    plain.push_str(parts.next().unwrap_or_default());
    while let Some(part) = parts.next() {
        match part
            .parse::<usize>()
            .ok()
            .and_then(|index| nodes.get(index))
        {
            Some(node) => {
                let rest = parts.next().unwrap_or_default();
                plain.push_str(&node.name);
                plain.push_str(rest.strip_prefix(node.op_type.as_str()).unwrap_or(rest));
            }
            None => {
                plain.push('@');
                plain.push_str(part);
            }
        }
    }
    plain
}
