//! Operators that wait for the end of their step.

use std::collections::VecDeque;

/// Most operators that wait.
const MOST: usize = 1 << 18;

/// An operator whose step has not been told yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) start_ns: u64,
    pub(crate) duration_ns: Option<u64>,
    pub(crate) device_id: u32,
}

/// Waiting operators, in the order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Pending(VecDeque<Waiting>);

impl Pending {
    /// Adds one; gives back the oldest if there are too many.
    pub(crate) fn push(&mut self, op: Waiting) -> Option<Waiting> {
        self.0.push_back(op);
        if self.0.len() > MOST {
            self.0.pop_front()
        } else {
            None
        }
    }

    /// Hands over those that `take` accepts; the others go on waiting.
    pub(crate) fn release(&mut self, mut take: impl FnMut(&Waiting) -> bool) {
        self.0.retain(|op| !take(op));
    }

    /// All that wait.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.0.iter()
    }
}
