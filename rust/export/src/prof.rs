//! `PROF_*` directories: raw profiling data that the `msprof` analysis parses.

mod anchor;
mod calls;
mod control;
mod device;
mod dictionary;
mod directory;
mod host;
mod layout;
mod settings;
mod slice;
mod storage;

pub use anchor::Anchor;
pub use directory::{ProfDir, Report};
pub use settings::Settings;
