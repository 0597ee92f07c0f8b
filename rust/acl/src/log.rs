//! Lines on standard error, asked for by the environment.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io::Write;
use std::sync::LazyLock;

static INFO: LazyLock<bool> = LazyLock::new(|| {
    env::var_os("OPTAP_LOG")
        .is_some_and(|level| ["info", "debug"].map(OsStr::new).contains(&&*level))
});

/// Whether `OPTAP_LOG` asks for lines: `info` or `debug`. Read once.
pub fn is_on() -> bool {
    *INFO
}

/// Writes a line, if lines are asked for.
pub fn info(line: fmt::Arguments<'_>) {
    if is_on() {
        // Nobody is left to be told that standard error is closed.
        let _ = writeln!(std::io::stderr().lock(), "optap: {line}");
    }
}
