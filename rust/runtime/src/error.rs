//! The error that every call of this crate returns.

use std::fmt;

use crate::codes::ErrorCode;

/// What went wrong: a code of the table, and what happened in this case.
///
/// ```
/// use optap_runtime::{Error, ErrorCode};
/// let error = Error::new(ErrorCode::InvalidDeviceId, "device 7 does not exist; there is 1 device, use 0");
/// assert_eq!(error.code().code(), 107001);
/// assert_eq!(
///     error.to_string(),
///     "device 7 does not exist; there is 1 device, use 0 (ACL_ERROR_RT_INVALID_DEVICEID, 107001)"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    detail: Box<str>,
}

/// The result of a runtime call.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with a `detail` that says what was wrong, with which value, and what to do.
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into().into_boxed_str(),
        }
    }

    /// The code of the table.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// What happened in this case, without the code.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl From<ErrorCode> for Error {
    /// An error that says no more than the table does.
    fn from(code: ErrorCode) -> Self {
        Self::new(code, code.message())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({}, {})",
            self.detail,
            self.code.name(),
            self.code.code()
        )
    }
}

impl std::error::Error for Error {}
