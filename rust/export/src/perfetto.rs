//! Perfetto traces: the protobuf that the Perfetto UI and trace processor open.

mod event;
mod labels;
mod lanes;
mod launches;
mod proto;
mod tracks;
mod writer;

pub use writer::PerfettoWriter;
