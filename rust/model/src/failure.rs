//! The engine's failures in the runtime's words.

use optap_engine::ErrorKind;
use optap_runtime::{Error, ErrorCode};

/// The runtime's code for what the engine says.
pub fn code_of(error: &optap_engine::Error) -> ErrorCode {
    match error.kind() {
        ErrorKind::File => ErrorCode::GeExecModelPathInvalid,
        ErrorKind::Format | ErrorKind::Unsupported | ErrorKind::Plan => ErrorCode::GeLoadModel,
        ErrorKind::Input => ErrorCode::GeParamInvalid,
        ErrorKind::Cancelled => ErrorCode::ModelAbortNormal,
        ErrorKind::Operator => ErrorCode::ModelExecute,
        ErrorKind::Panic => ErrorCode::AicpuException,
        ErrorKind::Setting => ErrorCode::InvalidParam,
    }
}

/// The runtime's error for what the engine says.
pub(crate) fn told(error: &optap_engine::Error) -> Error {
    Error::new(code_of(error), error.to_string())
}
