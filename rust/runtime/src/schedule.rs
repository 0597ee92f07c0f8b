//! How a stream runs: the part of it that workers, completions and alarms call.

use std::sync::Arc;
use std::time::Duration;

use crate::codes::ErrorCode;
use crate::completion::{Completion, Promise};
use crate::error::{Error, Result};
use crate::os;
use crate::pool::Actor;
use crate::queue::Parked;
use crate::stream::{RUNNING, Stream};
use crate::task::{Progress, TaskContext};

/// How many tasks a worker runs before other streams get their turn.
const SHARE: usize = 32;

impl Actor for Stream {
    fn run(self: Arc<Self>) -> bool {
        (0..SHARE).all(|_| self.step())
    }
}

impl Stream {
    /// Runs one task; false when the stream needs no worker any more.
    fn step(self: &Arc<Self>) -> bool {
        let Some((task_number, entry)) = self.queue.lock().take() else {
            return false;
        };
        RUNNING.set(self.id());
        let context = TaskContext {
            stream: self,
            task_id: task_number as u32,
            thread_id: os::thread_id(),
        };
        let progress = entry.task.run(&context);
        RUNNING.set(0);
        match progress {
            Progress::Finished(result) => self.finish(result, entry.done),
            Progress::Waiting(completion, timeout) => {
                return self.wait_for(completion, timeout, task_number, entry.done);
            }
        }
        true
    }

    /// Leaves the current task to `completion`; true when that is done already and the next task may run.
    fn wait_for(
        self: &Arc<Self>,
        completion: Completion,
        timeout: Option<Duration>,
        task_number: u64,
        done: Option<Promise>,
    ) -> bool {
        if let Some(result) = completion.result() {
            self.finish(result, done);
            return true;
        }
        if let Err((error, parked)) = self.park(
            timeout,
            Parked {
                task_number,
                done,
                alarm: None,
            },
        ) {
            self.finish(Err(error), parked.done);
            return true;
        }
        let stream = Arc::downgrade(self);
        completion.on_done(move |result| {
            if let Some(stream) = stream.upgrade() {
                stream.resume(task_number, result.clone());
            }
        });
        false
    }

    fn park(
        self: &Arc<Self>,
        timeout: Option<Duration>,
        mut parked: Parked,
    ) -> std::result::Result<(), (Error, Parked)> {
        let mut queue = self.queue.lock();
        if let Some(timeout) = timeout {
            let (stream, task_number) = (Arc::downgrade(self), parked.task_number);
            let ring = move || {
                if let Some(stream) = stream.upgrade() {
                    stream.resume(task_number, Err(stream.waited_too_long(timeout)));
                }
            };
            match self.base.timer.after(timeout, ring) {
                Ok(alarm) => parked.alarm = Some(alarm),
                Err(refused) => {
                    let detail = format!("no timer thread can be started: {refused}");
                    return Err((Error::new(ErrorCode::ResourceAllocFail, detail), parked));
                }
            }
        }
        queue.park(parked)
    }

    fn waited_too_long(&self, timeout: Duration) -> Error {
        let detail = format!(
            "stream {} waited {} ms for an event that did not come; record it, or raise the wait timeout",
            self.id(),
            timeout.as_millis()
        );
        Error::new(ErrorCode::WaitTimeout, detail)
    }

    /// Ends the wait of the task with this number, unless it ended before, and goes on with the next task.
    fn resume(self: &Arc<Self>, task_number: u64, result: Result<()>) {
        let parked = self.queue.lock().unpark(task_number);
        if let Some(parked) = parked {
            self.end_wait(parked, result);
        }
    }

    /// Books the end of a wait.
    pub(crate) fn end_wait(self: &Arc<Self>, parked: Parked, result: Result<()>) {
        if let Some(alarm) = parked.alarm {
            self.base.timer.cancel(alarm);
        }
        self.finish(result, parked.done);
        self.give_back();
    }

    /// Leaves what is queued to a worker, after a task that ended on another thread.
    pub(crate) fn give_back(self: &Arc<Self>) {
        let has_more = self.queue.lock().has_more();
        if has_more && let Err(refused) = self.base.pool.schedule(self.clone()) {
            self.abort_with(&refused);
        }
    }

    /// Books the result of the current task and tells those who wait for it.
    pub(crate) fn finish(&self, result: Result<()>, done: Option<Promise>) {
        let due = self.queue.lock().settle(&result);
        if let Err(error) = &result {
            self.stop_context(error);
        }
        if let Some(Promise(done)) = &done {
            done.complete(result);
        }
        for marker in due {
            marker.complete(Ok(()));
        }
    }

    /// In stop mode takes the other streams of the context along.
    fn stop_context(&self, error: &Error) {
        if self.fault.stop(error)
            && let Ok(context) = self.context()
        {
            context.abort(error);
        }
    }
}
