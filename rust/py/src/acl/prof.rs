//! The functions of `acl.prof`, but for those that are called for each record.

use optap_acl::prof::{self, Text};
use optap_runtime::Result;

use super::args::Numbers;
use super::functions::functions;
use super::getters::records;

fn text(address: u64, len_bytes: u64, index: u32, text: Text) -> Result<String> {
    let fetched = prof::get_op_text(records(address, len_bytes), index, text, None)?;
    Ok(String::from_utf8_lossy(fetched.as_bytes()).into_owned())
}

functions! { "acl.prof"
    /// Open the collection that is written below a folder.
    blocking_code init(path: &str) { prof::init(path) }

    /// End the collection and all that runs.
    blocking_code finalize() { prof::finalize() }

    /// What to collect on which devices; 0 on failure.
    value create_config(devices: Numbers<u32>, metrics: i32, events: u64, data_type_config: u64) {
        prof::create_config(&devices.0, metrics, events, data_type_config)
    }

    /// Forget a configuration.
    code destroy_config(config: u64) { prof::destroy_config(config) }

    /// Set one of the numbered settings.
    blocking_code set_config(kind: i32, value: &str) { prof::set_config(kind, value) }

    /// Start to collect.
    blocking_code start(config: u64) { prof::start(config) }

    /// Stop what runs on the devices of a configuration.
    blocking_code stop(config: u64) { prof::stop(config) }

    /// What to write where for a subscribed model; 0 on failure.
    value create_subscribe_config(time_info_switch: u8, aicore_metrics: i32, fd: i32) {
        prof::create_subscribe_config(time_info_switch, aicore_metrics, fd)
    }

    /// Forget a subscribe configuration.
    code destroy_subscribe_config(config: u64) { prof::destroy_subscribe_config(config) }

    /// Write a record of each operator of a model to the descriptor of a configuration.
    blocking_code model_subscribe(model_id: u32, config: u64) { prof::model_subscribe(model_id, config) }

    /// Write what is left, and close the descriptor.
    blocking_code model_unsubscribe(model_id: u32) { prof::model_unsubscribe(model_id) }

    /// Another name of `model_unsubscribe`.
    blocking_code model_un_subscribe(model_id: u32) { prof::model_unsubscribe(model_id) }

    /// The size of a record, in bytes.
    pair get_op_desc_size() { prof::get_op_desc_size() }

    /// The type of a record's operator, however long, given once.
    pair get_op_type_v2(data: u64, len: u64, index: u32) { text(data, len, index, Text::Type).map(Some) }

    /// The name of a record's operator, however long, given once.
    pair get_op_name_v2(data: u64, len: u64, index: u32) { text(data, len, index, Text::Name).map(Some) }

    /// The size of the type with its NUL, in bytes.
    pair get_op_type_len(data: u64, len: u64, index: u32) {
        prof::get_op_text_len(records(data, len), index, Text::Type)
    }

    /// The size of the name with its NUL, in bytes.
    pair get_op_name_len(data: u64, len: u64, index: u32) {
        prof::get_op_text_len(records(data, len), index, Text::Name)
    }

    /// A step whose bounds are to be told.
    value create_step_info() { Ok(prof::create_step_info()) }

    /// Forget a step.
    nothing destroy_step_info(step: u64) { prof::destroy_step_info(step) }

    /// Tell the start (tag 0) or the end of a step on a stream.
    code get_step_timestamp(step: u64, tag: i32, stream: u64) { prof::get_step_timestamp(step, tag, stream) }

    /// A stamp; 0 on failure.
    value create_stamp() { prof::create_stamp() }

    /// Forget a stamp.
    nothing destroy_stamp(stamp: u64) { prof::destroy_stamp(stamp) }

    /// Give a stamp a message.
    code set_stamp_trace_message(stamp: u64, message: &str, len: u32) {
        prof::set_stamp_trace_message(stamp, message, len)
    }

    /// Mark this moment.
    code mark(stamp: u64) { prof::mark(stamp) }

    /// Mark the moment when a stream comes to it.
    code mark_ex(message: &str, stream: u64) { prof::mark_ex(message, stream) }

    /// Begin a range on this thread.
    code push(stamp: u64) { prof::push(stamp) }

    /// End the range that this thread began last.
    code pop() { prof::pop() }

    /// Begin a range that any thread may end; gives its number.
    pair range_start(stamp: u64) { prof::range_start(stamp) }

    /// End a range.
    code range_stop(range_id: u32) { prof::range_stop(range_id) }
}
