//! The folder that collections are written to.

use std::ffi::CString;
use std::fs::DirBuilder;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use optap_runtime::{Error, ErrorCode, Result};

/// Rights of a new folder: the owner writes, the group reads.
const MODE: u32 = 0o750;

/// Makes the folder and those above it, as far as they do not exist. 100003 where it cannot be, or be written to.
pub(crate) fn make(path: &Path) -> Result<()> {
    let refuse = |reason: &str| {
        let detail = format!("{}: {reason}", path.display());
        Error::new(ErrorCode::InvalidFile, detail)
    };
    let made = DirBuilder::new().recursive(true).mode(MODE).create(path);
    made.map_err(|error| refuse(&error.to_string()))?;
    if is_writable(path) {
        Ok(())
    } else {
        Err(refuse("the folder cannot be written to"))
    }
}

fn is_writable(path: &Path) -> bool {
    CString::new(path.as_os_str().as_bytes()).is_ok_and(|path| {
        // SAFETY: `path` is a string that ends in NUL, readable during the call.
        unsafe { libc::access(path.as_ptr(), libc::W_OK | libc::X_OK) == 0 }
    })
}
