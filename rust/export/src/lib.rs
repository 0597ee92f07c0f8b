//! What leaves the line as a file: traces that common viewers open.
#![forbid(unsafe_code)]

mod chrome;
mod event;
mod head;
mod json;
mod moment;
mod origin;

pub use chrome::ChromeWriter;
