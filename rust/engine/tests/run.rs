//! Whole models: load, check, plan, run, observe.

mod common;

use std::ops::ControlFlow;

use common::{chain, floats, graph, to_floats};
use optap_engine::{DType, Error, Observer, Stop, Unobserved};
use tract_onnx::pb::tensor_proto::DataType;

/// Writes down every call; stops before operator `stop_before`.
#[derive(Default)]
struct Notes {
    before: Vec<usize>,
    after: Vec<(usize, bool)>,
    stop_before: Option<usize>,
}

impl Observer for Notes {
    fn before(&mut self, op: usize) -> ControlFlow<Stop> {
        if self.stop_before == Some(op) {
            return ControlFlow::Break(Stop);
        }
        self.before.push(op);
        ControlFlow::Continue(())
    }

    fn after(&mut self, op: usize, failed: bool) {
        self.after.push((op, failed));
    }
}

#[test]
fn outputs_are_what_the_graph_computes() {
    let model = graph()
        .input("x", DataType::Float, &["N", "2"])
        .floats("w", &[2, 2], &[1.0, 2.0, 3.0, 4.0])
        .floats("b", &[2], &[10.0, 20.0])
        .node("product", "MatMul", &["x", "w"])
        .node("sum", "Add", &["product_out", "b"])
        .output("sum_out", DataType::Float, &["N", "2"])
        .model();
    let inputs = model
        .check(vec![floats(&[1, 2], &[1.0, 1.0])])
        .expect("fitting inputs");
    let outputs = model
        .plan(&inputs)
        .expect("a plan")
        .run(inputs, &mut Unobserved)
        .expect("a run");
    assert_eq!(outputs[0].shape(), [1, 2]);
    assert_eq!(to_floats(&outputs[0]), [14.0, 26.0]);
    assert_eq!(outputs[0].dtype(), DType::F32);
}

#[test]
fn every_operator_is_told_once_and_in_order() {
    let model = chain(1000).model();
    let value = floats(&[4], &[0.1, 0.2, 0.3, 0.4]);
    let inputs = model
        .check(vec![value.clone(), value])
        .expect("fitting inputs");
    let plan = model.plan(&inputs).expect("a plan");
    assert_eq!(plan.ops().len(), 1000);
    let mut notes = Notes::default();
    plan.run(inputs, &mut notes).expect("a run");
    assert_eq!(notes.before, (0..1000).collect::<Vec<_>>());
    assert_eq!(
        notes.after,
        (0..1000).map(|op| (op, false)).collect::<Vec<_>>()
    );
}

#[test]
fn names_and_types_are_those_of_the_onnx_nodes() {
    let model = chain(10).model();
    let plan = model.plan_for(&[&[4], &[4]]).expect("a plan");
    for (index, op) in plan.ops().iter().enumerate() {
        assert_eq!(op.name, format!("node_{index}"));
        assert_eq!(op.op_type, if index % 2 == 0 { "Add" } else { "Tanh" });
        assert_eq!(op.sources, [index]);
    }
}

#[test]
fn a_stop_ends_the_run_before_that_operator() {
    let model = chain(10).model();
    let value = floats(&[4], &[0.5; 4]);
    let inputs = model
        .check(vec![value.clone(), value])
        .expect("fitting inputs");
    let plan = model.plan(&inputs).expect("a plan");
    for stop in 0..10 {
        let mut notes = Notes {
            stop_before: Some(stop),
            ..Notes::default()
        };
        let error = plan
            .run(inputs.clone(), &mut notes)
            .expect_err("a cancelled run");
        assert_eq!(
            error,
            Error::Cancelled {
                op: format!("node_{stop}")
            }
        );
        assert_eq!(notes.before.len(), stop);
        assert_eq!(notes.after.len(), stop);
    }
    assert!(plan.run(inputs, &mut Unobserved).is_ok());
}

#[test]
fn runs_at_once_give_the_same_bits() {
    let model = chain(100).model();
    let inputs = model
        .check(vec![
            floats(&[4], &[0.1, 0.7, -0.3, 2.0]),
            floats(&[4], &[0.9; 4]),
        ])
        .expect("fitting inputs");
    let plan = model.plan(&inputs).expect("a plan");
    let expected = plan.run(inputs.clone(), &mut Unobserved).expect("a run")[0]
        .as_bytes()
        .to_vec();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let outputs = plan.run(inputs.clone(), &mut Unobserved).expect("a run");
                    assert_eq!(outputs[0].as_bytes(), expected);
                }
            });
        }
    });
}

#[test]
fn inputs_and_earlier_outputs_are_never_written_over() {
    let model = chain(4).model();
    let value = floats(&[4], &[0.25; 4]);
    let inputs = model
        .check(vec![value.clone(), value.clone()])
        .expect("fitting inputs");
    let plan = model.plan(&inputs).expect("a plan");
    let first = plan.run(inputs.clone(), &mut Unobserved).expect("a run");
    let bytes = first[0].as_bytes().to_vec();
    let other = floats(&[4], &[-3.0; 4]);
    plan.run(
        model
            .check(vec![other.clone(), other])
            .expect("fitting inputs"),
        &mut Unobserved,
    )
    .expect("a run");
    assert_eq!(first[0].as_bytes(), bytes);
    assert_eq!(to_floats(&value), [0.25; 4]);
}

#[test]
fn a_fused_product_is_named_after_the_product_and_lists_its_sources() {
    let model = graph()
        .input("x", DataType::Float, &["4", "16"])
        .floats("w", &[16, 16], &[0.1; 256])
        .floats("b", &[16], &[0.5; 16])
        .node("product", "MatMul", &["x", "w"])
        .node("shifted", "Add", &["product_out", "b"])
        .node("bent", "Tanh", &["shifted_out"])
        .output("bent_out", DataType::Float, &["4", "16"])
        .model();
    let plan = model.plan_for(&[&[4, 16]]).expect("a plan");
    let fused: Vec<_> = plan.ops().iter().filter(|op| op.flags.fused).collect();
    assert_eq!(fused.len(), 1, "{:?}", plan.ops());
    assert_eq!(
        (fused[0].name.as_str(), &fused[0].sources[..]),
        ("product", &[0, 1][..])
    );
    assert_eq!(fused[0].outputs[0].to_string(), "float32[4,16]");
    assert!(plan.ops().iter().all(|op| !op.flags.made_by_engine));
}

#[test]
fn what_depends_on_no_input_is_folded() {
    let model = graph()
        .input("x", DataType::Float, &["2"])
        .floats("a", &[2], &[1.0, 2.0])
        .node("constant", "Neg", &["a"])
        .node("sum", "Add", &["x", "constant_out"])
        .output("sum_out", DataType::Float, &["2"])
        .model();
    let plan = model.plan_for(&[&[2]]).expect("a plan");
    assert_eq!(plan.folded(), [0]);
    assert_eq!(plan.ops().len(), 1);
    assert_eq!(plan.ops()[0].sources, [1]);
}

#[test]
fn a_deep_graph_needs_no_deep_stack() {
    let model = chain(5000).model();
    let value = floats(&[4], &[0.1; 4]);
    let inputs = model
        .check(vec![value.clone(), value])
        .expect("fitting inputs");
    let plan = model.plan(&inputs).expect("a plan");
    assert_eq!(plan.ops().len(), 5000);
    assert!(plan.run(inputs, &mut Unobserved).is_ok());
}
