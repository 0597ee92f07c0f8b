//! The functions of `acl.rt`.

use crate::Function;

/// All functions of the module.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::same("acl.rt.set_device"),
    Function::same("acl.rt.reset_device"),
    Function::same("acl.rt.reset_device_force"),
    Function::same("acl.rt.get_device"),
    Function::same("acl.rt.get_device_count"),
    Function::same("acl.rt.create_context"),
    Function::same("acl.rt.destroy_context"),
    Function::same("acl.rt.set_context"),
    Function::same("acl.rt.get_context"),
    Function::same("acl.rt.ctx_get_current_default_stream"),
    Function::same("acl.rt.synchronize_device"),
    Function::same("acl.rt.synchronize_device_with_timeout"),
    Function::same("acl.rt.set_op_wait_timeout"),
    Function::same("acl.rt.free_host"),
    Function::same("acl.rt.memset"),
    Function::same("acl.rt.memset_async"),
    Function::same("acl.rt.memcpy"),
    Function::same("acl.rt.memcpy_async"),
    Function::same("acl.rt.memcpy2d"),
    Function::same("acl.rt.memcpy2d_async"),
    Function::same("acl.rt.create_stream"),
    Function::same("acl.rt.destroy_stream"),
    Function::same("acl.rt.destroy_stream_force"),
    Function::same("acl.rt.synchronize_stream"),
    Function::same("acl.rt.synchronize_stream_with_timeout"),
    Function::same("acl.rt.stream_query"),
    Function::same("acl.rt.set_stream_failure_mode"),
    Function::same("acl.rt.stream_abort"),
    Function::same("acl.rt.stream_get_id"),
    Function::same("acl.rt.get_stream_available_num"),
    Function::same("acl.rt.stream_wait_event"),
    Function::same("acl.rt.create_event"),
    Function::same("acl.rt.create_event_with_flag"),
    Function::same("acl.rt.destroy_event"),
    Function::same("acl.rt.record_event"),
    Function::same("acl.rt.reset_event"),
    Function::same("acl.rt.query_event"),
    Function::same("acl.rt.query_event_status"),
    Function::same("acl.rt.synchronize_event"),
    Function::same("acl.rt.synchronize_event_with_timeout"),
    Function::same("acl.rt.event_elapsed_time"),
    Function::same("acl.rt.event_get_timestamp"),
    Function::same("acl.rt.get_event_avail_num"),
    Function::same("acl.rt.subscribe_report"),
    Function::same("acl.rt.unsubscribe_report"),
    Function::same("acl.rt.launch_callback"),
    Function::same("acl.rt.process_report"),
    Function::differs(
        "acl.rt.get_run_mode",
        "always 1, host: there is no device operating system to run in",
    ),
    Function::differs("acl.rt.get_primary_ctx_state", "the flags are always 0"),
    Function::differs(
        "acl.rt.set_op_execute_time_out",
        "checked when an operator ends, for the engine cannot be stopped inside one",
    ),
    Function::differs(
        "acl.rt.peek_at_last_error",
        "level 1 tells the failure that stopped the context; in continue mode there is none to keep",
    ),
    Function::differs(
        "acl.rt.get_last_error",
        "level 1 does not clear the failure that stopped the context, for the context stays stopped",
    ),
    Function::differs(
        "acl.rt.malloc",
        "memory is zeroed and aligned to 64 bytes; policies are checked and make no difference on a CPU",
    ),
    Function::differs("acl.rt.malloc_align32", "as malloc"),
    Function::differs("acl.rt.malloc_cached", "as malloc"),
    Function::differs("acl.rt.malloc_host", "needs no context"),
    Function::differs(
        "acl.rt.free",
        "a foreign or freed address gives 107000 in place of the driver's code",
    ),
    Function::differs(
        "acl.rt.get_mem_info",
        "the memory of the machine, whatever the attribute",
    ),
    Function::differs(
        "acl.rt.create_stream_with_config",
        "flags of streams that hardware schedules give 207000; priorities make no difference",
    ),
    Function::differs(
        "acl.rt.set_stream_attribute",
        "failure mode and tag; the others give 207000",
    ),
    Function::differs(
        "acl.rt.get_stream_attribute",
        "failure mode and tag; the others give 207000",
    ),
    Function::differs(
        "acl.rt.create_event_ex_with_flag",
        "events that other processes see (0x40) stay in this one",
    ),
    Function::differs(
        "acl.rt.query_event_wait_status",
        "tells whether the event is reached, for those who wait go on at once",
    ),
    Function::differs(
        "acl.rt.get_event_id",
        "an id of the process, not of a hardware slot",
    ),
    Function::differs(
        "acl.rt.set_exception_info_callback",
        "a callback that raises is reported and stays registered",
    ),
    Function::differs(
        "acl.rt.get_task_id_from_exception_info",
        "what the callback gets is a handle, dead when it returns, not an address",
    ),
    Function::differs(
        "acl.rt.get_stream_id_from_exception_info",
        "what the callback gets is a handle, dead when it returns, not an address",
    ),
    Function::differs(
        "acl.rt.get_thread_id_from_exception_info",
        "what the callback gets is a handle, dead when it returns, not an address",
    ),
    Function::differs(
        "acl.rt.get_device_id_from_exception_info",
        "what the callback gets is a handle, dead when it returns, not an address",
    ),
    Function::differs(
        "acl.rt.get_error_code_from_exception_info",
        "what the callback gets is a handle, dead when it returns, not an address",
    ),
];
