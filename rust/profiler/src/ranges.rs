//! Ranges that are ended by their id, by any thread.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use optap_record::Payload;
use parking_lot::Mutex;

use crate::annotation::OpenRange;
use crate::label::Label;
use crate::profiler::Profiler;

/// The ranges that [`Profiler::start_range`] began.
#[derive(Default)]
pub(crate) struct Ranges {
    open: Mutex<HashMap<u32, (OpenRange, Arc<Label>)>>,
    unknown_stops: AtomicU64,
}

impl Profiler {
    /// Begins a range inside of the range `parent_id` (0 for none); returns the id that ends it.
    ///
    /// ```
    /// use optap_profiler::Profiler;
    /// use optap_record::Payload;
    /// let profiler = Profiler::global();
    /// let label = profiler.label(b"request", b"", b"")?;
    /// let id = profiler.start_range(label, 0, Payload::None);
    /// assert!(std::thread::spawn(move || profiler.stop_range(id)).join().unwrap());
    /// assert!(!profiler.stop_range(id));
    /// # Ok::<(), optap_record::NameTableFull>(())
    /// ```
    pub fn start_range(&self, label: Arc<Label>, parent_id: u32, payload: Payload) -> u32 {
        let range = OpenRange::begin(&label, parent_id, payload);
        self.ranges().open.lock().insert(range.id(), (range, label));
        range.id()
    }

    /// Ends the range with this id; `false`, and counted, where no such range is open.
    pub fn stop_range(&self, range_id: u32) -> bool {
        let ranges = self.ranges();
        let Some((range, label)) = ranges.open.lock().remove(&range_id) else {
            ranges.unknown_stops.fetch_add(1, Ordering::Relaxed);
            return false;
        };
        range.end(&label);
        true
    }

    /// Calls of [`stop_range`](Self::stop_range) for a range that was not open.
    pub fn unknown_stops(&self) -> u64 {
        self.ranges().unknown_stops.load(Ordering::Relaxed)
    }
}
