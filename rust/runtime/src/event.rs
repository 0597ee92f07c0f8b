//! Points on streams that others wait for.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::capture::{Capture, Recording};
use crate::codes::ErrorCode;
use crate::completion::{Completion, or_timeout};
use crate::error::{Error, Result};
use crate::event_kind::{EventKind, Unrecorded};
use crate::fault::Fault;
use crate::quota::Lease;
use crate::stream::{Status, Stream};
use crate::task::Task;

/// A point on a stream: record it on one, wait for it on others or on the host, measure between two of them.
///
/// Recording again overwrites the point; waits that were submitted keep the earlier one. An event may be dropped
/// while it is pending.
///
/// ```
/// use optap_runtime::{Config, EventKind, Runtime};
/// let runtime = Runtime::new(Config::default())?;
/// let context = runtime.device(0)?.retain()?;
/// let (first, second) = (context.create_stream()?, context.create_stream()?);
/// let event = context.create_event(EventKind::Default)?;
/// event.record(&first)?;
/// second.wait_event(&event)?;
/// second.synchronize(None)?;
/// assert!(event.timestamp_ns()? > 0);
/// # Ok::<(), optap_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct Event {
    kind: EventKind,
    fault: Arc<Fault>,
    state: Mutex<State>,
    _lease: Lease,
}

#[derive(Debug, Default)]
struct State {
    /// The latest recording.
    capture: Option<Arc<Capture>>,
    /// A reset was submitted after that recording.
    reset: bool,
    /// The next recording, when somebody waits for it already.
    next: Option<Arc<Capture>>,
}

impl Event {
    pub(crate) fn new(kind: EventKind, fault: Arc<Fault>, lease: Lease) -> Self {
        Self {
            kind,
            fault,
            state: Mutex::default(),
            _lease: lease,
        }
    }

    /// How the event was created.
    pub fn kind(&self) -> EventKind {
        self.kind
    }

    /// Records the point that `stream` reaches after what was submitted to it so far: an idle one at once, on the calling
    /// thread. Errors as [`Stream::launch`].
    pub fn record(&self, stream: &Arc<Stream>) -> Result<()> {
        stream.check_open()?;
        let mut state = self.state.lock();
        let capture = state.next.take().unwrap_or_default();
        let recording = Recording::new(&capture);
        *state = State {
            capture: Some(capture),
            reset: false,
            next: None,
        };
        drop(state);
        stream.record(recording)
    }

    /// Returns the event to the unrecorded state when `stream` gets there. Waits that are submitted from now on wait
    /// for the next recording. 107000 when the event cannot be waited for.
    pub fn reset(&self, stream: &Arc<Stream>) -> Result<()> {
        if !self.kind.waits() {
            return Err(self.kind.refuse(ErrorCode::ParamInvalid, "be reset"));
        }
        let mut state = self.state.lock();
        if let Some(capture) = state.capture.clone() {
            stream.launch(Task::Reset(capture))?;
            state.reset = true;
        }
        Ok(())
    }

    fn recording(&self) -> Option<Arc<Capture>> {
        self.state
            .lock()
            .capture
            .clone()
            .filter(|capture| !capture.is_cleared())
    }

    /// Whether a point is recorded.
    pub fn is_recorded(&self) -> bool {
        self.recording().is_some()
    }

    /// Whether the point is reached; complete when nothing is recorded.
    pub fn query(&self) -> Result<Status> {
        self.fault.check()?;
        Ok(status(
            self.recording()
                .is_none_or(|capture| capture.completion().is_done()),
        ))
    }

    /// Whether a recording is complete: without one, an old event is not ready and an extended one is complete.
    pub fn query_recorded(&self) -> Result<Status> {
        self.fault.check()?;
        let unrecorded = self.kind.is_extended();
        Ok(status(self.recording().map_or(unrecorded, |capture| {
            capture.completion().is_done()
        })))
    }

