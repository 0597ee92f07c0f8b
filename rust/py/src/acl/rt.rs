//! The functions of `acl.rt`: devices, contexts, streams, events.

use optap_acl::rt;
use optap_acl::rt::ExceptionInfo;
use pyo3::prelude::*;

use super::answer::{code, object};
use super::callback;
use super::functions::functions;

functions! { "acl.rt"
    /// Use a device, whose primary context becomes current; return the code.
    code set_device(device_id: i32) { rt::set_device(device_id) }
    /// Use a device no longer; return the code.
    blocking_code reset_device(device_id: i32) { rt::reset_device(device_id) }
    /// End all use of a device; return the code.
    blocking_code reset_device_force(device_id: i32) { rt::reset_device_force(device_id) }
    /// Return the current device, and the code.
    pair get_device() { rt::get_device() }
    /// Return the number of devices, and the code.
    pair get_device_count() { rt::get_device_count() }
    /// Return where the script runs (1, the host), and the code.
    pair get_run_mode() { rt::get_run_mode() }
    /// Wait for every stream of the current device; return the code.
    blocking_code synchronize_device() { rt::synchronize_device() }
    /// As `synchronize_device`, for at most so many ms.
    blocking_code synchronize_device_with_timeout(timeout_ms: i32) { rt::synchronize_device_with_timeout(timeout_ms) }
    /// Limit how long a stream waits for an event, in s; return the code.
    code set_op_wait_timeout(seconds: u32) { rt::set_op_wait_timeout(seconds) }
    /// Limit how long an operator may run, in s; return the code.
    code set_op_execute_time_out(seconds: u32) { rt::set_op_execute_time_out(seconds) }
    /// Return the latest error of the thread (0) or the context (1).
    object peek_at_last_error[py](level: i32) { last_error(py, "acl.rt.peek_at_last_error", rt::peek_at_last_error(level)) }
    /// As `peek_at_last_error`, and forget that of the thread.
    object get_last_error[py](level: i32) { last_error(py, "acl.rt.get_last_error", rt::get_last_error(level)) }

    /// Return a new context, which becomes current, and the code.
    pair create_context(device_id: i32) { rt::create_context(device_id) }
    /// Destroy a context after its tasks; return the code.
    blocking_code destroy_context(context: u64) { rt::destroy_context(context) }
    /// Make a context current; return the code.
    code set_context(context: u64) { rt::set_context(context) }
    /// Return the current context, and the code.
    pair get_context() { rt::get_context() }
    /// Return the default stream of the current context, and the code.
    pair ctx_get_current_default_stream() { rt::ctx_get_current_default_stream() }
    /// Return whether the primary context of a device exists, its flags, and the code.
    object get_primary_ctx_state[py](device_id: i32) {
        let state = rt::get_primary_ctx_state(device_id);
        let (active, code) = optap_acl::answer::pair("acl.rt.get_primary_ctx_state", state, 0);
        object(py, (active, 0, code))
    }

    /// Return a new stream, and the code.
    pair create_stream() { rt::create_stream() }
    /// Return a new stream with a priority and flags, and the code.
    pair create_stream_with_config(priority: i32, flags: i32) { rt::create_stream_with_config(priority, flags) }
    /// Destroy a stream after its tasks; return the code.
    blocking_code destroy_stream(stream: u64) { rt::destroy_stream(stream) }
    /// Destroy a stream and drop its tasks; return the code.
    blocking_code destroy_stream_force(stream: u64) { rt::destroy_stream_force(stream) }
    /// Wait for the tasks of a stream; return the code.
    blocking_code synchronize_stream(stream: u64) { rt::synchronize_stream(stream) }
    /// As `synchronize_stream`, for at most so many ms.
    blocking_code synchronize_stream_with_timeout(stream: u64, timeout_ms: i32) {
        rt::synchronize_stream_with_timeout(stream, timeout_ms)
    }
    /// Return whether the tasks of a stream have finished (0) or not (1), and the code.
    pair stream_query(stream: u64) or 0xFFFF { rt::stream_query(stream) }
    /// Set whether the context of a stream goes on after a failure (0) or stops (1); return the code.
    code set_stream_failure_mode(stream: u64, mode: u64) { rt::set_stream_failure_mode(stream, mode) }
    /// Abort a stream; return the code.
    code stream_abort(stream: u64) { rt::stream_abort(stream) }
    /// Return the id of a stream, and the code.
    pair stream_get_id(stream: u64) { rt::stream_get_id(stream) }
    /// Return how many more streams there can be, and the code.
    pair get_stream_available_num() { rt::get_stream_available_num() }
    /// Set an attribute of a stream, given as a dict; return the code.
    object set_stream_attribute[py](stream: u64, attribute: u32, value: Bound<'py, PyAny>) {
        const NAME: &str = "acl.rt.set_stream_attribute";
        code(py, NAME, rt::set_stream_attribute(stream, attribute, attribute_value(NAME, attribute, &value)?))
    }
    /// Return an attribute of a stream as a dict, and the code.
    object get_stream_attribute[py](stream: u64, attribute: u32) {
        let value = rt::get_stream_attribute(stream, attribute);
        let (value, code) = optap_acl::answer::pair("acl.rt.get_stream_attribute", value.map(Some), None);
        let told = pyo3::types::PyDict::new(py);
        if let Some(value) = value {
            told.set_item(attribute_key(attribute), value)?;
        }
        object(py, (told, code))
    }
    /// Let a stream wait for an event; return the code.
    code stream_wait_event(stream: u64, event: u64) { rt::stream_wait_event(stream, event) }

    /// Return a new event, and the code.
    pair create_event() { rt::create_event() }
    /// Return a new event with flags, and the code.
    pair create_event_with_flag(flags: u32) { rt::create_event_with_flag(flags) }
    /// Return a new event that waits pass before its first recording, and the code.
    pair create_event_ex_with_flag(flags: u32) { rt::create_event_ex_with_flag(flags) }
    /// Destroy an event; return the code.
    code destroy_event(event: u64) { rt::destroy_event(event) }
    /// Record an event on a stream; return the code.
    code record_event(event: u64, stream: u64) { rt::record_event(event, stream) }
    /// Return an event to the unrecorded state when a stream gets there; return the code.
    code reset_event(event: u64, stream: u64) { rt::reset_event(event, stream) }
    /// Return whether an event is reached (0) or not (1), and the code.
    pair query_event(event: u64) or 1 { rt::query_event(event) }
    /// Return whether a recording is reached (1) or not (0), and the code.
    pair query_event_status(event: u64) { rt::query_event_status(event) }
    /// Return whether those who wait for an event can go on (0) or not (1), and the code.
    pair query_event_wait_status(event: u64) or 0xFFFF { rt::query_event_wait_status(event) }
    /// Wait for an event; return the code.
    blocking_code synchronize_event(event: u64) { rt::synchronize_event(event) }
    /// As `synchronize_event`, for at most so many ms.
    blocking_code synchronize_event_with_timeout(event: u64, timeout_ms: i32) {
        rt::synchronize_event_with_timeout(event, timeout_ms)
    }
    /// Return the ms from one event to another, and the code.
    pair event_elapsed_time(start: u64, end: u64) { rt::event_elapsed_time(start, end) }
    /// Return when an event was reached, in us, and the code.
    pair event_get_timestamp(event: u64) { rt::event_get_timestamp(event) }
    /// Return the id of an event, and the code.
    pair get_event_id(event: u64) { rt::get_event_id(event) }
    /// Return how many more events there can be, and the code.
    pair get_event_avail_num() { rt::get_event_avail_num() }

    /// Let a thread take the callbacks of a stream; return the code.
    code subscribe_report(thread_id: u64, stream: u64) { rt::subscribe_report(thread_id, stream) }
    /// End that; return the code.
    code unsubscribe_report(thread_id: u64, stream: u64) { rt::unsubscribe_report(thread_id, stream) }
    /// Queue a call on a stream, for the thread that takes its callbacks; return the code.
    object launch_callback[py](function: Bound<'py, PyAny>, data: Bound<'py, PyAny>, block_type: i32, stream: u64) {
        const NAME: &str = "acl.rt.launch_callback";
        let call = callback::once(NAME, function, data)?;
        code(py, NAME, rt::launch_callback(stream, block_type, call))
    }
    /// Wait for callbacks to the calling thread and call them; return the code.
    blocking_code process_report(timeout_ms: i32) { rt::process_report(timeout_ms) }
    /// Set who is called when an operator fails; `None` for nobody. Return the code.
    object set_exception_info_callback[py](function: Option<Bound<'py, PyAny>>) {
        const NAME: &str = "acl.rt.set_exception_info_callback";
        rt::set_exception_info_callback(callback::on_exception(NAME, function)?);
        code(py, NAME, Ok(()))
    }
    /// Return the task of an exception.
    value get_task_id_from_exception_info(info: u64) { Ok(field(info, |told| told.task_id)) }
    /// Return the stream of an exception.
    value get_stream_id_from_exception_info(info: u64) { Ok(field(info, |told| told.stream_id)) }
    /// Return the thread that submitted the task of an exception.
    value get_thread_id_from_exception_info(info: u64) { Ok(field(info, |told| told.thread_id)) }
    /// Return the device of an exception.
    value get_device_id_from_exception_info(info: u64) { Ok(field(info, |told| told.device_id)) }
    /// Return the code of an exception.
    value get_error_code_from_exception_info(info: u64) { Ok(field(info, |told| told.error_code)) }
}

fn field(info: u64, field: fn(&ExceptionInfo) -> u32) -> u32 {
    rt::exception_field(info, field)
}

/// The code that a call asked for, or why it cannot be told.
fn last_error<'py>(
    py: Python<'py>,
    function: &'static str,
    asked: optap_runtime::Result<i32>,
) -> PyResult<Bound<'py, PyAny>> {
    match asked {
        Ok(code) => object(py, code),
        Err(error) => code::<()>(py, function, Err(error)),
    }
}

fn attribute_key(attribute: u32) -> &'static str {
    match attribute {
        1 => "failureMode",
        2 => "overflowSwitch",
        3 => "userCustomTag",
        _ => "reserved",
    }
}

fn attribute_value(
    function: &'static str,
    attribute: u32,
    value: &Bound<'_, PyAny>,
) -> PyResult<u64> {
    let given = value
        .get_item(attribute_key(attribute))
        .and_then(|value| value.extract());
    given.map_err(|_| {
        pyo3::exceptions::PyTypeError::new_err(format!("{function} args parse failed"))
    })
}
