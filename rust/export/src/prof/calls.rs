//! Which call of which thread executed an operator, and within which run of a model.

use std::collections::HashMap;

use optap_record::OpRecord;

/// A call that follows another at a distance of less than this counts as its neighbour, ns.
const NEIGHBOUR_NS: u64 = 1_000;

/// When a thread executed one operator. Holds an instant that no other call of the thread holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
}

/// What of a run happened on one stream and thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) run_id: u64,
    pub(crate) model_id: u32,
    pub(crate) device_id: u32,
    pub(crate) thread_id: u32,
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
}

/// The latest call and run of each stream and thread.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    places: HashMap<[u32; 3], (Call, Run)>,
}

impl Calls {
    /// Adds an operator: gives its call, and the run that ended before it, if it begins another.
    ///
    /// The analysis finds the operator of a task by an instant within its call. So a call lasts at
    /// least 2 ns, and begins late by as much as its neighbour before took.
    pub(crate) fn add(&mut self, record: &OpRecord) -> (Call, Option<Run>) {
        let place = [record.device_id, record.stream_id, record.thread_id];
        let Some((last, run)) = self.places.get_mut(&place) else {
            let call = call(record.start_ns, record.end_ns);
            self.places.insert(place, (call, begin(record, call)));
            return (call, None);
        };
        let late_ns = last.end_ns.saturating_sub(record.start_ns);
        let is_neighbour = late_ns < NEIGHBOUR_NS;
        let begin_ns = record.start_ns + if is_neighbour { late_ns } else { 0 };
        *last = call(begin_ns, record.end_ns);
        if (run.run_id, run.model_id) != (record.run_id, record.model_id) {
            let ended = std::mem::replace(run, begin(record, *last));
            return (*last, Some(ended));
        }
        run.begin_ns = run.begin_ns.min(last.begin_ns);
        run.end_ns = run.end_ns.max(last.end_ns);
        (*last, None)
    }

    /// Ends all runs.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Run> {
        std::mem::take(&mut self.places)
            .into_values()
            .map(|(_, run)| run)
    }
}

impl Call {
    /// An instant within, after the beginning and before the end.
    pub(crate) fn middle_ns(self) -> u64 {
        self.begin_ns.midpoint(self.end_ns)
    }
}

fn call(begin_ns: u64, end_ns: u64) -> Call {
    let end_ns = end_ns.max(begin_ns.saturating_add(2));
    Call { begin_ns, end_ns }
}

fn begin(record: &OpRecord, call: Call) -> Run {
    Run {
        run_id: record.run_id,
        model_id: record.model_id,
        device_id: record.device_id,
        thread_id: record.thread_id,
        begin_ns: call.begin_ns,
        end_ns: call.end_ns,
    }
}