    /// Done when the latest recording is reached; done at once when nothing is recorded.
    pub fn completion(&self) -> Completion {
        self.recording().map_or_else(
            || Completion::done(Ok(())),
            |capture| capture.completion().clone(),
        )
    }

    /// Waits for the latest recording; returns at once when nothing is recorded. Without a timeout it waits for ever.
    ///
    /// # Errors
    /// 507047 when `timeout` ends first; the failure of a context that stopped; 107023 when the recording was dropped.
    pub fn synchronize(&self, timeout: Option<Duration>) -> Result<()> {
        let waited = self.completion().wait(timeout);
        self.fault.check()?;
        or_timeout(waited, || {
            let waited_ms = timeout.unwrap_or_default().as_millis();
            let detail = format!(
                "the event was not reached within {waited_ms} ms; wait again, or look at its stream"
            );
            Error::new(ErrorCode::EventSyncTimeout, detail)
        })
    }

    /// When the point was reached, in ns on the monotonic clock.
    ///
    /// # Errors
    /// 507000 when nothing is recorded, 107006 when it is not reached yet or the event was created without time line.
    pub fn timestamp_ns(&self) -> Result<u64> {
        self.fault.check()?;
        let Some(capture) = self.recording() else {
            return Err(Error::new(
                ErrorCode::InternalError,
                "the event is not recorded; record it on a stream first",
            ));
        };
        if !self.kind.times() {
            return Err(self
                .kind
                .refuse(ErrorCode::EventTimestampInvalid, "tell times"));
        }
        let pending = || {
            Error::new(
                ErrorCode::EventTimestampInvalid,
                "the event is not reached yet; synchronize first",
            )
        };
        capture.timestamp_ns().ok_or_else(pending)
    }

    /// The time from `start` to `end` in ns; negative when `end` was reached first. Errors as [`timestamp_ns`](Self::timestamp_ns).
    pub fn elapsed_ns(start: &Self, end: &Self) -> Result<i64> {
        let (start_ns, end_ns) = (start.timestamp_ns()?, end.timestamp_ns()?);
        Ok(end_ns.wrapping_sub(start_ns).cast_signed())
    }

    /// The point that a wait submitted now is for; `None` when there is nothing to wait for.
    fn awaited(&self) -> Result<Option<Arc<Capture>>> {
        if !self.kind.waits() {
            return Err(self
                .kind
                .refuse(ErrorCode::FeatureNotSupport, "be waited for by a stream"));
        }
        let mut state = self.state.lock();
        if let (Some(capture), false) = (&state.capture, state.reset) {
            return Ok(Some(Arc::clone(capture)));
        }
        match self.kind.unrecorded() {
            Unrecorded::Pass => Ok(None),
            Unrecorded::Wait => Ok(Some(Arc::clone(state.next.get_or_insert_default()))),
            Unrecorded::Refuse if state.reset => {
                Ok(Some(Arc::clone(state.next.get_or_insert_default())))
            }
            Unrecorded::Refuse => {
                let detail =
                    "the event is not recorded, so the wait would never end; record it first";
                Err(Error::new(ErrorCode::ParamInvalid, detail))
            }
        }
    }
}

impl Stream {
    /// Queues a wait for the latest recording of `event`. It holds no thread while it waits, and fails with 107019
    /// after the runtime's wait timeout.
    ///
    /// # Errors
    /// 107000 when an old event is not recorded, 207000 when it cannot be waited for, and those of [`launch`](Self::launch).
    pub fn wait_event(self: &Arc<Self>, event: &Event) -> Result<()> {
        self.check_usable()?;
        let Some(capture) = event.awaited()? else {
            return Ok(());
        };
        self.launch(Task::Wait {
            capture,
            timeout: self.base.wait_timeout(),
        })
        .map(drop)
    }
}

fn status(complete: bool) -> Status {
    if complete {
        Status::Complete
    } else {
        Status::NotReady
    }
}
