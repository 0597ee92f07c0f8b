//! Models that are wrong, and what is said about them.

mod common;

use common::{chain, graph, int_attribute, text_attribute};
use optap_engine::{Error, ErrorKind, Model};
use prost::Message;
use tract_onnx::pb::tensor_proto::{DataLocation, DataType};
use tract_onnx::pb::{StringStringEntryProto, TensorProto};

fn refusal(bytes: &[u8]) -> Error {
    Model::from_bytes(bytes).expect_err("a refusal")
}

#[test]
fn a_missing_file_is_named() {
    let error = Model::from_path("no/such/model.onnx".as_ref()).expect_err("a refusal");
    assert_eq!(error.kind(), ErrorKind::File);
    assert!(error.to_string().contains("no/such/model.onnx"), "{error}");
}

#[test]
fn an_empty_model_is_called_empty() {
    assert_eq!(
        refusal(b"").to_string(),
        "the model is not an ONNX model: it is empty"
    );
}

#[test]
fn an_offline_model_is_told_from_garbage() {
    let offline = refusal(b"IMOD\0\0\0\0rest").to_string();
    assert!(offline.contains("offline model (.om)"), "{offline}");
    let garbage = refusal(b"#!/bin/sh\necho hello\n");
    assert_eq!(garbage.kind(), ErrorKind::Format);
    assert!(!garbage.to_string().contains(".om"), "{garbage}");
}

#[test]
fn an_unknown_operator_is_named_with_its_node() {
    let bytes = graph()
        .input("x", DataType::Float, &["2"])
        .node("wrench", "Frobnicate", &["x"])
        .output("wrench_out", DataType::Float, &["2"])
        .bytes();
    assert_eq!(
        refusal(&bytes).to_string(),
        "node 'wrench': operator Frobnicate is not supported by the CPU engine"
    );
}

#[test]
fn an_operator_of_a_foreign_domain_is_not_taken_for_a_standard_one() {
    let mut builder = graph()
        .input("x", DataType::Float, &["2"])
        .node("mine", "Relu", &["x"]);
    builder.graph.node[0].domain = "com.example".into();
    let error = refusal(&builder.output("mine_out", DataType::Float, &["2"]).bytes());
    let operator = "com.example::Relu".to_owned();
    assert_eq!(
        error,
        Error::UnsupportedOperator {
            node: "mine".into(),
            operator
        }
    );
}

#[test]
fn an_operator_that_would_give_wrong_results_is_refused() {
    let lstm = |direction: &str| {
        graph()
            .input("x", DataType::Float, &["1", "1", "2"])
            .floats("w", &[1, 4, 2], &[0.1; 8])
            .floats("r", &[1, 4, 1], &[0.1; 4])
            .node("memory", "LSTM", &["x", "w", "r"])
            .attribute(text_attribute("direction", direction))
            .attribute(int_attribute("hidden_size", 1))
            .output("memory_out", DataType::Float, &["1", "1", "1", "1"])
            .bytes()
    };
    let operator = "LSTM with attribute direction".to_owned();
    assert_eq!(
        refusal(&lstm("reverse")),
        Error::UnsupportedOperator {
            node: "memory".into(),
            operator
        }
    );
    assert!(Model::from_bytes(&lstm("forward")).is_ok());
}

#[test]
fn types_that_the_engine_lacks_are_refused_by_name() {
    for (dtype, name) in [
        (DataType::String, "string"),
        (DataType::Bfloat16, "bfloat16"),
        (DataType::Complex64, "complex64"),
    ] {
        let bytes = graph()
            .input("x", dtype, &["2"])
            .node("same", "Identity", &["x"])
            .output("same_out", dtype, &["2"])
            .bytes();
        assert_eq!(
            refusal(&bytes),
            Error::UnsupportedType {
                value: "x".into(),
                dtype: name.into()
            }
        );
    }
}

#[test]
fn contradictions_in_the_wiring_are_named() {
    let start = || graph().input("x", DataType::Float, &["2"]);
    let dangling =
        start()
            .node("a", "Add", &["x", "ghost"])
            .output("a_out", DataType::Float, &["2"]);
    assert!(
        refusal(&dangling.bytes())
            .to_string()
            .contains("node 'a' reads 'ghost'")
    );
    let circle = start()
        .node("a", "Add", &["x", "b_out"])
        .node("b", "Relu", &["a_out"])
        .output("b_out", DataType::Float, &["2"]);
    assert!(
        refusal(&circle.bytes())
            .to_string()
            .contains("needs its own result")
    );
    let twice = start()
        .raw_node("a", "Relu", &["x"], &["y"])
        .raw_node("b", "Relu", &["x"], &["y"])
        .output("y", DataType::Float, &["2"]);
    assert!(
        refusal(&twice.bytes())
            .to_string()
            .contains("'y' is written twice")
    );
    let unwritten = start()
        .node("a", "Relu", &["x"])
        .output("z", DataType::Float, &["2"]);
    assert!(
        refusal(&unwritten.bytes())
            .to_string()
            .contains("graph output 'z'")
    );
}

