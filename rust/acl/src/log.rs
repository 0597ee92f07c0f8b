//! Lines on standard error, asked for by the environment.

use std::env;
use std::fmt;
use std::io::Write;
use std::sync::LazyLock;

const VARIABLE: &str = "OPTAP_LOG";

static INFO: LazyLock<bool> = LazyLock::new(|| level() == Ok(true));

/// Whether `OPTAP_LOG` asks for lines: `info` or `debug`. Read once.
#[inline]
pub fn is_on() -> bool {
    *INFO
}

/// Whether `OPTAP_LOG` asks for lines, or what is wrong with it.
///
/// ```
/// assert_eq!(optap_acl::log::level(), Ok(false));
/// ```
///
/// # Errors
/// A sentence that names a value which is none of `info`, `debug`, `off` and nothing.
pub fn level() -> Result<bool, String> {
    match &*env::var_os(VARIABLE).unwrap_or_default().to_string_lossy() {
        "info" | "debug" => Ok(true),
        "" | "off" => Ok(false),
        other => Err(format!(
            "{VARIABLE} is '{other}', expected info, debug or off; nothing is logged"
        )),
    }
}

/// Writes a line, if lines are asked for.
pub fn info(line: fmt::Arguments<'_>) {
    if is_on() {
        // Nobody is left to be told that standard error is closed.
        let _ = writeln!(std::io::stderr().lock(), "optap: {line}");
    }
}
