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
