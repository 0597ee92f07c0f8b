//! What is checked in an ONNX graph before the engine sees it.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use tract_onnx::Onnx;
use tract_onnx::pb::tensor_proto::DataLocation;
use tract_onnx::pb::{GraphProto, ModelProto, NodeProto};

use crate::graph::unmark;
use crate::{Error, OnnxNode};

/// The operator domains whose names the engine knows.
const DOMAINS: [&str; 4] = ["", "ai.onnx", "ai.onnx.ml", "com.microsoft"];

/// Refuses operators that the engine does not have, naming the first.
pub(crate) fn operators(onnx: &Onnx, proto: &ModelProto, nodes: &[OnnxNode]) -> Result<(), Error> {
    let local: HashSet<&str> = proto
        .functions
        .iter()
        .filter_map(|function| function.name.as_deref())
        .collect();
    let known = |node: &OnnxNode| {
        DOMAINS.contains(&node.domain.as_str())
            && !local.contains(node.op_type.as_str())
            && onnx.op_register.0.contains_key(&node.op_type)
    };
    let Some(node) = nodes.iter().find(|node| !known(node)) else {
        return Ok(());
    };
    let default = matches!(node.domain.as_str(), "" | "ai.onnx");
    let operator = if default {
        node.op_type.clone()
    } else {
        format!("{}::{}", node.domain, node.op_type)
    };
    Err(Error::UnsupportedOperator {
        node: node.name.clone(),
        operator,
    })
}

/// Forms of operators that the engine takes and computes otherwise than ONNX says: the operator, the
/// attribute, and its value; a number is wrong from 0 on.
const MISCOMPUTED: [(&str, &str, Option<&str>); 6] = [
    ("Attention", "left_window_size", None),
    ("Attention", "right_window_size", None),
    ("GRU", "direction", Some("reverse")),
    ("LSTM", "direction", Some("reverse")),
    ("RNN", "direction", Some("reverse")),
    ("SpaceToDepth", "mode", Some("CRD")),
];

/// Refuses operators that would give wrong results, naming the first.
pub(crate) fn results(graph: &GraphProto, nodes: &[OnnxNode]) -> Result<(), Error> {
    for node in &graph.node {
        for attribute in &node.attribute {
            let wrong = |&(op_type, name, value): &(&str, &str, Option<&str>)| {
                let same_value =
                    value.map_or(attribute.i >= 0, |value| value.as_bytes() == attribute.s);
                op_type == node.op_type && name == attribute.name && same_value
            };
            if MISCOMPUTED.iter().any(wrong) {
                let operator = format!("{} with attribute {}", node.op_type, attribute.name);
                return Err(Error::UnsupportedOperator {
                    node: unmark(&node.name, nodes),
                    operator,
                });
            }
            for body in attribute.g.iter().chain(&attribute.graphs) {
                results(body, nodes)?;
            }
        }
    }
    Ok(())
}

/// Refuses tensors kept in files that cannot be found from `directory`.
pub(crate) fn external_data(graph: &GraphProto, directory: Option<&Path>) -> Result<(), Error> {
    for tensor in &graph.initializer {
        if tensor.data_location != Some(DataLocation::External as i32) {
            continue;
        }
        let fail = |reason| {
            Err(Error::ExternalData {
                tensor: tensor.name.clone(),
                reason,
            })
        };
        let location = tensor
            .external_data
            .iter()
            .find(|entry| entry.key == "location");
        match (location, directory) {
            (None, _) => return fail("the model does not say which".to_owned()),
            (Some(_), None) => {
                return fail("load the model from its path, not from bytes".to_owned());
            }
            (Some(location), Some(directory)) => {
                let path = directory.join(&location.value);
                if !path.is_file() {
                    return fail(format!("{} does not exist", path.display()));
                }
            }
        }
    }
    Ok(())
}

/// Refuses a graph that reads what nothing writes, writes a value twice, or runs in a circle.
pub(crate) fn wiring(graph: &GraphProto, nodes: &[OnnxNode]) -> Result<(), Error> {
    let fail = |reason| Err(Error::Graph { reason });
    let mut writer: HashMap<&str, Option<usize>> = HashMap::new();
    writer.extend(
        graph
            .initializer
            .iter()
            .map(|tensor| (tensor.name.as_str(), None)),
    );
    writer.extend(graph.input.iter().map(|input| (input.name.as_str(), None)));
    for (index, node) in graph.node.iter().enumerate() {
        for output in node.output.iter().filter(|output| !output.is_empty()) {
            if writer.insert(output, Some(index)).is_some() {
                return fail(format!("value '{output}' is written twice"));
            }
        }
    }
    for node in &graph.node {
        if let Some(input) = node
            .input
            .iter()
            .find(|input| !input.is_empty() && !writer.contains_key(input.as_str()))
        {
            let reader = unmark(&node.name, nodes);
            return fail(format!(
                "node '{reader}' reads '{input}', which nothing writes"
            ));
        }
    }
    if let Some(output) = graph
        .output
        .iter()
        .find(|output| !writer.contains_key(output.name.as_str()))
    {
        return fail(format!(
            "graph output '{}' is written by no node",
            output.name
        ));
    }
    match circle(&graph.node, &writer) {
        Some(index) => fail(format!(
            "node '{}' needs its own result",
            unmark(&graph.node[index].name, nodes)
        )),
        None => Ok(()),
    }
}

/// A node on a circle or behind one, if there is any.
fn circle(nodes: &[NodeProto], writer: &HashMap<&str, Option<usize>>) -> Option<usize> {
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut waits_for = vec![0_usize; nodes.len()];
    for (reader, node) in nodes.iter().enumerate() {
        for written in node
            .input
            .iter()
            .filter_map(|input| writer.get(input.as_str()).copied().flatten())
        {
            readers[written].push(reader);
            waits_for[reader] += 1;
        }
    }
    let mut ready: Vec<usize> = (0..nodes.len())
        .filter(|&node| waits_for[node] == 0)
        .collect();
    while let Some(node) = ready.pop() {
        for &reader in &readers[node] {
            waits_for[reader] -= 1;
            if waits_for[reader] == 0 {
                ready.push(reader);
            }
        }
    }
    waits_for.iter().position(|&count| count > 0)
}
