//! Callbacks that a stream hands to a thread which asks for them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::codes::ErrorCode;
use crate::completion::{Completion, Promise};
use crate::error::{Error, Result};
use crate::mailbox::{Callback, Mailbox};
use crate::pool::held;
use crate::stream::Stream;
use crate::task::Task;

/// How many threads can be subscribed.
const MOST_THREADS: usize = 1024;

/// Whether a stream waits for its callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// The stream goes on as soon as the callback is handed over.
    No = 0,
    /// The stream goes on when the callback has returned. No worker is held meanwhile.
    Yes = 1,
}

/// Which thread takes the callbacks of which stream. A thread is known by the number that it subscribes with.
///
/// ```
/// use std::sync::mpsc::channel;
/// use std::time::Duration;
/// use optap_runtime::{Blocking, Config, Reports, Runtime};
/// let runtime = Runtime::new(Config::default())?;
/// let stream = runtime.device(0)?.retain()?.create_stream()?;
/// let reports = Reports::default();
/// reports.subscribe(1, &stream)?;
/// let (sender, receiver) = channel();
/// reports.launch(&stream, Blocking::Yes, move || drop(sender.send("called")))?;
/// reports.process(1, Some(Duration::from_secs(10)))?;
/// assert_eq!(receiver.recv(), Ok("called"));
/// # Ok::<(), optap_runtime::Error>(())
/// ```
#[derive(Default)]
pub struct Reports {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    threads: HashMap<u64, Subscriber>,
    streams: HashMap<u32, u64>,
}

/// A subscribed thread: the device of its streams, how many they are, its mailbox.
struct Subscriber {
    device_id: u32,
    streams: usize,
    mailbox: Arc<Mailbox>,
}

impl Reports {
    /// Lets the thread take the callbacks of `stream`.
    ///
    /// # Errors
    /// 107011 when the stream is subscribed, 107012 when the thread serves another device, 207012 above 1024 threads.
    pub fn subscribe(&self, thread: u64, stream: &Stream) -> Result<()> {
        let mut state = self.state.lock();
        if state.streams.contains_key(&stream.id()) {
            let detail = format!(
                "stream {} is already subscribed; unsubscribe it first",
                stream.id()
            );
            return Err(Error::new(ErrorCode::StreamSubscribe, detail));
        }
        state.join(thread, stream.device_id())?;
        state.streams.insert(stream.id(), thread);
        Ok(())
    }

    /// Ends that. Callbacks of the stream that were not taken are dropped; with its last stream the thread goes too.
    ///
    /// # Errors
    /// 107011 when the stream is not subscribed, 107012 when it is by another thread.
    pub fn unsubscribe(&self, thread: u64, stream: &Stream) -> Result<()> {
        let mut state = self.state.lock();
        match state.streams.get(&stream.id()) {
            None => {
                let detail = format!("stream {} is not subscribed", stream.id());
                return Err(Error::new(ErrorCode::StreamSubscribe, detail));
            }
            Some(other) if *other != thread => {
                let detail = format!(
                    "stream {} is subscribed by thread {other}, not {thread}",
                    stream.id()
                );
                return Err(Error::new(ErrorCode::ThreadSubscribe, detail));
            }
            Some(_) => state.streams.remove(&stream.id()),
        };
        let dropped = state.leave(thread, stream.id());
        drop(state);
        drop(dropped);
        Ok(())
    }

    /// Queues a task on `stream` that hands `call` to the subscribed thread.
    ///
    /// # Errors
    /// 107015 when no thread is subscribed, and those of [`Stream::launch`].
    pub fn launch(
        &self,
        stream: &Arc<Stream>,
        block: Blocking,
        call: impl FnOnce() + Send + 'static,
    ) -> Result<()> {
        let mailbox = self.state.lock().mailbox_of(stream.id())?;
        let returned = Completion::new();
        let promise = Promise(returned.clone());
        let callback = Callback {
            call: Box::new(call),
            stream_id: stream.id(),
            returned: promise,
        };
        let start = move |_: &crate::TaskContext<'_>| {
            mailbox.put(callback);
            if block == Blocking::Yes {
                returned
            } else {
                Completion::done(Ok(()))
            }
        };
        stream.launch(Task::start(start)).map(drop)
    }

    /// Waits for callbacks to the thread and calls all that have arrived, on the calling thread.
    ///
    /// # Errors
    /// 107012 when the thread is not subscribed, 507012 when nothing arrives within `timeout`.
    pub fn process(&self, thread: u64, timeout: Option<Duration>) -> Result<()> {
        let mailbox = self
            .state
            .lock()
            .threads
            .get(&thread)
            .map(|subscriber| Arc::clone(&subscriber.mailbox));
        let mailbox = mailbox.ok_or_else(|| {
            let detail =
                format!("thread {thread} is not subscribed to any stream; subscribe it first");
            Error::new(ErrorCode::ThreadSubscribe, detail)
        })?;
        let callbacks = held(|| mailbox.take(timeout)).ok_or_else(|| {
            let waited_ms = timeout.unwrap_or_default().as_millis();
            Error::new(
                ErrorCode::ReportTimeout,
                format!("no callback arrived within {waited_ms} ms; ask again"),
            )
        })?;
        callbacks.into_iter().for_each(Callback::call);
        Ok(())
    }
}

impl State {
    fn mailbox_of(&self, stream_id: u32) -> Result<Arc<Mailbox>> {
        let subscriber = self
            .streams
            .get(&stream_id)
            .and_then(|thread| self.threads.get(thread));
        subscriber.map(|subscriber| Arc::clone(&subscriber.mailbox)).ok_or_else(|| {
            let detail = format!("no thread is subscribed to the callbacks of stream {stream_id}; subscribe one first");
            Error::new(ErrorCode::StreamNoCallback, detail)
        })
    }

    /// Counts one more stream of this device for a thread.
    fn join(&mut self, thread: u64, device_id: u32) -> Result<()> {
        if self.threads.len() >= MOST_THREADS && !self.threads.contains_key(&thread) {
            let detail = format!("{MOST_THREADS} threads are subscribed; unsubscribe one first");
            return Err(Error::new(ErrorCode::OverLimit, detail));
        }
        let subscriber = self
            .threads
            .entry(thread)
            .or_insert_with(|| Subscriber::new(device_id));
        if subscriber.device_id != device_id {
            let detail = format!(
                "thread {thread} serves device {}; use another thread",
                subscriber.device_id
            );
            return Err(Error::new(ErrorCode::ThreadSubscribe, detail));
        }
        subscriber.streams += 1;
        Ok(())
    }

    /// Takes a stream from a thread; gives the callbacks that are dropped with it.
    fn leave(&mut self, thread: u64, stream_id: u32) -> Vec<Callback> {
        let Some(subscriber) = self.threads.get_mut(&thread) else {
            return Vec::new();
        };
        subscriber.streams -= 1;
        let dropped = subscriber.mailbox.remove(stream_id);
        if subscriber.streams == 0 {
            self.threads.remove(&thread);
        }
        dropped
    }
}

impl Subscriber {
    fn new(device_id: u32) -> Self {
        Self {
            device_id,
            streams: 0,
            mailbox: Arc::default(),
        }
    }
}

impl fmt::Debug for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.lock();
        f.debug_struct("Reports")
            .field("threads", &state.threads.len())
            .field("streams", &state.streams.len())
            .finish()
    }
}
