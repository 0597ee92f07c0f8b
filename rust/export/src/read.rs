//! Reading profiles: raw data, databases, tables and traces, ours and those of others.

mod any;
pub(crate) mod builder;
mod calls;
mod clock;
mod control;
mod damage;
mod database;
mod device;
mod fields;
mod files;
mod host;
mod kept;
mod marks;
mod merge;
mod profile;
mod source;
mod table;
mod trace;
mod track;

pub use any::read;
pub use damage::Damage;
pub use profile::{Profile, read_prof};
