//! A queue of tasks that run one after the other.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use crate::base::Base;
use crate::capture::Recording;
use crate::codes::ErrorCode;
use crate::completion::{Completion, Promise, or_timeout};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::fault::{FailureMode, Fault};
use crate::queue::Queue;
use crate::task::{Entry, Task};
use crate::trail::Trail;

static NEXT_ID: AtomicU32 = AtomicU32::new(1);

thread_local! {
    /// The stream whose task runs on this thread; 0 is none.
    pub(crate) static RUNNING: Cell<u32> = const { Cell::new(0) };
}

/// Whether everything that was submitted has finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing is left to do.
    Complete = 0,
    /// Something is still queued or running.
    NotReady = 1,
}

/// A queue of tasks that run one after the other; different streams are unordered unless events join them.
///
/// A stream holds no thread: workers of the pool run it while it has something to run.
///
/// ```
/// use optap_runtime::{Config, Runtime, Task};
/// let runtime = Runtime::new(Config::default())?;
/// let context = runtime.device(0)?.retain()?;
/// let stream = context.create_stream()?;
/// let run = stream.submit(Task::work(|context| {
///     assert_eq!(context.task_id(), 0);
///     Ok(())
/// }))?;
/// stream.synchronize(None)?;
/// assert!(run.is_done());
/// stream.destroy()?;
/// # Ok::<(), optap_runtime::Error>(())
/// ```
pub struct Stream {
    id: u32,
    device_id: u32,
    context: Weak<Context>,
    pub(crate) base: Arc<Base>,
    pub(crate) fault: Arc<Fault>,
    pub(crate) queue: Mutex<Queue>,
    aborted: Completion,
    trail: Trail,
}

