//! What leaves the line as a file: traces that common viewers open, and profiles that `msprof` parses.
#![forbid(unsafe_code)]

mod chrome;
mod csv;
mod database;
mod event;
mod head;
mod json;
mod moment;
mod msprof;
mod origin;
mod perfetto;
mod process;
mod prof;
mod read;
mod spelled;
mod tracks;

pub use chrome::ChromeWriter;
pub use csv::{ApiStatistic, CsvWriter, OpStatistic, Table};
pub use database::DatabaseWriter;
pub use msprof::MsprofTraceWriter;
pub use perfetto::PerfettoWriter;
pub use process::Process;
pub use prof::{Anchor, ApiCall, Asked, Level, NO_DEVICE, ProfDir, Report, Settings};
pub use read::{Damage, Profile, read, read_prof};
