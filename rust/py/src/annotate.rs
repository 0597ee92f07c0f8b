//! Ranges and marks of the user's own code: `annotate`, `mark` and the rest, on raw slots.

mod annotation;
mod arguments;
mod cache;
mod context;
mod done;
mod entry;
mod functions;
mod labels;

pub use entry::current_range_id;
pub use functions::{annotation_statistics, range_start, range_stop, record_step, register};
