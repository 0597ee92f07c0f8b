//! What leaves the line as a file: traces that common viewers open.
#![forbid(unsafe_code)]

mod chrome;
mod event;
mod head;
mod json;
mod moment;
mod origin;
mod perfetto;
mod prof;

pub use chrome::ChromeWriter;
pub use perfetto::PerfettoWriter;
pub use prof::{Anchor, ProfDir, Report, Settings};
