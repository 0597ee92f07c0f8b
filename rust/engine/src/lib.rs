//! Loads ONNX models and runs them on the CPU, telling an observer about every operator.
//!
//! A [`Model`] is the file as the user wrote it. [`Model::check`] turns tensors into [`BoundInputs`],
//! [`Model::plan`] compiles the graph for their shapes (once, then from a cache), and [`Plan::run`]
//! executes the plan node by node, calling an [`Observer`] before and after each one.

mod cache;
mod cast;
mod clue;
mod compile;
mod dtype;
mod error;
mod flow;
mod graph;
mod inputs;
mod lineage;
mod load;
mod model;
mod observer;
mod op;
mod op_inputs;
mod options;
mod panic;
mod plan;
mod spec;
mod state;
mod tensor;
mod validate;

pub use dtype::DType;
pub use error::{Error, ErrorKind, Stage};
pub use graph::OnnxNode;
pub use inputs::BoundInputs;
pub use model::Model;
pub use observer::{Observer, Stop, Unobserved};
pub use op::{OpFlags, OpTensor, PlanOp};
pub use op_inputs::OpInputs;
pub use options::ModelOptions;
pub use plan::Plan;
pub use spec::{Dim, TensorSpec};
pub use tensor::Tensor;