fn with_external_weights() -> Vec<u8> {
    let mut builder = graph()
        .input("x", DataType::Float, &["2"])
        .node("sum", "Add", &["x", "w"])
        .output("sum_out", DataType::Float, &["2"]);
    let entry = StringStringEntryProto {
        key: "location".into(),
        value: "weights.bin".into(),
    };
    builder.graph.initializer.push(TensorProto {
        name: "w".into(),
        dims: vec![2],
        data_type: DataType::Float as i32,
        data_location: Some(DataLocation::External as i32),
        external_data: vec![entry],
        ..TensorProto::default()
    });
    builder.bytes()
}

#[test]
fn external_data_is_found_beside_the_file_and_missed_by_name() {
    let bytes = with_external_weights();
    let from_memory = refusal(&bytes);
    assert!(
        matches!(&from_memory, Error::ExternalData { tensor, .. } if tensor == "w"),
        "{from_memory}"
    );
    let directory =
        std::env::temp_dir().join(format!("optap-engine-external-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let path = directory.join("model.onnx");
    std::fs::write(&path, &bytes).expect("a model file");
    let missing = Model::from_path(&path).expect_err("a refusal").to_string();
    std::fs::write(directory.join("weights.bin"), [0_u8; 8]).expect("a weights file");
    let found = Model::from_path(&path);
    std::fs::remove_dir_all(&directory).expect("an end");
    assert!(missing.contains("weights.bin does not exist"), "{missing}");
    assert!(found.is_ok(), "{found:?}");
}

#[test]
fn a_cut_model_is_an_error_or_a_model_but_never_a_panic() {
    let bytes = chain(20).bytes();
    for end in 0..bytes.len() {
        match Model::from_bytes(&bytes[..end]) {
            Ok(model) => drop(model.plan_for(&[&[4], &[4]])),
            Err(error) => assert!(
                !matches!(error.kind(), ErrorKind::Panic),
                "cut at {end}: {error}"
            ),
        }
    }
}

#[test]
fn a_model_with_one_flipped_byte_does_no_harm() {
    let bytes = chain(6).bytes();
    for place in 0..bytes.len() {
        for flip in [0x01, 0x10, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[place] ^= flip;
            if let Ok(model) = Model::from_bytes(&changed) {
                drop(model.plan_for(&[&[4], &[4]]));
            }
        }
    }
}

#[test]
fn an_input_with_an_initialiser_is_a_constant() {
    let model = graph()
        .input("x", DataType::Float, &["2"])
        .input("w", DataType::Float, &["2"])
        .floats("w", &[2], &[1.0, 2.0])
        .node("sum", "Add", &["x", "w"])
        .output("sum_out", DataType::Float, &["2"])
        .model();
    assert_eq!(
        model
            .inputs()
            .iter()
            .map(|input| input.name.as_str())
            .collect::<Vec<_>>(),
        ["x"]
    );
}

#[test]
fn nodes_without_names_take_those_of_their_outputs_and_all_differ() {
    let model = graph()
        .input("x", DataType::Float, &["2"])
        .raw_node("", "Tanh", &["x"], &["a"])
        .raw_node("b", "Tanh", &["a"], &["c"])
        .raw_node("b", "Tanh", &["c"], &["d"])
        .raw_node("", "Tanh", &["d"], &["b"])
        .output("b", DataType::Float, &["2"])
        .model();
    let names: Vec<&str> = model
        .nodes()
        .iter()
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b", "b_2", "b_3"]);
    let plan = model.plan_for(&[&[2]]).expect("a plan");
    assert_eq!(
        plan.ops()
            .iter()
            .map(|op| op.name.as_str())
            .collect::<Vec<_>>(),
        names
    );
}

#[test]
fn a_wrong_type_inside_the_graph_is_told_with_the_users_names() {
    let model = graph()
        .input("x", DataType::Float, &["2", "3"])
        .input("y", DataType::Float, &["4", "5"])
        .node("product", "MatMul", &["x", "y"])
        .output("product_out", DataType::Float, &["2", "5"])
        .model();
    let error = model.plan_for(&[&[2, 3], &[4, 5]]).expect_err("a refusal");
    assert_eq!(error.kind(), ErrorKind::Plan);
    assert!(error.to_string().contains("product"), "{error}");
    assert!(!error.to_string().contains('@'), "{error}");
    assert_eq!(model.plans_kept(), 0);
}

#[test]
fn every_encoding_of_a_model_is_decoded_alike() {
    let proto = chain(3).proto();
    let model = Model::from_bytes(&proto.encode_to_vec()).expect("a model");
    assert_eq!(model.nodes().len(), 3);
    assert_eq!(model.nodes()[1].inputs, ["node_0_out"]);
    assert_eq!(model.nodes()[1].outputs, ["node_1_out"]);
}
