//! How a stream ends: aborted, destroyed, or both.

use std::sync::Arc;

use crate::codes::ErrorCode;
use crate::completion::Completion;
use crate::error::{Error, Result};
use crate::queue::Remains;
use crate::stream::Stream;

impl Stream {
    /// Drops what is queued, asks the running task to return early, and wakes everybody who waits with 107023, which
    /// is also the answer to later tasks. Does not wait for the running task. A second abort changes nothing.
    pub fn abort(self: &Arc<Self>) {
        let detail = format!("stream {} was aborted; create another one", self.id());
        self.abort_with(&Error::new(ErrorCode::StreamAbort, detail));
    }

    /// Drops what is queued and answers everything from now on with `error`.
    pub(crate) fn abort_with(self: &Arc<Self>, error: &Error) {
        let remains = self.queue.lock().abort(error);
        let Some(Remains {
            entries,
            markers,
            parked,
        }) = remains
        else {
            return;
        };
        self.aborted().complete(Err(error.clone()));
        for entry in entries {
            entry.cancel(error);
        }
        for (_, marker) in markers {
            marker.complete(Err(error.clone()));
        }
        if let Some(parked) = parked {
            self.end_wait(parked, Err(error.clone()));
        }
    }

    /// True once the stream was aborted. One load, made for loops.
    pub fn is_aborted(&self) -> bool {
        self.aborted().is_done()
    }

    /// Waits for the queued tasks, then takes the stream out of its context. Later tasks get 107017.
    ///
    /// # Errors
    /// 107017 the second time, 107000 for the default stream of a context, 207000 inside a task of this stream.
    pub fn destroy(&self) -> Result<()> {
        self.check_destroyable()?;
        self.end()
    }

    /// As [`destroy`](Self::destroy), but drops the queued tasks and waits for the running one only.
    pub fn destroy_force(self: &Arc<Self>) -> Result<()> {
        self.check_destroyable()?;
        self.abort();
        self.end()
    }

    fn check_destroyable(&self) -> Result<()> {
        self.base.pool.check_process()?;
        self.check_outside("destroy")?;
        let is_default = self
            .context()
            .is_ok_and(|context| context.default_stream().id() == self.id());
        if is_default {
            let detail = format!(
                "stream {} is the default stream of its context and ends with it",
                self.id()
            );
            return Err(Error::new(ErrorCode::ParamInvalid, detail));
        }
        Ok(())
    }

    /// Refuses further tasks, waits for those that are left, and leaves the context.
    pub(crate) fn end(&self) -> Result<()> {
        if !self.queue.lock().close() {
            let detail = format!("stream {} is already destroyed", self.id());
            return Err(Error::new(ErrorCode::InvalidHandle, detail));
        }
        if self.close().wait(None) != Some(Ok(())) {
            // Aborted meanwhile: what is left is the task that runs.
            self.close().wait(None);
        }
        if let Ok(context) = self.context() {
            context.forget_stream(self.id());
        }
        Ok(())
    }

    /// Refuses further tasks; the completion is done when those that are left have finished.
    pub(crate) fn close(&self) -> Completion {
        let mut queue = self.queue.lock();
        queue.close();
        queue.marker()
    }
}
