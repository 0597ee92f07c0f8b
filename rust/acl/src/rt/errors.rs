//! The last error of a thread or of a context.

use std::cell::Cell;

use optap_runtime::{Error, ErrorCode, Result, context};

thread_local! {
    static LAST: Cell<i32> = const { Cell::new(0) };
}

/// Keeps the code of a failed call as the last one of the calling thread.
pub(crate) fn note(code: i32) {
    LAST.set(code);
}

/// The code of the latest failure, which stays: of this thread at level 0, of its context at level 1.
///
/// # Errors
/// 100000 for another level, 107002 without a context.
pub fn peek_at_last_error(level: i32) -> Result<i32> {
    match level {
        0 => Ok(LAST.get()),
        1 => Ok(context::current()?
            .failure()
            .map_or(0, |error| error.code().code())),
        _ => {
            let detail =
                format!("level {level} is not known; use 0 for the thread, 1 for its context");
            Err(Error::new(ErrorCode::InvalidParam, detail))
        }
    }
}

/// As [`peek_at_last_error`], and forgets that of the thread. The failure of a stopped context stays.
pub fn get_last_error(level: i32) -> Result<i32> {
    let code = peek_at_last_error(level)?;
    if level == 0 {
        LAST.set(0);
    }
    Ok(code)
}
