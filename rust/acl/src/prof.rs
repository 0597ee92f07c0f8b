//! The module `acl.prof`: subscriptions, collections, steps, marks and ranges.

mod api;
mod by_file;
mod collect;
mod collection;
mod config;
mod feed;
mod folder;
mod functions;
mod iteration;
mod mode;
mod names;
mod options;
mod pipe;
mod read;
mod records;
mod setting;
mod stamp;
mod state;
mod step;
mod subscribe;
mod subscription;
pub mod switches;
mod trace;

pub use api::c_name;
pub(crate) use by_file::FileWish;
pub(crate) use collect::end_collections;
pub use collect::{create_config, destroy_config, finalize, init, set_config, start, stop};
pub use config::Config;
pub use feed::{Account, QUEUED_RECORDS};
pub(crate) use functions::FUNCTIONS;
pub use names::{Fetched, OpNames, Text, Texts, UNREAD_RECORDS};
pub use options::{Options, Statistics, configure, statistics};
pub use read::{
    get_model_id, get_op_desc_size, get_op_duration, get_op_end, get_op_num, get_op_start,
    get_op_text, get_op_text_len,
};
pub use records::RECORD_BYTES;
pub use stamp::{MARK_EX_BYTES, MESSAGE_BYTES, STAMPS, Stamp};
pub(crate) use state::State;
pub use step::Step;
pub use subscribe::{
    create_subscribe_config, destroy_subscribe_config, end_subscriptions, model_subscribe,
    model_unsubscribe,
};
pub use subscription::{SubscribeConfig, UNSUBSCRIBE_LIMIT, Wish};
pub use trace::{
    create_stamp, create_step_info, destroy_stamp, destroy_step_info, get_step_timestamp, mark,
    mark_ex, pop, push, range_start, range_stop, set_stamp_trace_message,
};
