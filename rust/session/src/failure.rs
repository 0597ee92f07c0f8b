//! Why a round could not be written.

use std::io;

use optap_runtime::{Error, ErrorCode};

/// What the system refused, in a form that can be told more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of the error.
    pub kind: io::ErrorKind,
    /// What was refused, with the path.
    pub message: String,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self {
            kind: error.kind(),
            message: error.to_string(),
        }
    }
}

impl From<&Failure> for io::Error {
    fn from(failure: &Failure) -> Self {
        Self::new(failure.kind, failure.message.clone())
    }
}

impl From<&Failure> for Error {
    fn from(failure: &Failure) -> Self {
        Self::new(ErrorCode::WriteFile, failure.message.clone())
    }
}
