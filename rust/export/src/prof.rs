//! `PROF_*` directories: raw profiling data that the `msprof` analysis parses.

mod anchor;
mod asked;
mod call;
mod calls;
mod control;
mod device;
mod dictionary;
mod directory;
mod host;
mod layout;
mod name;
mod records;
mod settings;
mod slice;
mod storage;

pub use anchor::Anchor;
pub use asked::{Asked, Level};
pub use call::ApiCall;
pub(crate) use calls::{Call, Calls, Run};
pub use directory::{NO_DEVICE, ProfDir, Report};
pub(crate) use name::calendar;
pub(crate) use records::{ENTRY_MAGIC, NAMES_FILE, RECORDS_FILE};
pub use settings::Settings;
