//! Tensors that do and do not fit a model.

mod common;

use common::{floats, graph};
use optap_engine::{DType, Dim, Error, ErrorKind, Model, Tensor, Unobserved};
use tract_onnx::pb::tensor_proto::DataType;

fn two_inputs() -> Model {
    graph()
        .input("left", DataType::Float, &["N", "2"])
        .input("right", DataType::Float, &["N", "?"])
        .node("sum", "Add", &["left", "right"])
        .output("sum_out", DataType::Float, &["N", "2"])
        .model()
}

fn pair(left: &[usize], right: &[usize]) -> Vec<Tensor> {
    let zeros = |shape: &[usize]| floats(shape, &vec![0.0; shape.iter().product()]);
    vec![zeros(left), zeros(right)]
}

#[test]
fn declarations_are_kept() {
    let model = two_inputs();
    assert_eq!(model.inputs()[0].to_string(), "float32[N,2]");
    assert_eq!(
        model.inputs()[1].dims,
        Some(vec![Dim::Symbol("N".into()), Dim::Unknown])
    );
    assert_eq!(model.outputs()[0].name, "sum_out");
}

#[test]
fn each_refusal_names_the_input_what_was_expected_and_what_was_given() {
    let model = two_inputs();
    let refusal = |tensors| model.check(tensors).expect_err("a refusal").to_string();
    let rank = refusal(pair(&[2], &[1, 2]));
    assert_eq!(
        rank,
        "input 'left': expected float32[N,2], given float32[2]"
    );
    let size = refusal(pair(&[1, 3], &[1, 2]));
    assert_eq!(
        size,
        "input 'left': expected float32[N,2], given float32[1,3]"
    );
    let symbol = refusal(pair(&[1, 2], &[4, 2]));
    assert_eq!(
        symbol,
        "input 'right': dimension N is 1 in an earlier place, given 4"
    );
    let count = refusal(pair(&[1, 2], &[1, 2])[..1].to_vec());
    assert!(
        count.starts_with("the model takes 2 inputs ('left' float32[N,2], 'right'"),
        "{count}"
    );
    let whole = Tensor::new(DType::I64, &[1, 2], &[0; 16]).expect("a tensor");
    let dtype = refusal(vec![whole, floats(&[1, 2], &[0.0; 2])]);
    assert_eq!(
        dtype,
        "input 'left': expected float32[N,2], given int64[1,2]"
    );
}

#[test]
fn names_are_matched_whatever_their_order() {
    let model = two_inputs();
    let named = |names: &[&str]| {
        let tensors = names.iter().enumerate();
        let tensor =
            |(index, name): (usize, &&str)| (name.to_string(), floats(&[1, 2], &[index as f32; 2]));
        model.check_named(tensors.map(tensor).collect())
    };
    let swapped = named(&["right", "left"]).expect("fitting inputs");
    assert_eq!(common::to_floats(&swapped.tensors()[0]), [1.0; 2]);
    let missing = named(&["left"]).expect_err("a refusal");
    assert_eq!(
        missing.to_string(),
        "input 'right' is missing; expected float32[N,?]"
    );
    let unknown = named(&["left", "middle"]).expect_err("a refusal");
    assert!(
        unknown
            .to_string()
            .starts_with("the model has no input 'middle'"),
        "{unknown}"
    );
    let twice = named(&["left", "left"]).expect_err("a refusal");
    assert_eq!(
        twice,
        Error::DuplicateInput {
            input: "left".into()
        }
    );
}

#[test]
fn a_tensor_takes_exactly_its_bytes() {
    for given in [0, 7, 9] {
        let error = Tensor::new(DType::F32, &[2], &vec![0; given]).expect_err("a refusal");
        assert_eq!(
            error.to_string(),
            format!("a float32 tensor of shape [2] takes 8 bytes, {given} were given")
        );
        assert_eq!(error.kind(), ErrorKind::Input);
    }
    let huge = Tensor::new(DType::F64, &[usize::MAX, 2], &[]).expect_err("a refusal");
    assert!(
        matches!(huge, Error::TensorBytes { expected: None, .. }),
        "{huge}"
    );
}

#[test]
fn every_type_passes_through_a_model_unchanged() {
    let types = [
        (DType::F16, DataType::Float16),
        (DType::F32, DataType::Float),
        (DType::F64, DataType::Double),
        (DType::I8, DataType::Int8),
        (DType::I16, DataType::Int16),
        (DType::I32, DataType::Int32),
        (DType::I64, DataType::Int64),
        (DType::U8, DataType::Uint8),
        (DType::U16, DataType::Uint16),
        (DType::U32, DataType::Uint32),
        (DType::U64, DataType::Uint64),
        (DType::Bool, DataType::Bool),
    ];
    assert_eq!(types.len(), DType::ALL.len());
    for (dtype, onnx) in types {
        let model = graph()
            .input("x", onnx, &["2", "3"])
            .node("turned", "Transpose", &["x"])
            .output("turned_out", onnx, &["3", "2"])
            .model();
        let size = dtype.size_bytes();
        let bytes: Vec<u8> = (0..6 * size)
            .map(|index| {
                if dtype == DType::Bool {
                    index as u8 % 2
                } else {
                    index as u8
                }
            })
            .collect();
        let inputs = model
            .check(vec![Tensor::new(dtype, &[2, 3], &bytes).expect("a tensor")])
            .expect("fitting");
        let outputs = model
            .plan(&inputs)
            .expect("a plan")
            .run(inputs, &mut Unobserved)
            .expect("a run");
        assert_eq!(
            (outputs[0].dtype(), outputs[0].shape()),
            (dtype, &[3, 2][..])
        );
        let element = |index: usize| &bytes[index * size..][..size];
        let turned: Vec<u8> = [0, 3, 1, 4, 2, 5]
            .into_iter()
            .flat_map(element)
            .copied()
            .collect();
        assert_eq!(outputs[0].as_bytes(), turned, "{dtype}");
    }
}

#[test]
fn any_byte_but_zero_is_true() {
    let tensor = Tensor::new(DType::Bool, &[3], &[0, 1, 255]).expect("a tensor");
    assert_eq!(tensor.as_bytes(), [0, 1, 1]);
}

#[test]
fn scalars_and_empty_tensors_are_shapes_like_any_other() {
    let model = graph()
        .input("x", DataType::Float, &["N"])
        .input("scale", DataType::Float, &[])
        .node("scaled", "Mul", &["x", "scale"])
        .output("scaled_out", DataType::Float, &["N"])
        .model();
    for count in [0, 1, 3] {
        let inputs = vec![floats(&[count], &vec![2.0; count]), floats(&[], &[1.5])];
        let inputs = model.check(inputs).expect("fitting inputs");
        let outputs = model
            .plan(&inputs)
            .expect("a plan")
            .run(inputs, &mut Unobserved)
            .expect("a run");
        assert_eq!(outputs[0].shape(), [count]);
        assert_eq!(common::to_floats(&outputs[0]), vec![3.0; count]);
    }
}

#[test]
fn a_plan_refuses_inputs_of_other_shapes() {
    let model = two_inputs();
    let plan = model.plan_for(&[&[1, 2], &[1, 2]]).expect("a plan");
    let inputs = model.check(pair(&[3, 2], &[3, 2])).expect("fitting inputs");
    let error = plan.run(inputs, &mut Unobserved).expect_err("a refusal");
    assert!(error.to_string().contains("float32[3,2]"), "{error}");
    assert_eq!(error.kind(), ErrorKind::Input);
}