impl Stream {
    pub(crate) fn new(
        device_id: u32,
        context: Weak<Context>,
        base: Arc<Base>,
        fault: Arc<Fault>,
    ) -> Arc<Self> {
        Arc::new(Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            device_id,
            context,
            base,
            fault,
            queue: Mutex::default(),
            aborted: Completion::new(),
            trail: Trail::default(),
        })
    }

    /// The id, unique among the streams of this process.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The device that the stream belongs to.
    pub fn device_id(&self) -> u32 {
        self.device_id
    }

    /// The context that the stream belongs to; 107002 when it is gone.
    pub fn context(&self) -> Result<Arc<Context>> {
        self.context
            .upgrade()
            .ok_or_else(|| Error::from(ErrorCode::ContextNull))
    }

    /// Done, with the reason as its error, when the stream is aborted: for work that blocks and must be woken.
    pub fn aborted(&self) -> &Completion {
        &self.aborted
    }

    /// What an observer keeps with the stream; see [`Trail`] for who may write it.
    pub fn trail(&self) -> &Trail {
        &self.trail
    }

    /// Queues a task and returns at once with its number in the stream.
    ///
    /// # Errors
    /// 107017 after destroy or in a forked child, 107023 after an abort, and the failure of a context that stopped.
    pub fn launch(self: &Arc<Self>, task: Task) -> Result<u32> {
        self.enqueue(Entry { task, done: None })
    }

    /// As [`launch`](Self::launch), with a completion that gets the result of the task, or an error when it is dropped.
    pub fn submit(self: &Arc<Self>, task: Task) -> Result<Completion> {
        let done = Completion::new();
        self.enqueue(Entry {
            task,
            done: Some(Promise(done.clone())),
        })?;
        Ok(done)
    }

    /// Reaches a recording here and now where the stream is idle, for it is at that point already; queues it elsewhere.
    ///
    /// The caller takes the place of a worker meanwhile: a task that another thread submits waits until the stream is
    /// given back, so tasks still run one after the other, each ordered after the one before by the lock of the queue.
    pub(crate) fn record(self: &Arc<Self>, recording: Recording) -> Result<()> {
        self.check_usable()?;
        let mut queue = self.queue.lock();
        queue.check()?;
        if queue.claim() {
            drop(queue);
            self.finish(recording.reach(), None);
            self.give_back();
            return Ok(());
        }
        self.push(
            queue,
            Entry {
                task: Task::Record(recording),
                done: None,
            },
        )
        .map(drop)
    }

    fn enqueue(self: &Arc<Self>, entry: Entry) -> Result<u32> {
        self.check_usable()?;
        let queue = self.queue.lock();
        queue.check()?;
        self.push(queue, entry)
    }

    fn push(self: &Arc<Self>, mut queue: MutexGuard<'_, Queue>, entry: Entry) -> Result<u32> {
        let (number, rouse) = queue.push(entry);
        if rouse && let Err(refused) = self.base.pool.schedule(self.clone()) {
            let entry = queue.retract();
            drop(queue);
            drop(entry);
            return Err(refused);
        }
        Ok(number as u32)
    }

    /// Refuses in a forked child and in a context that stopped.
    pub(crate) fn check_usable(&self) -> Result<()> {
        self.base.pool.check_process()?;
        self.fault.check()
    }

    /// As `check_usable`, and refuses an aborted or destroyed stream.
    pub(crate) fn check_open(&self) -> Result<()> {
        self.check_usable()?;
        self.queue.lock().check()
    }

    /// Whether everything that was submitted has finished.
    pub fn query(&self) -> Result<Status> {
        self.check_usable()?;
        let queue = self.queue.lock();
        queue.check()?;
        Ok(if queue.is_drained() {
            Status::Complete
        } else {
            Status::NotReady
        })
    }

    /// Whether a task is queued or running, also after an abort.
    pub fn is_busy(&self) -> bool {
        !self.queue.lock().is_drained()
    }

    /// A completion that is done when everything submitted so far has finished, whether it failed or not; an error
    /// when the stream is aborted. The failure, if any, is for [`take_failure`](Self::take_failure).
    pub fn drained(&self) -> Result<Completion> {
        self.check_usable()?;
        let mut queue = self.queue.lock();
        queue.check()?;
        Ok(queue.marker())
    }

    /// Waits until everything submitted so far has finished, then returns and forgets the first failure since the
    /// last call. Without a timeout it waits for ever.
    ///
    /// # Errors
    /// 507046 when `timeout` ends first (the tasks go on, and the call may be repeated), 207000 inside a task of this
    /// stream, the failure of a task, and those of [`launch`](Self::launch).
    pub fn synchronize(&self, timeout: Option<Duration>) -> Result<()> {
        self.check_open()?;
        self.wait_for_all(timeout)
    }

    /// As [`synchronize`](Self::synchronize), also for a stream that was aborted or is being destroyed.
    pub(crate) fn wait_for_all(&self, timeout: Option<Duration>) -> Result<()> {
        self.check_usable()?;
        self.check_outside("synchronize")?;
        let drained = self.queue.lock().marker();
        let waited = drained.wait(timeout);
        self.fault.check()?;
        or_timeout(waited, || self.late(timeout))?;
        self.take_failure().map_or(Ok(()), Err)
    }

    fn late(&self, timeout: Option<Duration>) -> Error {
        let detail = format!(
            "stream {} did not finish within {} ms; its tasks go on, so wait again or abort it",
            self.id,
            timeout.unwrap_or_default().as_millis()
        );
        Error::new(ErrorCode::StreamSyncTimeout, detail)
    }

    /// Refuses a call that would wait for the task which makes it: 207000 inside a task of this stream.
    pub fn check_outside(&self, call: &str) -> Result<()> {
        if RUNNING.get() != self.id {
            return Ok(());
        }
        let detail = format!(
            "a task of stream {} cannot {call} it, for it would wait for itself; use another stream, or another thread",
            self.id
        );
        Err(Error::new(ErrorCode::FeatureNotSupport, detail))
    }

    /// Takes the first failure since the last call, if there is one.
    pub fn take_failure(&self) -> Option<Error> {
        self.queue.lock().take_failure()
    }

    /// How the context of this stream answers failures.
    pub fn failure_mode(&self) -> FailureMode {
        self.fault.mode()
    }

    /// Sets how the whole context of this stream answers failures. From stop back to continue gives 207000.
    pub fn set_failure_mode(&self, mode: FailureMode) -> Result<()> {
        self.fault.set_mode(mode)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("id", &self.id)
            .field("device_id", &self.device_id)
            .finish_non_exhaustive()
    }
}
