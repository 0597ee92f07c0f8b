//! Operators that fail, and bodies inside operators.

mod common;

use std::ops::ControlFlow;

use common::{body_attribute, floats, graph, int_attribute, to_floats};
use optap_engine::{DType, Error, Model, Observer, Stage, Stop, Tensor, Unobserved};
use tract_onnx::pb::tensor_proto::DataType;

/// Counts what was told.
#[derive(Default)]
struct Count {
    before: usize,
    after: usize,
    failed: Vec<usize>,
}

impl Observer for Count {
    fn before(&mut self, _op: usize) -> ControlFlow<Stop> {
        self.before += 1;
        ControlFlow::Continue(())
    }

    fn after(&mut self, op: usize, failed: bool) {
        self.after += 1;
        if failed {
            self.failed.push(op);
        }
    }
}

fn ints(data: &[i64]) -> Tensor {
    let bytes: Vec<u8> = data.iter().flat_map(|value| value.to_le_bytes()).collect();
    Tensor::new(DType::I64, &[data.len()], &bytes).expect("a tensor")
}

/// Gathers the values at `indices` from eight, then bends them.
fn gather() -> Model {
    graph()
        .input("indices", DataType::Int64, &["2"])
        .input("values", DataType::Float, &["8"])
        .node("picked", "Gather", &["values", "indices"])
        .node("bent", "Tanh", &["picked_out"])
        .output("bent_out", DataType::Float, &["2"])
        .model()
}

#[test]
fn a_failing_operator_is_named_and_told_and_the_plan_goes_on() {
    let model = gather();
    let inputs = |indices: &[i64]| {
        model
            .check(vec![ints(indices), floats(&[8], &[0.0; 8])])
            .expect("fitting inputs")
    };
    let plan = model.plan_for(&[&[2], &[8]]).expect("a plan");
    for _ in 0..3 {
        let mut count = Count::default();
        let error = plan
            .run(inputs(&[0, 99]), &mut count)
            .expect_err("a failure");
        let named = match &error {
            Error::Operator { op, .. } => op == "picked",
            Error::Panic { op, stage, .. } => {
                op.as_deref() == Some("picked") && *stage == Stage::Run
            }
            _ => false,
        };
        assert!(named, "{error}");
        assert_eq!((count.before, count.after, count.failed), (1, 1, vec![0]));
        assert!(plan.run(inputs(&[0, 7]), &mut Unobserved).is_ok());
    }
}

#[test]
fn a_panic_inside_an_operator_is_contained() {
    let model = graph()
        .input("indices", DataType::Int64, &["2"])
        .ints("depth", &[], &[3])
        .floats("values", &[2], &[0.0, 1.0])
        .node("hot", "OneHot", &["indices", "depth", "values"])
        .attribute(int_attribute("axis", -1))
        .output("hot_out", DataType::Float, &["2", "3"])
        .model();
    let plan = model.plan_for(&[&[2]]).expect("a plan");
    let inputs = |indices: &[i64]| model.check(vec![ints(indices)]).expect("fitting inputs");
    let mut count = Count::default();
    let error = plan
        .run(inputs(&[0, 99]), &mut count)
        .expect_err("a failure");
    assert!(
        matches!(&error, Error::Panic { op: Some(op), .. } if op == "hot"),
        "{error}"
    );
    assert_eq!(
        (count.after, count.failed),
        (count.before, vec![count.before - 1])
    );
    let outputs = plan.run(inputs(&[0, 2]), &mut Unobserved).expect("a run");
    assert_eq!(to_floats(&outputs[0]), [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn both_branches_of_an_if_are_listed_and_the_operator_is_flagged() {
    let branch = |name: &str, op_type: &str| {
        let body = graph().node(name, op_type, &["x"]);
        body_attribute(
            name,
            body.output(&format!("{name}_out"), DataType::Float, &["2"]),
        )
    };
    let mut then_branch = branch("softer", "Tanh");
    then_branch.name = "then_branch".into();
    let mut else_branch = branch("flipped", "Neg");
    else_branch.name = "else_branch".into();
    let model = graph()
        .input("which", DataType::Bool, &[])
        .input("x", DataType::Float, &["2"])
        .node("choice", "If", &["which"])
        .attribute(then_branch)
        .attribute(else_branch)
        .output("choice_out", DataType::Float, &["2"])
        .model();
    let names: Vec<&str> = model
        .nodes()
        .iter()
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(names, ["choice", "softer", "flipped"]);
    assert_eq!(model.nodes()[2].parent, Some(0));
    let plan = model.plan_for(&[&[], &[2]]).expect("a plan");
    let choice = plan
        .ops()
        .iter()
        .find(|op| op.op_type == "If")
        .expect("the choice");
    assert!(choice.flags.nested && !choice.flags.made_by_engine);
    for (which, expected) in [(1, 0.5_f32.tanh()), (0, -0.5)] {
        let which = Tensor::new(DType::Bool, &[], &[which]).expect("a tensor");
        let inputs = model
            .check(vec![which, floats(&[2], &[0.5; 2])])
            .expect("fitting inputs");
        let outputs = plan.run(inputs, &mut Unobserved).expect("a run");
        assert!(
            to_floats(&outputs[0])
                .iter()
                .all(|value| (value - expected).abs() < 1e-6)
        );
    }
}

#[test]
fn a_scan_is_one_flagged_operator_and_forgets_between_runs() {
    let body = graph()
        .input("total", DataType::Float, &["2"])
        .input("row", DataType::Float, &["2"])
        .raw_node("sum", "Add", &["total", "row"], &["next"])
        .raw_node("copy", "Identity", &["next"], &["seen"])
        .output("next", DataType::Float, &["2"])
        .output("seen", DataType::Float, &["2"]);
    let model = graph()
        .input("start", DataType::Float, &["2"])
        .input("rows", DataType::Float, &["3", "2"])
        .raw_node("sums", "Scan", &["start", "rows"], &["last", "all"])
        .attribute(body_attribute("body", body))
        .attribute(int_attribute("num_scan_inputs", 1))
        .output("last", DataType::Float, &["2"])
        .output("all", DataType::Float, &["3", "2"])
        .model();
    let plan = model.plan_for(&[&[2], &[3, 2]]).expect("a plan");
    let scans: Vec<_> = plan.ops().iter().filter(|op| op.flags.nested).collect();
    assert_eq!(scans.len(), 1, "{:?}", plan.ops());
    assert_eq!(
        (scans[0].name.as_str(), scans[0].op_type.as_str()),
        ("sums", "Scan")
    );
    for _ in 0..2 {
        let rows = floats(&[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let inputs = model
            .check(vec![floats(&[2], &[0.0; 2]), rows])
            .expect("fitting inputs");
        let outputs = plan.run(inputs, &mut Unobserved).expect("a run");
        assert_eq!(to_floats(&outputs[0]), [9.0, 12.0]);
        assert_eq!(to_floats(&outputs[1]), [1.0, 2.0, 4.0, 6.0, 9.0, 12.0]);
    }
}
