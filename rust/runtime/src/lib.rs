//! Devices, contexts, streams and events on the CPU: the runtime model of CANN, run by a small pool of workers.
//!
//! A [`Stream`] is a queue of [`Task`]s that run in order; an [`Event`] is a point on a stream that other streams and
//! the host wait for; a [`Context`] groups streams and decides what a failure does to them; a [`Device`] counts its
//! users. Whatever ends later is told by a [`Completion`], and many of these by one [`Port`]. Thousands of streams
//! share a few threads: a stream that waits holds none.
//!
//! Times are nanoseconds on the monotonic clock. Every failure is an [`Error`] with a code of the one table,
//! [`ErrorCode`].
#![deny(unsafe_code)]

mod base;
mod capture;
mod codes;
mod completion;
mod config;
pub mod context;
mod device;
mod ending;
mod error;
mod event;
mod event_kind;
mod fault;
mod mailbox;
mod memory;
mod os;
mod pool;
mod port;
mod queue;
mod quota;
mod report;
mod runtime;
mod schedule;
mod stream;
mod task;
mod timeout;
mod timer;
mod trail;
mod worker;

pub use capture::{Capture, Recording};
pub use codes::ErrorCode;
pub use completion::Completion;
pub use config::Config;
pub use context::Context;
pub use device::Device;
pub use error::{Error, Result};
pub use event::Event;
pub use event_kind::{EventFlags, EventKind};
pub use fault::FailureMode;
pub use memory::{CopyKind, DeviceBuffer, Memory, MemoryInfo, Place};
pub use os::{block_signals, fork_generation, monotonic_ns, thread_id};
pub use pool::held;
pub use port::{Notify, Port};
pub use report::{Blocking, Reports};
pub use runtime::Runtime;
pub use stream::{Status, Stream};
pub use task::{Start, Task, TaskContext, Work};
pub use timeout::timeout_from_ms;
pub use trail::Trail;
