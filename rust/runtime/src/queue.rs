//! The state of a stream: what is queued, what runs, what has failed. Free of locks and threads.

use std::collections::VecDeque;

use crate::codes::ErrorCode;
use crate::completion::{Completion, Promise};
use crate::error::{Error, Result};
use crate::task::Entry;
use crate::timer::Alarm;

/// Above this capacity an empty queue gives its memory back.
const KEPT_CAPACITY: usize = 64;

#[derive(Default)]
pub(crate) struct Queue {
    entries: VecDeque<Entry>,
    phase: Phase,
    submitted: u64,
    finished: u64,
    markers: VecDeque<(u64, Completion)>,
    failure: Option<Error>,
    abort: Option<Error>,
    closed: bool,
}

/// Who looks after the stream now.
#[derive(Default)]
enum Phase {
    /// Nobody: the next task must schedule it.
    #[default]
    Idle,
    /// The pool: it waits for a worker, or a worker runs it.
    Ready,
    /// The completion for which its current task waits.
    Parked(Parked),
}

/// The current task of a stream while it waits without a thread.
pub(crate) struct Parked {
    pub(crate) task_number: u64,
    pub(crate) done: Option<Promise>,
    pub(crate) alarm: Option<Alarm>,
}

/// What an abort takes out of a queue.
pub(crate) struct Remains {
    pub(crate) entries: VecDeque<Entry>,
    pub(crate) markers: VecDeque<(u64, Completion)>,
    pub(crate) parked: Option<Parked>,
}

impl Queue {
    /// Appends a task; gives its number, and whether the stream must be scheduled.
    pub(crate) fn push(&mut self, entry: Entry) -> (u64, bool) {
        self.entries.push_back(entry);
        self.submitted += 1;
        let rouse = matches!(self.phase, Phase::Idle);
        if rouse {
            self.phase = Phase::Ready;
        }
        (self.submitted - 1, rouse)
    }

    /// Counts a task that the caller runs itself; false when the stream is busy, and the task must be pushed. Whoever
    /// claims looks after the stream: `settle`, then `has_more`.
    pub(crate) fn claim(&mut self) -> bool {
        let is_idle = matches!(self.phase, Phase::Idle);
        if is_idle {
            self.phase = Phase::Ready;
            self.submitted += 1;
        }
        is_idle
    }

    /// Undoes the latest `push`, which roused the stream in vain.
    pub(crate) fn retract(&mut self) -> Option<Entry> {
        self.phase = Phase::Idle;
        self.submitted -= 1;
        self.entries.pop_back()
    }

    /// Refuses when the stream is destroyed or aborted.
    pub(crate) fn check(&self) -> Result<()> {
        if self.closed {
            return Err(Error::new(
                ErrorCode::InvalidHandle,
                "the stream is destroyed; create another one",
            ));
        }
        self.abort.clone().map_or(Ok(()), Err)
    }

    /// The next task and its number; without one the stream becomes idle.
    pub(crate) fn take(&mut self) -> Option<(u64, Entry)> {
        let Some(entry) = self.entries.pop_front() else {
            self.rest();
            return None;
        };
        Some((self.finished, entry))
    }

    /// After a wait: true when there is more to run, else the stream becomes idle.
    pub(crate) fn has_more(&mut self) -> bool {
        if self.entries.is_empty() {
            self.rest();
        }
        !self.entries.is_empty()
    }

    fn rest(&mut self) {
        self.phase = Phase::Idle;
        if self.entries.capacity() > KEPT_CAPACITY {
            self.entries = VecDeque::new();
        }
    }

    /// Books the end of the current task; gives the markers that are due.
    pub(crate) fn settle(&mut self, result: &Result<()>) -> Vec<Completion> {
        self.finished += 1;
        if let Err(error) = result {
            self.failure.get_or_insert_with(|| error.clone());
        }
        let mut due = Vec::new();
        while self
            .markers
            .front()
            .is_some_and(|(target, _)| *target <= self.finished)
        {
            due.extend(self.markers.pop_front().map(|(_, marker)| marker));
        }
        due
    }

    /// Leaves the current task waiting, unless the stream was aborted: then the promise comes back.
    pub(crate) fn park(&mut self, parked: Parked) -> std::result::Result<(), (Error, Parked)> {
        match self.abort.clone() {
            Some(error) => Err((error, parked)),
            None => {
                self.phase = Phase::Parked(parked);
                Ok(())
            }
        }
    }

    /// Takes the waiting task back if it is still the one with this number.
    pub(crate) fn unpark(&mut self, task_number: u64) -> Option<Parked> {
        match &self.phase {
            Phase::Parked(parked) if parked.task_number == task_number => self.unpark_any(),
            _ => None,
        }
    }

    fn unpark_any(&mut self) -> Option<Parked> {
        match std::mem::replace(&mut self.phase, Phase::Ready) {
            Phase::Parked(parked) => Some(parked),
            other => {
                self.phase = other;
                None
            }
        }
    }

    /// A completion that is done when everything submitted so far has finished.
    pub(crate) fn marker(&mut self) -> Completion {
        let marker = Completion::new();
        if self.is_drained() {
            marker.complete(Ok(()));
        } else {
            self.markers.push_back((self.submitted, marker.clone()));
        }
        marker
    }

    pub(crate) fn is_drained(&self) -> bool {
        self.finished == self.submitted
    }

    /// Takes the first failure since the last call.
    pub(crate) fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }

    /// Refuses every later task; false when it did already.
    pub(crate) fn close(&mut self) -> bool {
        !std::mem::replace(&mut self.closed, true)
    }

    /// Drops what is queued and keeps `error` as the answer to later calls; `None` when it was aborted before.
    pub(crate) fn abort(&mut self, error: &Error) -> Option<Remains> {
        if self.abort.is_some() {
            return None;
        }
        self.abort = Some(error.clone());
        let entries = std::mem::take(&mut self.entries);
        self.finished += entries.len() as u64;
        let markers = std::mem::take(&mut self.markers);
        Some(Remains {
            entries,
            markers,
            parked: self.unpark_any(),
        })
    }
}
