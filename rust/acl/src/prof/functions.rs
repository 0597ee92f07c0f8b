//! The functions of `acl.prof`, and how far they go.

use crate::Function;

const FETCHED: &str =
    "Each text is given once, as pyACL does; `configure(strict=False)` keeps it readable.";
const UNSUBSCRIBE: &str = "A model that was unloaded first is still unsubscribed, and its descriptor closed; pyACL answers 100011 and leaves \
                           the reader waiting. With a full pipe the call returns and a thread goes on writing.";
const RANGE: &str = "Numbers are never used again, so that a second stop of a range answers -1.";
const STACK: &str = "Each thread has a stack of its own; pyACL's is one for the process.";

/// The functions of this module.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::same("acl.prof.init"),
    Function::differs(
        "acl.prof.finalize",
        "Ends everything that runs, and forgets every setting.",
    ),
    Function::same("acl.prof.create_config"),
    Function::differs("acl.prof.destroy_config", "May be called before the stop."),
    Function::same("acl.prof.set_config"),
    Function::same("acl.prof.start"),
    Function::same("acl.prof.stop"),
    Function::differs(
        "acl.prof.create_subscribe_config",
        "The descriptor is copied, so that earlier configurations stay valid.",
    ),
    Function::same("acl.prof.destroy_subscribe_config"),
    Function::same("acl.prof.model_subscribe"),
    Function::differs("acl.prof.model_unsubscribe", UNSUBSCRIBE),
    Function::differs("acl.prof.model_un_subscribe", UNSUBSCRIBE),
    Function::same("acl.prof.get_op_desc_size"),
    Function::same("acl.prof.get_op_num"),
    Function::differs(
        "acl.prof.get_model_id",
        "A failure gives 100000, as in pyACL's code; its manual says 0.",
    ),
    Function::differs("acl.prof.get_op_type", FETCHED),
    Function::differs("acl.prof.get_op_name", FETCHED),
    Function::differs("acl.prof.get_op_type_v2", FETCHED),
    Function::differs("acl.prof.get_op_name_v2", FETCHED),
    Function::same("acl.prof.get_op_type_len"),
    Function::same("acl.prof.get_op_name_len"),
    Function::differs(
        "acl.prof.get_op_start",
        "Nanoseconds, as in pyACL's code; the C manual says microseconds.",
    ),
    Function::differs(
        "acl.prof.get_op_end",
        "Nanoseconds, as in pyACL's code; the C manual says microseconds.",
    ),
    Function::differs(
        "acl.prof.get_op_duration",
        "Nanoseconds, as in pyACL's code; the C manual says microseconds.",
    ),
    Function::same("acl.prof.create_step_info"),
    Function::same("acl.prof.get_step_timestamp"),
    Function::same("acl.prof.destroy_step_info"),
    Function::differs(
        "acl.prof.create_stamp",
        "A stamp's number is never used again; `configure(stamps=…)` sets how many may live.",
    ),
    Function::same("acl.prof.destroy_stamp"),
    Function::same("acl.prof.set_stamp_trace_message"),
    Function::same("acl.prof.mark"),
    Function::same("acl.prof.mark_ex"),
    Function::differs("acl.prof.push", STACK),
    Function::differs("acl.prof.pop", STACK),
    Function::differs("acl.prof.range_start", RANGE),
    Function::differs("acl.prof.range_stop", RANGE),
];
