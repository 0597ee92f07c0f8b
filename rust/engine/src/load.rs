//! From bytes to a checked ONNX graph.

use std::path::Path;
use std::{fs, io};

use prost::Message;
use tract_onnx::Onnx;
use tract_onnx::pb::{GraphProto, ModelProto, ValueInfoProto, type_proto};
use tract_onnx::tract_hir::infer::InferenceModel;

use crate::graph::{take_nodes, unmark};
use crate::{Error, OnnxNode, TensorSpec, validate};

/// The first bytes of an offline model compiled for an NPU.
const OFFLINE_MODEL_MAGIC: &[u8] = b"IMOD";

/// A graph that was read and checked, and the engine's form of it.
pub(crate) struct Loaded {
    pub(crate) template: InferenceModel,
    pub(crate) nodes: Vec<OnnxNode>,
    pub(crate) inputs: Vec<TensorSpec>,
    pub(crate) outputs: Vec<TensorSpec>,
}

/// The bytes of a model file; refuses what is no file, such as a pipe that nobody writes, or a device without an end.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let regular = fs::metadata(path).and_then(|found| {
        let refuse = || io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
        found.is_file().then_some(()).ok_or_else(refuse)
    });
    regular
        .and_then(|()| fs::read(path))
        .map_err(|error| Error::File {
            path: path.to_owned(),
            kind: error.kind(),
            reason: error.to_string(),
        })
}

/// Reads and checks a model; `directory` is where external tensors are looked for.
pub(crate) fn load(bytes: &[u8], origin: &str, directory: Option<&Path>) -> Result<Loaded, Error> {
    let mut proto = decode(bytes, origin)?;
    let mut graph = proto.graph.take().unwrap_or_default();
    let (inputs, outputs) = specs(&graph)?;
    let nodes = take_nodes(&mut graph);
    let onnx = tract_onnx::onnx().with_ignore_value_info(true);
    validate::operators(&onnx, &proto, &nodes)?;
    validate::results(&graph, &nodes)?;
    validate::external_data(&graph, directory)?;
    validate::wiring(&graph, &nodes)?;
    free_dimensions(&mut graph);
    proto.graph = Some(graph);
    let template = parse(&onnx, &proto, directory).map_err(|reason| Error::Graph {
        reason: unmark(&reason, &nodes),
    })?;
    Ok(Loaded {
        template,
        nodes,
        inputs,
        outputs,
    })
}

fn decode(bytes: &[u8], origin: &str) -> Result<ModelProto, Error> {
    let refuse = |reason: String| Error::NotOnnx {
        origin: origin.to_owned(),
        reason,
    };
    if bytes.is_empty() {
        return Err(refuse("it is empty".to_owned()));
    }
    if bytes.starts_with(OFFLINE_MODEL_MAGIC) || origin.ends_with(".om") {
        let reason = "it is an offline model (.om), compiled for an NPU, which a CPU cannot run; export the network to \
                      ONNX and load that file";
        return Err(refuse(reason.to_owned()));
    }
    let proto = ModelProto::decode(bytes).map_err(|error| refuse(error.to_string()))?;
    match &proto.graph {
        Some(graph) if !graph.output.is_empty() => Ok(proto),
        Some(_) => Err(refuse("its graph has no outputs".to_owned())),
        None => Err(refuse("it holds no graph".to_owned())),
    }
}

fn specs(graph: &GraphProto) -> Result<(Vec<TensorSpec>, Vec<TensorSpec>), Error> {
    let constant = |value: &&ValueInfoProto| {
        graph
            .initializer
            .iter()
            .any(|tensor| tensor.name == value.name)
    };
    let inputs = graph
        .input
        .iter()
        .filter(|value| !constant(value))
        .map(TensorSpec::from_proto);
    let outputs = graph.output.iter().map(TensorSpec::from_proto);
    Ok((
        inputs.collect::<Result<_, _>>()?,
        outputs.collect::<Result<_, _>>()?,
    ))
}

/// Drops the symbols of the inputs: every plan is compiled for concrete shapes, and symbols would be
/// shared between plans.
fn free_dimensions(graph: &mut GraphProto) {
    for input in &mut graph.input {
        let declared = input
            .r#type
            .as_mut()
            .and_then(|declared| declared.value.as_mut());
        if let Some(type_proto::Value::TensorType(tensor)) = declared {
            tensor
                .shape
                .iter_mut()
                .flat_map(|shape| &mut shape.dim)
                .for_each(|dim| dim.value = None);
        }
    }
}

fn parse(
    onnx: &Onnx,
    proto: &ModelProto,
    directory: Option<&Path>,
) -> Result<InferenceModel, String> {
    let directory = directory.map(|directory| directory.to_string_lossy());
    let parsed = onnx
        .parse(proto, directory.as_deref())
        .map_err(|error| format!("{error:#}"))?;
    match parsed.unresolved_inputs.first() {
        Some(value) => Err(format!("'{value}' is read in a body but written nowhere")),
        None => Ok(parsed.model),
    }
}
