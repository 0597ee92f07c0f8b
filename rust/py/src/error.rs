//! One map from codes to exceptions.

use std::io;
use std::path::Path;

use optap_engine::ErrorKind;
use optap_model::code_of;
use optap_runtime::{Error, ErrorCode};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The class of `optap.errors` that stands for a code.
pub fn class_name(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::StreamSyncTimeout | ErrorCode::EventSyncTimeout | ErrorCode::WaitTimeout => {
            "SyncTimeoutError"
        }
        ErrorCode::ModelAbortNormal => "RunCancelledError",
        ErrorCode::StreamAbort | ErrorCode::DeviceTaskAbort => "AbortedError",
        _ => class_of_range(code.code()),
    }
}

fn class_of_range(code: i32) -> &'static str {
    match code {
        100_012..=100_018 | 145_000..=145_999 | 545_000..=545_999 => "ModelError",
        100_000 | 107_000 => "InvalidArgumentError",
        107_001..=107_099 => "HandleError",
        207_000..=207_999 => "ResourceError",
        507_010..=507_999 => "OpError",
        _ => "OptapError",
    }
}

/// The exception for `error`, with its code and name.
pub fn to_python(error: &Error) -> PyErr {
    raise(class_name(error.code()), error.code(), error.detail())
}

/// The exception of class `class` in `optap.errors`.
pub fn raise(class: &str, code: ErrorCode, detail: &str) -> PyErr {
    Python::attach(|py| build(py, class, (detail, code.code(), code.name())))
}

/// The exception for a model file that cannot be read.
fn from_file(error: &optap_engine::Error, path: &Path, kind: io::ErrorKind) -> PyErr {
    let class = match kind {
        io::ErrorKind::NotFound => "ModelNotFoundError",
        _ => "ModelFileError",
    };
    let code = code_of(error);
    Python::attach(|py| {
        let path = path.as_os_str();
        build(
            py,
            class,
            (error.to_string(), code.code(), code.name(), path),
        )
    })
}

fn build<'py>(py: Python<'py>, class: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let made = || {
        let class = py.import("optap.errors")?.getattr(class)?;
        class.cast_into::<PyType>()?.call1(arguments)
    };
    made().map_or_else(|error| error, PyErr::from_value)
}

/// The exception for what the engine says.
pub fn from_engine(error: &optap_engine::Error) -> PyErr {
    if let optap_engine::Error::File { path, kind, .. } = error {
        return from_file(error, path, *kind);
    }
    let code = code_of(error);
    let class = match error.kind() {
        ErrorKind::Input => "InputError",
        ErrorKind::Setting => "InvalidArgumentError",
        ErrorKind::Unsupported => "UnsupportedModelError",
        _ => class_name(code),
    };
    raise(class, code, &error.to_string())
}

/// Turns the runtime's results into Python's.
pub trait OrRaise<T> {
    /// The value, or the exception for the error.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for optap_runtime::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| to_python(&error))
    }
}

/// The exception for an object that a forked child inherited.
pub fn forked(what: &str) -> PyErr {
    let detail =
        format!("this {what} belongs to the parent process; open a new one in the forked child");
    raise("ForkedError", ErrorCode::InvalidHandle, &detail)
}
