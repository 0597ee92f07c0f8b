//! Builds small ONNX models.
#![allow(dead_code, reason = "each test file uses its own part")]

use optap_engine::{DType, Model, Tensor};
use prost::Message;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::tensor_shape_proto::{Dimension, dimension};
use tract_onnx::pb::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    TensorShapeProto, TypeProto, ValueInfoProto, attribute_proto::AttributeType, type_proto,
};

/// A graph under construction.
#[derive(Default, Clone)]
pub struct GraphBuilder {
    pub graph: GraphProto,
}

impl GraphBuilder {
    /// Adds an input; `?` is an open dimension, a word a symbol, a number a size.
    pub fn input(mut self, name: &str, dtype: DataType, dims: &[&str]) -> Self {
        self.graph.input.push(value(name, dtype, dims));
        self
    }

    pub fn output(mut self, name: &str, dtype: DataType, dims: &[&str]) -> Self {
        self.graph.output.push(value(name, dtype, dims));
        self
    }

    /// Adds a node that writes one value, named like the node with `_out` behind it.
    pub fn node(self, name: &str, op_type: &str, inputs: &[&str]) -> Self {
        let output = format!("{name}_out");
        self.raw_node(name, op_type, inputs, &[&output])
    }

    pub fn raw_node(
        mut self,
        name: &str,
        op_type: &str,
        inputs: &[&str],
        outputs: &[&str],
    ) -> Self {
        let strings = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        self.graph.node.push(NodeProto {
            name: name.into(),
            op_type: op_type.into(),
            input: strings(inputs),
            output: strings(outputs),
            ..NodeProto::default()
        });
        self
    }

    /// Gives the node added last an attribute.
    pub fn attribute(mut self, attribute: AttributeProto) -> Self {
        self.graph
            .node
            .last_mut()
            .expect("a node")
            .attribute
            .push(attribute);
        self
    }

    pub fn floats(mut self, name: &str, dims: &[i64], data: &[f32]) -> Self {
        self.graph.initializer.push(TensorProto {
            name: name.into(),
            dims: dims.to_vec(),
            data_type: DataType::Float as i32,
            float_data: data.to_vec(),
            ..TensorProto::default()
        });
        self
    }

    pub fn ints(mut self, name: &str, dims: &[i64], data: &[i64]) -> Self {
        self.graph.initializer.push(TensorProto {
            name: name.into(),
            dims: dims.to_vec(),
            data_type: DataType::Int64 as i32,
            int64_data: data.to_vec(),
            ..TensorProto::default()
        });
        self
    }

    pub fn proto(self) -> ModelProto {
        ModelProto {
            ir_version: 8,
            graph: Some(self.graph),
            opset_import: vec![OperatorSetIdProto {
                domain: String::new(),
                version: 13,
            }],
            ..ModelProto::default()
        }
    }

    pub fn bytes(self) -> Vec<u8> {
        self.proto().encode_to_vec()
    }

    pub fn model(self) -> Model {
        Model::from_bytes(&self.bytes()).expect("a good model")
    }
}

pub fn graph() -> GraphBuilder {
    GraphBuilder::default()
}

pub fn body_attribute(name: &str, body: GraphBuilder) -> AttributeProto {
    AttributeProto {
        name: name.into(),
        r#type: AttributeType::Graph as i32,
        g: Some(body.graph),
        ..AttributeProto::default()
    }
}

pub fn int_attribute(name: &str, value: i64) -> AttributeProto {
    AttributeProto {
        name: name.into(),
        r#type: AttributeType::Int as i32,
        i: value,
        ..AttributeProto::default()
    }
}

pub fn text_attribute(name: &str, value: &str) -> AttributeProto {
    let s = value.as_bytes().to_vec();
    AttributeProto {
        name: name.into(),
        r#type: AttributeType::String as i32,
        s,
        ..AttributeProto::default()
    }
}

fn value(name: &str, dtype: DataType, dims: &[&str]) -> ValueInfoProto {
    let dim = dims
        .iter()
        .map(|text| Dimension {
            value: dimension_value(text),
            ..Dimension::default()
        })
        .collect();
    let tensor = type_proto::Tensor {
        elem_type: dtype as i32,
        shape: Some(TensorShapeProto { dim }),
    };
    let declared = TypeProto {
        value: Some(type_proto::Value::TensorType(tensor)),
        ..TypeProto::default()
    };
    ValueInfoProto {
        name: name.into(),
        r#type: Some(declared),
        ..ValueInfoProto::default()
    }
}

fn dimension_value(text: &str) -> Option<dimension::Value> {
    match (text, text.parse()) {
        ("?", _) => None,
        (_, Ok(size)) => Some(dimension::Value::DimValue(size)),
        (symbol, Err(_)) => Some(dimension::Value::DimParam(symbol.into())),
    }
}

pub fn floats(shape: &[usize], data: &[f32]) -> Tensor {
    let bytes: Vec<u8> = data.iter().flat_map(|value| value.to_le_bytes()).collect();
    Tensor::new(DType::F32, shape, &bytes).expect("as many elements as the shape asks for")
}

pub fn to_floats(tensor: &Tensor) -> Vec<f32> {
    assert_eq!(tensor.dtype(), DType::F32);
    tensor
        .as_bytes()
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes(bytes.try_into().expect("4 bytes")))
        .collect()
}

/// `count` nodes in a row, each of which the engine must run: additions of two runtime values, with a
/// unary operator between so that they do not fuse.
pub fn chain(count: usize) -> GraphBuilder {
    let mut builder =
        graph()
            .input("x", DataType::Float, &["4"])
            .input("y", DataType::Float, &["4"]);
    let mut last = "x".to_owned();
    for index in 0..count {
        let name = format!("node_{index}");
        builder = match index % 2 {
            0 => builder.node(&name, "Add", &[&last, "y"]),
            _ => builder.node(&name, "Tanh", &[&last]),
        };
        last = format!("{name}_out");
    }
    builder.output(&last, DataType::Float, &["4"])
}
