//! The one rule for time-outs that come as numbers.

use std::time::Duration;

use crate::codes::ErrorCode;
use crate::error::{Error, Result};

/// A time-out in milliseconds, where -1 is for ever. 107000 for 0 and other negative numbers.
///
/// ```
/// use std::time::Duration;
/// use optap_runtime::timeout_from_ms;
/// assert_eq!(timeout_from_ms(250), Ok(Some(Duration::from_millis(250))));
/// assert_eq!(timeout_from_ms(-1), Ok(None));
/// assert!(timeout_from_ms(0).is_err());
/// ```
pub fn timeout_from_ms(timeout_ms: i32) -> Result<Option<Duration>> {
    match timeout_ms {
        -1 => Ok(None),
        1.. => Ok(Some(Duration::from_millis(
            timeout_ms.unsigned_abs().into(),
        ))),
        _ => {
            let detail = format!(
                "a time-out of {timeout_ms} ms is not possible; use -1 for ever, or 1 and more"
            );
            Err(Error::new(ErrorCode::ParamInvalid, detail))
        }
    }
}
