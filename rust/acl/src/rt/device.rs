//! Devices.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use optap_runtime::{Device, Error, ErrorCode, Result, context, timeout_from_ms};

use crate::rt::state::{runtime, state};

/// The host runs the script; the device is driven from there.
const HOST: i32 = 1;

/// The device with this id. 107001 when there is none.
pub(crate) fn device(device_id: i32) -> Result<Arc<Device>> {
    let runtime = runtime()?;
    match u32::try_from(device_id) {
        Ok(id) => runtime.device(id).cloned(),
        Err(_) => {
            let detail = format!("device {device_id} does not exist; ids begin with 0");
            Err(Error::new(ErrorCode::InvalidDeviceId, detail))
        }
    }
}

/// Counts one more user of a device, whose primary context becomes the current one of the thread.
///
/// # Errors
/// 107001 for a device that does not exist.
pub fn set_device(device_id: i32) -> Result<()> {
    context::set_current(Some(device(device_id)?.retain()?))
}

/// Counts one user less; the last one waits for the tasks of the primary context and destroys it.
///
/// # Errors
/// 107001 for a device that does not exist, 507007 for one that nobody uses.
pub fn reset_device(device_id: i32) -> Result<()> {
    device(device_id)?.release()?;
    state().forget_dead();
    Ok(())
}

/// As [`reset_device`], however many users there are.
pub fn reset_device_force(device_id: i32) -> Result<()> {
    device(device_id)?.release_all()?;
    state().forget_dead();
    Ok(())
}

/// The id of the current device; 107002 without a context.
pub fn get_device() -> Result<u32> {
    Ok(context::current()?.device().id())
}

/// How many devices there are.
pub fn get_device_count() -> Result<usize> {
    Ok(runtime()?.devices().len())
}

/// Where the script runs: 1, on the host.
pub fn get_run_mode() -> Result<i32> {
    Ok(HOST)
}

/// Waits for every stream of the current device.
///
/// # Errors
/// 107002 without a context, and the first stored failure of a stream.
pub fn synchronize_device() -> Result<()> {
    context::current()?.device().synchronize(None)
}

/// As [`synchronize_device`], for at most `timeout_ms`; -1 is for ever.
///
/// # Errors
/// 107000 for 0 and other negative numbers, 507046 when the time is over, and those of [`synchronize_device`].
pub fn synchronize_device_with_timeout(timeout_ms: i32) -> Result<()> {
    let current = context::current()?;
    current.device().synchronize(timeout_from_ms(timeout_ms)?)
}

/// How many seconds a stream waits for an event before the wait fails; 0 is for ever.
pub fn set_op_wait_timeout(seconds: u32) -> Result<()> {
    let timeout = (seconds > 0).then(|| Duration::from_secs(seconds.into()));
    runtime()?.set_wait_timeout(timeout);
    Ok(())
}

/// How many seconds an operator may run before its model fails; 0 is for ever.
pub fn set_op_execute_time_out(seconds: u32) -> Result<()> {
    let timeout_ns = u64::from(seconds) * 1_000_000_000;
    state().op_timeout_ns.store(timeout_ns, Ordering::Relaxed);
    Ok(())
}

/// How long an operator may run; `None` is for ever.
pub(crate) fn op_limit() -> Option<Duration> {
    let limit_ns = state().op_timeout_ns.load(Ordering::Relaxed);
    (limit_ns > 0).then(|| Duration::from_nanos(limit_ns))
}
