//! Calls of a thread, found by an instant that they hold.

use std::collections::HashMap;

/// Calls that are looked at for one that holds an instant.
const DEPTH: usize = 64;

/// What a thread did from when to when, as the counter of the host tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// The name of an operator, or the id of a model.
    pub(crate) item: u64,
    /// The type of an operator, or the request of a model.
    pub(crate) detail: u64,
}

/// The calls of one level, by thread.
#[derive(Debug, Default)]
pub(crate) struct Calls(HashMap<u32, Vec<Call>>);

impl Calls {
    pub(crate) fn add(&mut self, thread_id: u32, call: Call) {
        self.0.entry(thread_id).or_default().push(call);
    }

    /// Must come before any search.
    pub(crate) fn sort(&mut self) {
        for calls in self.0.values_mut() {
            calls.sort_by_key(|call| (call.begin, std::cmp::Reverse(call.end)));
        }
    }

    /// The innermost call of the thread that began before `at`, and ended then or after.
    pub(crate) fn at(&mut self, thread_id: u32, at: u64) -> Option<&mut Call> {
        let calls = self.0.get_mut(&thread_id)?;
        let begun = calls.partition_point(|call| call.begin < at);
        let nearest = calls[..begun].iter_mut().rev().take(DEPTH);
        nearest.into_iter().find(|call| call.end >= at)
    }
}
