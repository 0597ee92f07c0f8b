//! The calls that subscribe models.

use std::mem;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use optap_runtime::{Error, ErrorCode, Result};

use crate::prof::subscription::{Request, SubscribeConfig};
use crate::{Acl, log, mdl};

/// A configuration for [`model_subscribe`]: 100000 for a switch other than 0 and 1. `fd` is not looked at.
pub fn create_subscribe_config(time_info_switch: u8, metrics: i32, fd: RawFd) -> Result<u64> {
    let config = SubscribeConfig::new(time_info_switch, metrics, fd)?;
    Ok(Acl::global()
        .prof
        .subscribe_configs
        .insert(Arc::new(config)))
}

/// Forgets a configuration, which does not change what was subscribed with it. 100000 for none.
pub fn destroy_subscribe_config(config: u64) -> Result<()> {
    Acl::global().prof.subscribe_configs.take(config).map(drop)
}

/// Writes a record of each operator of the model to the descriptor of the configuration, which then belongs to the
/// library, until [`model_unsubscribe`].
///
/// 100011 for a model that is not loaded, 100000 for no configuration and for one that asks for nothing, 100042 while a
/// file profiles, 148047 between `init` and `finalize`, 148046 where the model is subscribed, 100010 where another model
/// of the device is subscribed otherwise, 500005 where the system has no thread or descriptor left.
pub fn model_subscribe(model_id: u32, config: u64) -> Result<()> {
    let device_id = mdl::device_of(model_id).ok_or_else(|| not_loaded(model_id))?;
    let state = &Acl::global().prof;
    let config = state.subscribe_configs.get(config)?;
    let request = Request {
        model_id,
        device_id,
        config: &config,
        with_iterations: state.with_iterations.load(Ordering::Relaxed),
    };
    state
        .mode
        .lock()
        .subscribe(&request, &state.pipes, &state.shared)
}

/// Ends a subscription, also of a model that was unloaded: writes what is left and closes the descriptor.
///
/// Where the pipe is full it returns after [`UNSUBSCRIBE_LIMIT`](crate::prof::UNSUBSCRIBE_LIMIT), and the rest is
/// written as the pipe is read. 100011 where the model is not subscribed; 100042 and 148047 as [`model_subscribe`].
pub fn model_unsubscribe(model_id: u32) -> Result<()> {
    let is_loaded = mdl::device_of(model_id).is_some();
    let subscribed = Acl::global()
        .prof
        .mode
        .lock()
        .unsubscribe(model_id, is_loaded)?;
    if !subscribed.end() {
        log::info(format_args!(
            "model {model_id}: the pipe is full; the rest is written as it is read"
        ));
    }
    Ok(())
}

/// Ends every subscription, as `acl.finalize` does.
pub fn end_subscriptions() {
    let subscribed = mem::take(&mut Acl::global().prof.mode.lock().subscribed);
    for subscription in subscribed.into_values() {
        subscription.end();
    }
}

fn not_loaded(model_id: u32) -> Error {
    let detail = format!("model {model_id} is not loaded");
    Error::new(ErrorCode::InvalidModelId, detail)
}
