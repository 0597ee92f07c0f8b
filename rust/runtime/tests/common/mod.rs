//! What the tests of this crate share.
#![allow(dead_code, missing_docs)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use optap_runtime::{Completion, Config, Context, ErrorCode, Runtime, Stream, Task};

/// After this a test counts as hung.
pub const GUARD: Option<Duration> = Some(Duration::from_secs(30));

/// A time-out that must end first.
pub const SHORT: Option<Duration> = Some(Duration::from_millis(20));

pub fn runtime(workers: u32) -> Arc<Runtime> {
    Runtime::new(Config {
        workers,
        ..Config::default()
    })
    .unwrap()
}

pub fn context(runtime: &Runtime) -> Arc<Context> {
    runtime.device(0).unwrap().retain().unwrap()
}

pub fn code<T: std::fmt::Debug>(result: optap_runtime::Result<T>) -> ErrorCode {
    result.unwrap_err().code()
}

/// A task that fails with `code`.
pub fn failing(code: ErrorCode) -> Task {
    Task::work(move |_| Err(code.into()))
}

/// A task that adds one.
pub fn counting(count: &Arc<AtomicUsize>) -> Task {
    let count = Arc::clone(count);
    Task::work(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(())
    })
}

/// Occupies `stream` until the completion is completed, without holding a worker.
pub fn gate(stream: &Arc<Stream>) -> Completion {
    let open = Completion::new();
    let gate = open.clone();
    stream.launch(Task::start(move |_| gate)).unwrap();
    open
}

/// Occupies `stream` and a worker until the sender is dropped; the receiver tells that the task runs.
pub fn busy(stream: &Arc<Stream>) -> (Sender<()>, Receiver<()>) {
    let (release, released) = channel::<()>();
    let (started, running) = channel();
    let work = move |_: &optap_runtime::TaskContext<'_>| {
        let _ = started.send(());
        let _ = released.recv();
        Ok(())
    };
    stream.launch(Task::work(work)).unwrap();
    (release, running)
}
