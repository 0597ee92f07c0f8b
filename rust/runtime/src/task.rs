//! One unit of work on a stream.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::capture::{Capture, Recording};
use crate::codes::ErrorCode;
use crate::completion::{Completion, Promise};
use crate::error::{Error, Result};
use crate::stream::Stream;

/// A closure that does the work of a task; an error or a panic becomes the failure of the stream.
pub type Work = Box<dyn FnOnce(&TaskContext<'_>) -> Result<()> + Send>;

/// A closure that starts work which ends elsewhere, and says where its end will be known.
pub type Start = Box<dyn FnOnce(&TaskContext<'_>) -> Completion + Send>;

/// One unit of work on a stream.
pub enum Task {
    /// Runs a closure.
    Work(Work),
    /// Starts work and waits for its completion, without holding a thread meanwhile.
    Start(Start),
    /// Marks the point that an event stands for. Made by [`Event::record`](crate::Event::record).
    Record(Recording),
    /// Waits for the point that an event stood for at submission. Made by [`Stream::wait_event`].
    Wait {
        /// The point.
        capture: Arc<Capture>,
        /// How long to wait before the task fails; `None` is for ever.
        timeout: Option<Duration>,
    },
    /// Returns an event to the unrecorded state. Made by [`Event::reset`](crate::Event::reset).
    Reset(Arc<Capture>),
}

impl Task {
    /// A task that runs `work`.
    pub fn work(work: impl FnOnce(&TaskContext<'_>) -> Result<()> + Send + 'static) -> Self {
        Self::Work(Box::new(work))
    }

    /// A task that runs `start` and lasts until the completion that it returns is done.
    pub fn start(start: impl FnOnce(&TaskContext<'_>) -> Completion + Send + 'static) -> Self {
        Self::Start(Box::new(start))
    }

    /// Runs the task as far as it can go on this thread.
    pub(crate) fn run(self, context: &TaskContext<'_>) -> Progress {
        match self {
            Self::Work(work) => {
                Progress::Finished(contain(|| work(context)).and_then(|result| result))
            }
            Self::Start(start) => match contain(|| start(context)) {
                Ok(completion) => Progress::Waiting(completion, None),
                Err(error) => Progress::Finished(Err(error)),
            },
            Self::Record(recording) => Progress::Finished(recording.reach()),
            Self::Wait { capture, timeout } => {
                Progress::Waiting(capture.completion().clone(), timeout)
            }
            Self::Reset(capture) => Progress::Finished(capture.clear()),
        }
    }
}

/// How far a task has come.
pub(crate) enum Progress {
    Finished(Result<()>),
    Waiting(Completion, Option<Duration>),
}

/// A task in the queue of a stream, with whoever waits for it.
pub(crate) struct Entry {
    pub(crate) task: Task,
    pub(crate) done: Option<Promise>,
}

impl Entry {
    /// Tells those who wait that the task will not run.
    pub(crate) fn cancel(self, error: &Error) {
        if let Task::Record(recording) = &self.task {
            recording.fail(error.clone());
        }
        if let Some(Promise(done)) = &self.done {
            done.complete(Err(error.clone()));
        }
    }
}

/// What a task is told about the place where it runs.
#[derive(Debug)]
pub struct TaskContext<'a> {
    pub(crate) stream: &'a Arc<Stream>,
    pub(crate) task_id: u32,
    pub(crate) thread_id: u32,
}

impl TaskContext<'_> {
    /// The stream that runs the task.
    pub fn stream(&self) -> &Arc<Stream> {
        self.stream
    }

    /// The device that runs the task.
    pub fn device_id(&self) -> u32 {
        self.stream.device_id()
    }

    /// The number of the task in its stream, counted from 0.
    pub fn task_id(&self) -> u32 {
        self.task_id
    }

    /// The operating system's id of the thread that runs the task.
    pub fn thread_id(&self) -> u32 {
        self.thread_id
    }

    /// True once the stream was aborted: long work should look now and then, and return early.
    pub fn is_aborted(&self) -> bool {
        self.stream.is_aborted()
    }
}

/// Turns a panic into the error of the task.
fn contain<T>(work: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let detail = format!("the task panicked: {}", panic_text(panic.as_ref()));
        Error::new(ErrorCode::AicpuException, detail)
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Work(_) => "Work",
            Self::Start(_) => "Start",
            Self::Record(_) => "Record",
            Self::Wait { .. } => "Wait",
            Self::Reset(_) => "Reset",
        })
    }
}
