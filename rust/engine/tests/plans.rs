//! The cache of plans.

mod common;

use std::sync::{Arc, Barrier};
use std::thread;

use common::{chain, floats, graph, to_floats};
use optap_engine::{Error, Model, ModelOptions, Plan, Unobserved};
use tract_onnx::pb::tensor_proto::DataType;

fn open_sized(limit: usize) -> Model {
    let bytes = graph()
        .input("x", DataType::Float, &["N"])
        .node("bent", "Tanh", &["x"])
        .output("bent_out", DataType::Float, &["N"])
        .bytes();
    ModelOptions::default()
        .plans(limit)
        .load_bytes(&bytes)
        .expect("a model")
}

fn plan(model: &Model, size: usize) -> Arc<Plan> {
    model.plan_for(&[&[size]]).expect("a plan")
}

#[test]
fn one_set_of_shapes_is_compiled_once() {
    let model = open_sized(4);
    let first = plan(&model, 3);
    assert!(Arc::ptr_eq(&first, &plan(&model, 3)));
    assert!(!Arc::ptr_eq(&first, &plan(&model, 4)));
    assert_eq!(model.plans_kept(), 2);
}

#[test]
fn the_cache_is_bounded_and_drops_what_was_used_longest_ago() {
    let model = open_sized(2);
    let (one, two) = (plan(&model, 1), plan(&model, 2));
    assert!(Arc::ptr_eq(&one, &plan(&model, 1)));
    plan(&model, 3);
    assert_eq!(model.plans_kept(), 2);
    assert!(
        Arc::ptr_eq(&one, &plan(&model, 1)),
        "used more recently than two"
    );
    assert!(
        !Arc::ptr_eq(&two, &plan(&model, 2)),
        "dropped, and compiled again"
    );
}

#[test]
fn a_dropped_plan_still_runs() {
    let model = open_sized(1);
    let inputs = model
        .check(vec![floats(&[2], &[0.0; 2])])
        .expect("fitting inputs");
    let kept = model.plan(&inputs).expect("a plan");
    plan(&model, 9);
    assert_eq!(
        to_floats(&kept.run(inputs, &mut Unobserved).expect("a run")[0]),
        [0.0; 2]
    );
}

#[test]
fn requests_at_once_for_one_set_of_shapes_share_one_plan() {
    let model = chain(200).model();
    let start = Barrier::new(4);
    let plans: Vec<Arc<Plan>> = thread::scope(|scope| {
        let request = || {
            start.wait();
            model.plan_for(&[&[4], &[4]]).expect("a plan")
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(request)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a thread"))
            .collect()
    });
    assert!(plans.iter().all(|plan| Arc::ptr_eq(plan, &plans[0])));
}

#[test]
fn different_shapes_compile_side_by_side_and_all_compute() {
    let model = open_sized(16);
    thread::scope(|scope| {
        for size in 1..=8 {
            let model = model.clone();
            scope.spawn(move || {
                let inputs = model
                    .check(vec![floats(&[size], &vec![0.5; size])])
                    .expect("fitting inputs");
                let outputs = model
                    .plan(&inputs)
                    .expect("a plan")
                    .run(inputs, &mut Unobserved)
                    .expect("a run");
                assert_eq!(outputs[0].shape(), [size]);
                assert!(
                    to_floats(&outputs[0])
                        .iter()
                        .all(|value| (value - 0.5_f32.tanh()).abs() < 1e-6)
                );
            });
        }
    });
    assert_eq!(model.plans_kept(), 8);
}

#[test]
fn shapes_that_the_model_does_not_take_are_refused_before_compiling() {
    let model = open_sized(4);
    let error = model.plan_for(&[&[1, 2]]).expect_err("a refusal");
    assert!(matches!(error, Error::InputMismatch { .. }), "{error}");
    assert!(matches!(
        model.plan_for(&[]).expect_err("a refusal"),
        Error::InputCount { .. }
    ));
    assert_eq!(model.plans_kept(), 0);
}

#[test]
fn compiling_again_gives_the_same_operators() {
    let bytes = wide();
    let ops = || {
        let model = Model::from_bytes(&bytes).expect("a model");
        model.plan_for(&[&[1, 8]]).expect("a plan").ops().to_vec()
    };
    let first = ops();
    for _ in 0..8 {
        assert_eq!(ops(), first);
    }
}

/// Branches that join, so that the order of the operators is a choice.
fn wide() -> Vec<u8> {
    let mut builder =
        graph()
            .input("x", DataType::Float, &["1", "8"])
            .floats("w", &[8, 8], &[0.1; 64]);
    let mut joined = "x".to_owned();
    for index in 0..12 {
        let (product, bent, sum) = (
            format!("product_{index}"),
            format!("bent_{index}"),
            format!("sum_{index}"),
        );
        builder = builder
            .node(&product, "MatMul", &[&joined, "w"])
            .node(&bent, "Sigmoid", &["x"]);
        builder = builder.node(
            &sum,
            "Add",
            &[&format!("{product}_out"), &format!("{bent}_out")],
        );
        joined = format!("{sum}_out");
    }
    builder
        .output(&joined, DataType::Float, &["1", "8"])
        .bytes()
}
