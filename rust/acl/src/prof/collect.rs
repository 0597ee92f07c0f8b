//! The calls that collect between a start and a stop.

use std::sync::Arc;

use optap_runtime::Result;

use crate::Acl;
use crate::prof::config::Config;
use crate::prof::switches;

/// Opens the collection that is written below `path`, a folder that is made if need be.
///
/// 100000 for a path of no or more than 4095 bytes, 100042 while a file profiles, 100002 where it is open, 148047 while
/// a model is subscribed, 100003 for a path that is no folder to write to.
pub fn init(path: &str) -> Result<()> {
    Acl::global().prof.mode.lock().init(path)
}

/// Ends the collection and all that runs, and waits for the files. 100043 where none is open, 100042 while a file
/// profiles, 100004 where a file cannot be written.
pub fn finalize() -> Result<()> {
    let state = &Acl::global().prof;
    let mut mode = state.mode.lock();
    mode.open()?;
    let ended = mode.finalize();
    drop(mode);
    state.stamps.close();
    ended
}

/// Ends the collection of the file and that of the script, as far as there are any; 100004 where a file cannot be
/// written.
pub(crate) fn end_collections() -> Result<()> {
    let state = &Acl::global().prof;
    let mut mode = state.mode.lock();
    let by_file = mode.end_by_file();
    let collection = mode.collection.take().map_or(Ok(()), |open| open.end());
    drop(mode);
    state.stamps.close();
    by_file.and(collection)
}

/// What to collect on which devices; the bits are those of [`switches`].
///
/// 100000 for events, for more than 64, unknown or repeated devices, and for no device without
/// [`MSPROFTX`](switches::MSPROFTX).
pub fn create_config(devices: &[u32], metrics: i32, events: u64, bits: u64) -> Result<u64> {
    let config = Config::new(devices, metrics, events, bits)?;
    Ok(Acl::global().prof.configs.insert(Arc::new(config)))
}

/// Forgets a configuration, also while it collects. 100000 for none.
pub fn destroy_config(config: u64) -> Result<()> {
    Acl::global().prof.configs.take(config).map(drop)
}

/// Sets one of the numbered settings of the open collection.
///
/// 100000 for a number that there is not or a text of more than 256 bytes, 100001 before [`init`], 100010 for a text that
/// the setting does not take.
pub fn set_config(kind: i32, text: &str) -> Result<()> {
    Acl::global().prof.mode.lock().set(kind, text)
}

/// Starts to collect.
///
/// 100000 for no configuration, for no data and for unknown metrics, 200007 for an unknown bit, 100042 while a file
/// profiles or where a device collects already, 100043 before [`init`], 100004 for a folder that cannot be written to.
pub fn start(config: u64) -> Result<()> {
    let state = &Acl::global().prof;
    let config = state.configs.get(config)?;
    state.mode.lock().open()?.start(&config)?;
    if config.switches & switches::MSPROFTX != 0 {
        state.stamps.open();
    }
    Ok(())
}

/// Stops what runs on the devices of the configuration, and waits for their files.
///
/// Errors as [`start`], and 100010 where a device was started with other bits.
pub fn stop(config: u64) -> Result<()> {
    let state = &Acl::global().prof;
    let config = state.configs.get(config)?;
    state.mode.lock().open()?.stop(&config)
}
