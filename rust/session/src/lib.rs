//! Profiles on disk: a session leaves one `PROF_*` directory for each of its rounds.
//!
//! A [`Session`] starts and stops [`Round`]s. Each has a thread that takes what its subscription hears, writes it
//! through [`ProfDir`](optap_export::ProfDir) and hands it to the files once a second at least. The threads of
//! the program that is profiled write nothing and wait for nothing.
#![deny(unsafe_code)]

mod calls;
mod command;
mod doors;
mod failure;
mod partial;
mod process;
mod report;
mod round;
mod session;
mod wish;
mod writer;

pub use calls::{is_timing, timed};
pub use failure::Failure;
pub use process::finish_all;
pub use report::Report;
pub use round::Round;
pub use session::Session;
pub use wish::{METRICS, Wish};

pub use optap_export::{Asked, Level};
