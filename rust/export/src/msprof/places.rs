//! Processes and threads of a trace, named before their first event.

use std::collections::HashSet;

use super::event::SEPARATOR;
use crate::json::Json;
use crate::process::Process;

/// Stands in place of a device in the processes of the host.
const HOST: u64 = 31;
/// The thread of a device that shows steps.
pub(crate) const STEPS: u32 = u32::MAX;

/// A process of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// The profiled process: its ranges and marks.
    App,
    /// The calls of its threads.
    Cann,
    /// A device: its streams.
    Device(u32),
}

/// What has its name already.
#[derive(Debug)]
pub(crate) struct Places {
    process: Process,
    latest: [Option<(Place, u32)>; 2],
    threads: HashSet<(Place, u32)>,
    processes: HashSet<Place>,
}

impl Places {
    pub(crate) fn new(process: Process) -> Self {
        Self {
            process,
            latest: [None; 2],
            threads: HashSet::new(),
            processes: HashSet::new(),
        }
    }

    /// The number of a process: its own, its rank among the others, and its device.
    pub(crate) fn pid(&self, place: Place) -> u64 {
        let (rank, device) = match place {
            Place::App => (6, HOST),
            Place::Cann => (7, HOST),
            Place::Device(id) => (14, u64::from(id) & 31),
        };
        u64::from(self.process.pid) << 10 | rank << 5 | device
    }

    /// Appends the names of a thread and its process, if they are new.
    #[inline]
    pub(crate) fn name(&mut self, place: Place, thread: u32, json: &mut Json) {
        let latest = &mut self.latest[usize::from(place == Place::Cann)];
        if *latest == Some((place, thread)) {
            return;
        }
        *latest = Some((place, thread));
        if self.processes.insert(place) {
            self.name_process(place, json);
        }
        if self.threads.insert((place, thread)) {
            let name = match (place, thread) {
                (Place::Device(_), STEPS) => format!("Step Trace(Model ID:{})", u32::MAX),
                (Place::Device(_), id) => format!("Stream {id}"),
                (_, id) => format!("Thread {id}"),
            };
            self.metadata("thread_name", place, thread, json);
            json.raw(b"{\"name\":");
            json.string(&name);
            json.raw(b"}}");
            json.raw(SEPARATOR);
            self.sort_index("thread_sort_index", place, thread, thread, json);
        }
    }

    fn name_process(&self, place: Place, json: &mut Json) {
        let (name, label, rank) = match place {
            Place::App => (self.process.name.as_str(), "CPU".to_owned(), 6),
            Place::Cann => ("CANN", "CPU".to_owned(), 7),
            Place::Device(id) => ("Ascend Hardware", format!("NPU {id}"), 14),
        };
        for (what, member, text) in [
            ("process_name", b"{\"name\":".as_slice(), name),
            ("process_labels", b"{\"labels\":", &label),
        ] {
            self.metadata(what, place, 0, json);
            json.raw(member);
            json.string(text);
            json.raw(b"}}");
            json.raw(SEPARATOR);
        }
        self.sort_index("process_sort_index", place, 0, rank, json);
    }

    fn sort_index(&self, what: &str, place: Place, thread: u32, value: u32, json: &mut Json) {
        self.metadata(what, place, thread, json);
        json.raw(b"{\"sort_index\":");
        json.integer(value);
        json.raw(b"}}");
        json.raw(SEPARATOR);
    }

    fn metadata(&self, what: &str, place: Place, thread: u32, json: &mut Json) {
        json.raw(b"{\"name\":");
        json.string(what);
        json.raw(b",\"pid\":");
        json.integer(self.pid(place));
        json.raw(b",\"tid\":");
        json.integer(thread);
        json.raw(b",\"ph\":\"M\",\"args\":");
    }
}
