//! Chrome traces in the layout of `msprof`, which MindStudio Insight opens.

mod event;
mod places;
mod writer;

pub use writer::MsprofTraceWriter;
