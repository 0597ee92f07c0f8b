//! The beginning and the end of the namespace.

use std::fs;
use std::path::Path;

use optap_runtime::{Error, ErrorCode, Result};
use parking_lot::Mutex;

use crate::base::config;
use crate::{Acl, prof};

/// The version of the interface that is implemented.
const VERSION: (i32, i32, i32) = (1, 17, 0);
/// The largest configuration file, in bytes.
const MOST_CONFIG_BYTES: usize = 1 << 20;

/// How often the namespace was begun.
#[derive(Debug, Default)]
pub(crate) struct Process(Mutex<Life>);

#[derive(Debug, Default)]
struct Life {
    users: u64,
    is_finalized: bool,
    /// What the first `init` read.
    config: Option<Vec<u8>>,
}

fn life() -> &'static Mutex<Life> {
    &Acl::global().base.process.0
}

/// Begins, with the configuration in the file at `path`, if given.
///
/// # Errors
/// 100002 when it has begun (one more user is counted), 100003 for a file that cannot be read, 100005 for one above
/// 1 MiB, 100006 for one that is no JSON, 100000 for wrong profiling settings and for another configuration than before
/// `finalize`, 100003 and 100004 for profiles that cannot be written.
pub fn init(path: Option<&str>) -> Result<()> {
    let mut life = life().lock();
    if life.users > 0 {
        life.users += 1;
        let detail = "acl.init was called before; call acl.finalize first";
        return Err(Error::new(ErrorCode::RepeatInitialize, detail));
    }
    let config = path
        .filter(|path| !path.is_empty())
        .map_or(Ok(Vec::new()), read_config)?;
    if life.config.as_ref().is_some_and(|first| *first != config) {
        let detail = "the configuration is not that of the first acl.init; use the same file";
        return Err(Error::new(ErrorCode::InvalidParam, detail));
    }
    if let Some(wish) = config::profiling(&config)? {
        Acl::global().prof.mode.lock().by_file = Some(wish.start()?);
    }
    *life = Life {
        users: 1,
        is_finalized: false,
        config: Some(config),
    };
    Ok(())
}

fn read_config(path: &str) -> Result<Vec<u8>> {
    let content = fs::read(Path::new(path)).map_err(|error| {
        Error::new(
            ErrorCode::InvalidFile,
            format!("configuration {path} cannot be read: {error}"),
        )
    })?;
    if content.len() > MOST_CONFIG_BYTES {
        let detail = format!(
            "configuration {path} has {} bytes; {MOST_CONFIG_BYTES} are possible",
            content.len()
        );
        return Err(Error::new(ErrorCode::InvalidFileSize, detail));
    }
    Ok(content)
}

/// Ends, whoever else has begun, and with it every subscription and collection. Before any [`init`] it does so once, too.
///
/// # Errors
/// 100037 when it has ended already, 100004 where the files of a collection could not be completed.
pub fn finalize() -> Result<()> {
    let mut life = life().lock();
    if life.is_finalized {
        return Err(Error::from(ErrorCode::RepeatFinalize));
    }
    life.users = 0;
    life.is_finalized = true;
    drop(life);
    prof::end_subscriptions();
    prof::end_collections()
}

/// Counts one user less, and ends with the last one; gives how many are left.
///
/// # Errors
/// 100037 when nobody is left.
pub fn finalize_reference() -> Result<u64> {
    let mut life = life().lock();
    let left = life.users.checked_sub(1).ok_or(ErrorCode::RepeatFinalize)?;
    if left > 0 {
        life.users = left;
        return Ok(left);
    }
    drop(life);
    finalize().map(|()| 0)
}

/// The version of the interface: major, minor, patch.
pub fn get_version() -> Result<(i32, i32, i32)> {
    Ok(VERSION)
}

/// What computes.
pub fn get_soc_name() -> &'static str {
    "CPU"
}
