//! A real model, from the wheel that the development environment installs.

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;

use common::to_floats;
use optap_engine::{DType, Model, Tensor, Unobserved};

/// `OPTAP_TEST_MAGIKA`, or where `make setup` puts the model.
fn model_path() -> PathBuf {
    if let Some(path) = std::env::var_os("OPTAP_TEST_MAGIKA") {
        return path.into();
    }
    let library = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.venv/lib");
    let pythons = std::fs::read_dir(&library).into_iter().flatten().flatten();
    let mut models = pythons.map(|python| {
        python
            .path()
            .join("site-packages/magika/models/standard_v3_3/model.onnx")
    });
    models.find(|path| path.is_file()).unwrap_or_else(|| {
        panic!(
            "the Magika model is not under {}: run `make setup`, or set OPTAP_TEST_MAGIKA",
            library.display()
        )
    })
}

fn model() -> Model {
    let path = model_path();
    Model::from_path(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The first and the last 1,024 bytes, padded with 256.
fn features(text: &[u8]) -> Tensor {
    let mut values = [256_i32; 2048];
    for (value, &byte) in values.iter_mut().zip(text.iter().take(1024)) {
        *value = i32::from(byte);
    }
    let tail = &text[text.len().saturating_sub(1024)..];
    for (value, &byte) in values[2048 - tail.len()..].iter_mut().zip(tail) {
        *value = i32::from(byte);
    }
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    Tensor::new(DType::I32, &[1, 2048], &bytes).expect("2,048 values")
}

#[test]
fn every_executed_operator_comes_from_an_onnx_node() {
    let model = model();
    let plan = model.plan_for(&[&[1, 2048]]).expect("a plan");
    for op in plan.ops() {
        assert!(
            !op.flags.made_by_engine,
            "{} ({}) has no ONNX node",
            op.name, op.kernel
        );
        let source = &model.nodes()[op.sources[0]];
        assert_eq!((&op.name, &op.op_type), (&source.name, &source.op_type));
    }
}

#[test]
fn every_onnx_node_is_carried_or_folded() {
    let model = model();
    let plan = model.plan_for(&[&[1, 2048]]).expect("a plan");
    let mut fates: BTreeMap<usize, usize> = BTreeMap::new();
    let carried = plan.ops().iter().flat_map(|op| &op.sources);
    carried
        .chain(plan.folded())
        .for_each(|&node| *fates.entry(node).or_default() += 1);
    assert_eq!(
        fates.keys().copied().collect::<Vec<_>>(),
        (0..model.nodes().len()).collect::<Vec<_>>()
    );
    assert!(plan.folded().iter().all(|node| fates[node] == 1));
}

#[test]
fn a_source_file_gets_probabilities_that_sum_to_one() {
    let model = model();
    let inputs = model
        .check(vec![features(include_bytes!("magika.rs"))])
        .expect("fitting inputs");
    let outputs = model
        .plan(&inputs)
        .expect("a plan")
        .run(inputs, &mut Unobserved)
        .expect("a run");
    let probabilities = to_floats(&outputs[0]);
    let sum: f32 = probabilities.iter().sum();
    assert!((sum - 1.0).abs() < 1e-3, "the sum is {sum}");
    assert!(probabilities.iter().any(|&probability| probability > 0.9));
}

#[test]
fn planning_and_running_again_give_the_same_operators_and_bits() {
    let run = || {
        let model = model();
        let inputs = model
            .check(vec![features(include_bytes!("magika.rs"))])
            .expect("fitting inputs");
        let plan = model.plan(&inputs).expect("a plan");
        let outputs = plan.run(inputs, &mut Unobserved).expect("a run");
        (plan.ops().to_vec(), outputs[0].as_bytes().to_vec())
    };
    assert_eq!(run(), run());
}
