//! The module `acl.rt`: devices, contexts, memory, streams, events, callbacks.

mod context;
mod device;
mod errors;
mod event;
mod exception;
mod functions;
mod memory;
mod report;
mod state;
mod stream;

pub use context::{
    create_context, ctx_get_current_default_stream, destroy_context, get_context,
    get_primary_ctx_state, set_context,
};
pub(crate) use device::op_limit;
pub use device::{
    get_device, get_device_count, get_run_mode, reset_device, reset_device_force, set_device,
    set_op_execute_time_out, set_op_wait_timeout, synchronize_device,
    synchronize_device_with_timeout,
};
pub(crate) use errors::note;
pub use errors::{get_last_error, peek_at_last_error};
pub use event::{
    create_event, create_event_ex_with_flag, create_event_with_flag, destroy_event,
    event_elapsed_time, event_get_timestamp, get_event_avail_num, get_event_id, query_event,
    query_event_status, query_event_wait_status, record_event, reset_event, stream_wait_event,
    synchronize_event, synchronize_event_with_timeout,
};
pub use exception::{ExceptionInfo, Field, exception_field, set_exception_info_callback};
pub(crate) use exception::{is_watched, raise};
pub(crate) use functions::FUNCTIONS;
pub use memory::{
    Pitched, Span, free, free_host, get_mem_info, malloc, malloc_host, memcpy, memcpy_2d,
    memcpy_2d_async, memcpy_async, memset, memset_async,
};
pub use report::{launch_callback, process_report, subscribe_report, unsubscribe_report};
pub(crate) use state::State;
pub(crate) use stream::stream;
pub use stream::{
    create_stream, create_stream_with_config, destroy_stream, destroy_stream_force,
    get_stream_attribute, get_stream_available_num, set_stream_attribute, set_stream_failure_mode,
    stream_abort, stream_get_id, stream_query, synchronize_stream, synchronize_stream_with_timeout,
};
