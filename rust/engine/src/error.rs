//! What can go wrong, and how it is said.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::DType;

/// The step in which a failure happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Reading the model.
    Load,
    /// Compiling it for concrete shapes.
    Plan,
    /// Running the plan.
    Run,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Load => "loading the model",
            Stage::Plan => "planning the model",
            Stage::Run => "running the model",
        })
    }
}

/// The families of errors, for callers that map them to codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A file is missing or cannot be read.
    File,
    /// The bytes are not an ONNX model, or a malformed one.
    Format,
    /// The model asks for something that the engine does not have.
    Unsupported,
    /// The inputs do not fit the model.
    Input,
    /// The model cannot be compiled for these shapes.
    Plan,
    /// An operator failed while running.
    Operator,
    /// The observer stopped the run.
    Cancelled,
    /// The engine broke an internal promise; the run was contained.
    Panic,
    /// A setting has an impossible value.
    Setting,
}

/// Every failure of the engine. Each message names the thing at fault, what was expected and what
/// was given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A model file cannot be read.
    #[error("cannot read model file {}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said, for callers that tell a missing file from a forbidden one.
        kind: io::ErrorKind,
        /// The same, in words.
        reason: String,
    },
    /// The bytes are not an ONNX model.
    #[error("{origin} is not an ONNX model: {reason}")]
    NotOnnx {
        /// The file, or "the model" when it came from memory.
        origin: String,
        /// Why not.
        reason: String,
    },
    /// The ONNX graph contradicts itself.
    #[error("the ONNX graph is malformed: {reason}")]
    Graph {
        /// What contradicts.
        reason: String,
    },
    /// A tensor's data lies outside the model file and cannot be had.
    #[error("tensor '{tensor}' keeps its data in an external file: {reason}")]
    ExternalData {
        /// The tensor.
        tensor: String,
        /// Why it cannot be had.
        reason: String,
    },
    /// The engine has no such operator.
    #[error("node '{node}': operator {operator} is not supported by the CPU engine")]
    UnsupportedOperator {
        /// The ONNX node.
        node: String,
        /// Its type, with the domain in front unless it is the default one.
        operator: String,
    },
    /// The engine has no such type of value.
    #[error("'{value}' has type {dtype}, which the CPU engine does not take")]
    UnsupportedType {
        /// The graph input or output.
        value: String,
        /// The ONNX name of its type.
        dtype: String,
    },
    /// The number of tensors is not the number of inputs.
    #[error("the model takes {expected} inputs ({names}), {given} were given")]
    InputCount {
        /// How many the model takes.
        expected: usize,
        /// How many were given.
        given: usize,
        /// The names of the model's inputs.
        names: String,
    },
    /// An input was not given.
    #[error("input '{input}' is missing; expected {expected}")]
    MissingInput {
        /// The input.
        input: String,
        /// Its type and shape.
        expected: String,
    },
    /// The model has no such input.
    #[error("the model has no input '{input}'; its inputs are {names}")]
    UnknownInput {
        /// The name that was given.
        input: String,
        /// The names that the model has.
        names: String,
    },
    /// An input was given twice.
    #[error("input '{input}' was given twice")]
    DuplicateInput {
        /// The input.
        input: String,
    },
    /// A tensor does not fit its input.
    #[error("input '{input}': expected {expected}, given {given}")]
    InputMismatch {
        /// The input.
        input: String,
        /// The type and shape that the model declares.
        expected: String,
        /// The type and shape that were given.
        given: String,
    },
    /// Two dimensions with one symbol differ.
    #[error("input '{input}': dimension {symbol} is {expected} in an earlier place, given {given}")]
    SymbolMismatch {
        /// The input that differs.
        input: String,
        /// The symbol.
        symbol: String,
        /// Its size where it was first seen.
        expected: usize,
        /// Its size here.
        given: usize,
    },
    /// The number of bytes is not what type and shape ask for.
    #[error("a {dtype} tensor of shape {shape:?} takes {} bytes, {given} were given",
        expected.map_or("more than the address space's".to_owned(), |bytes| bytes.to_string()))]
    TensorBytes {
        /// The element type.
        dtype: DType,
        /// The shape.
        shape: Vec<usize>,
        /// How many bytes they ask for; `None` when the number does not fit.
        expected: Option<usize>,
        /// How many bytes were given.
        given: usize,
    },
    /// The model cannot be compiled for these shapes.
    #[error("cannot plan the model for inputs {shapes}: {reason}")]
    Plan {
        /// The shapes.
        shapes: String,
        /// What the compiler said.
        reason: String,
    },
    /// An operator failed while running.
    #[error("operator '{op}' ({op_type}) failed: {reason}")]
    Operator {
        /// The ONNX node's name.
        op: String,
        /// Its type.
        op_type: String,
        /// What the operator said.
        reason: String,
    },
    /// The run failed outside any operator.
    #[error("the run failed: {reason}")]
    Run {
        /// What the engine said.
        reason: String,
    },
    /// The observer stopped the run before the named operator.
    #[error("the run was cancelled before operator '{op}'")]
    Cancelled {
        /// The ONNX node's name.
        op: String,
    },
    /// The engine panicked; the panic was contained and its state thrown away.
    #[error("the engine panicked while {stage}{}: {message}",
        op.as_deref().map_or(String::new(), |op| format!(" in operator '{op}'")))]
    Panic {
        /// The step.
        stage: Stage,
        /// The ONNX node's name, where one was running.
        op: Option<String>,
        /// The panic's message.
        message: String,
    },
    /// A setting has an impossible value.
    #[error("{name} is '{value}', expected {expected}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
}

impl Error {
    /// The family that the error belongs to.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::File { .. } | Error::ExternalData { .. } => ErrorKind::File,
            Error::NotOnnx { .. } | Error::Graph { .. } => ErrorKind::Format,
            Error::UnsupportedOperator { .. } | Error::UnsupportedType { .. } => {
                ErrorKind::Unsupported
            }
            Error::InputCount { .. }
            | Error::MissingInput { .. }
            | Error::UnknownInput { .. }
            | Error::DuplicateInput { .. }
            | Error::InputMismatch { .. }
            | Error::SymbolMismatch { .. }
            | Error::TensorBytes { .. } => ErrorKind::Input,
            Error::Plan { .. } => ErrorKind::Plan,
            Error::Operator { .. } | Error::Run { .. } => ErrorKind::Operator,
            Error::Cancelled { .. } => ErrorKind::Cancelled,
            Error::Panic { .. } => ErrorKind::Panic,
            Error::Setting { .. } => ErrorKind::Setting,
        }
    }
}
