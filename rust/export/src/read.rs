//! Reading raw profiling data: `PROF_*` directories, ours and those of a processor.

mod calls;
mod clock;
mod control;
mod damage;
mod device;
mod fields;
mod files;
mod host;
mod kept;
mod marks;
mod profile;
mod track;

pub use damage::Damage;
pub use profile::{Profile, read_prof};
