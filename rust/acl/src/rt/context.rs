//! Contexts.

use optap_runtime::{Result, context};

use crate::rt::device::device;
use crate::rt::state::state;

/// A new context with a default stream of its own, which becomes the current one of the thread. 107001 for a device
/// that does not exist.
pub fn create_context(device_id: i32) -> Result<u64> {
    let created = device(device_id)?.create_context()?;
    context::set_current(Some(created.clone()))?;
    Ok(state().contexts.insert(created))
}

/// Destroys a context after the tasks of its streams.
///
/// # Errors
/// 100000 for null; 107002 for a primary context, a destroyed one or what never was one; 507007 while it is destroyed
/// elsewhere.
pub fn destroy_context(handle: u64) -> Result<()> {
    state().contexts.get(handle)?.destroy()?;
    state().forget_dead();
    Ok(())
}

/// Makes a context, and its device, the current ones of the thread. 100000 for null, 107002 for a destroyed one.
pub fn set_context(handle: u64) -> Result<()> {
    context::set_current(Some(state().contexts.get(handle)?))
}

/// The current context of the thread; 107002 without one.
pub fn get_context() -> Result<u64> {
    Ok(state().contexts.number_of(&context::current()?))
}

/// The default stream of the current context; 107002 without one.
pub fn ctx_get_current_default_stream() -> Result<u64> {
    let current = context::current()?;
    Ok(state().streams.number_of(current.default_stream()))
}

/// Whether the primary context of a device exists, 1 or 0. 107001 for a device that does not exist.
pub fn get_primary_ctx_state(device_id: i32) -> Result<i32> {
    Ok(device(device_id)?.is_active().into())
}
