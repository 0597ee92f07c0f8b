//! A model that runs on streams and is listened to: where engine, runtime and profiler meet.
#![forbid(unsafe_code)]

mod failure;
mod id;
mod model;
mod names;
mod observer;
mod run;

pub use failure::code_of;
pub use id::{fresh_model_id, fresh_run_id};
pub use model::Model;
pub use observer::RunHolder;
pub use run::{Run, RunState};
