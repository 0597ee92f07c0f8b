//! Results as pyACL returns them, and the reason of the last failure.

use std::cell::RefCell;

use optap_runtime::{Error, Result};

use crate::{log, rt};

thread_local! {
    static RECENT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The code of a call of `function`, such as `acl.rt.malloc`; 0 when it went well.
///
/// ```
/// use optap_acl::answer;
/// use optap_runtime::{Error, ErrorCode};
/// assert_eq!(answer::code("acl.rt.free", &Ok(())), 0);
/// let failed = Err::<(), _>(Error::new(ErrorCode::ParamInvalid, "0x7 is not the start of memory"));
/// assert_eq!(answer::code("acl.rt.free", &failed), 107000);
/// assert!(answer::take_recent().unwrap().starts_with("acl.rt.free: 0x7 is not"));
/// ```
pub fn code<T>(function: &'static str, result: &Result<T>) -> i32 {
    match result {
        Ok(_) => 0,
        Err(error) => failed(function, error),
    }
}

/// The value and the code of a call; a failed one has the value `otherwise`.
pub fn pair<T>(function: &'static str, result: Result<T>, otherwise: T) -> (T, i32) {
    let code = code(function, &result);
    (result.unwrap_or(otherwise), code)
}

/// The value of a call that returns no code; a failed one has the value `otherwise`.
pub fn value<T>(function: &'static str, result: Result<T>, otherwise: T) -> T {
    pair(function, result, otherwise).0
}

/// Why the latest failed call of this thread failed. The text is given once.
pub fn take_recent() -> Option<String> {
    RECENT.take()
}

#[cold]
fn failed(function: &'static str, error: &Error) -> i32 {
    let code = error.code().code();
    log::info(format_args!("{function} returned {code}: {error}"));
    if function.starts_with("acl.rt.") {
        rt::note(code);
    }
    RECENT.set(Some(format!("{function}: {error}")));
    code
}
