//! A model that runs on streams and is listened to: where engine, runtime and profiler meet.
#![forbid(unsafe_code)]

mod failure;
mod fault;
mod id;
mod model;
mod names;
mod observer;
mod registry;
mod run;
mod watch;

pub use failure::{FailedOp, RunFailure, code_of, error_of};
pub use fault::FaultKind;
pub use id::{fresh_model_id, fresh_run_id};
pub use model::Model;
pub use observer::RunHolder;
pub use run::{Run, RunOrders, RunState};
