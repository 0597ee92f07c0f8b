//! Ranges, marks and steps of the user's own code, from any thread into that thread's ring.
//!
//! They belong to the process and to no target. None is lost in a ring: a thread that finds its own full drains the
//! line first.

use std::cell::Cell;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use optap_record::{Flags, Kind, NO_DEVICE, OpRecord, Payload};

use crate::clock;
use crate::kinds::Kinds;
use crate::label::Label;
use crate::thread_ring::{ThreadRing, fresh_range_id};

/// The kinds that somebody listens to in this process.
static LISTENED: AtomicU32 = AtomicU32::new(0);

/// Tells which kinds somebody listens to.
pub(crate) fn listen(kinds: Kinds) {
    LISTENED.store(kinds.bits(), Relaxed);
}

/// Whether somebody listens to records of `kind`: one relaxed load.
///
/// For ops it says only that some model is listened to; its [`Tap`](crate::Tap) knows which.
#[inline]
pub fn is_recording(kind: Kind) -> bool {
    LISTENED.load(Relaxed) & Kinds::of(kind).bits() != 0
}

/// When a range, mark or step began and ended.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    start: u64,
    end: u64,
    flags: Flags,
}

impl Times {
    /// From a reading of [`clock::ticks`] to now.
    #[inline]
    pub fn since(start_ticks: u64) -> Self {
        Self {
            start: start_ticks,
            end: clock::ticks(),
            flags: Flags::TICKS,
        }
    }

    /// This moment.
    #[inline]
    pub fn now() -> Self {
        let now = clock::ticks();
        Self {
            start: now,
            end: now,
            flags: Flags::TICKS,
        }
    }

    /// Given times, nanoseconds of the monotonic clock.
    pub fn ns(start_ns: u64, end_ns: u64) -> Self {
        Self {
            start: start_ns,
            end: end_ns,
            flags: Flags::NONE,
        }
    }

    #[inline]
    fn record(self, kind: Kind, range_id: u32) -> OpRecord {
        OpRecord {
            start_ns: self.start,
            end_ns: self.end,
            flags: self.flags,
            kind,
            range_id,
            device_id: NO_DEVICE,
            ..OpRecord::default()
        }
    }
}

/// Records a mark in the range `range_id` (0 for none), where somebody listens to marks.
///
/// ```
/// use optap_profiler::{Profiler, Times, mark};
/// use optap_record::Payload;
/// let label = Profiler::global().label(b"cache miss", b"serving", b"")?;
/// mark(&label, 0, Payload::Int(3), Times::now());
/// # Ok::<(), optap_record::NameTableFull>(())
/// ```
#[inline]
pub fn mark(label: &Label, range_id: u32, payload: Payload, times: Times) {
    if is_recording(Kind::MARK) {
        let mut record = times.record(Kind::MARK, range_id);
        record.op_id = label.op_id();
        record.set_payload(payload);
        push(record, None);
    }
}

/// Records the step `number` of `device_id` (`None` for no device) in the range `range_id`, where somebody listens to
/// steps.
pub fn step(number: u64, device_id: Option<u32>, range_id: u32, times: Times) {
    if is_recording(Kind::STEP) {
        let mut record = times.record(Kind::STEP, range_id);
        record.run_id = number;
        record.device_id = device_id.unwrap_or(NO_DEVICE);
        push(record, None);
    }
}

/// A range that has begun. Any thread may end it, at most once; one that is dropped instead is told as unclosed.
///
/// ```
/// use optap_profiler::{OpenRange, Profiler};
/// use optap_record::Payload;
/// let label = Profiler::global().label(b"prefill", b"", b"")?;
/// let outer = OpenRange::begin(&label, 0, Payload::None);
/// let inner = OpenRange::begin(&label, outer.id(), Payload::Float(0.5));
/// inner.end(&label);
/// outer.end(&label);
/// # Ok::<(), optap_record::NameTableFull>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "a range lasts until it is ended"]
pub struct OpenRange {
    id: u32,
    parent_id: u32,
    start_ticks: u64,
    payload: Payload,
    /// Where its beginning was told.
    told: Option<Place>,
}

impl OpenRange {
    /// Begins a range inside of the range `parent_id` (0 for none).
    #[inline]
    pub fn begin(label: &Label, parent_id: u32, payload: Payload) -> Self {
        let mut range = Self::begin_untold(parent_id, payload);
        if is_recording(Kind::RANGE) {
            range.tell(label);
        }
        range
    }

    /// Begins a range that nobody is told of before it ends.
    #[inline]
    pub fn begin_untold(parent_id: u32, payload: Payload) -> Self {
        Self {
            id: fresh_range_id(),
            parent_id,
            start_ticks: clock::ticks(),
            payload,
            told: None,
        }
    }

    /// Tells that it has begun, so that it is known if it never ends.
    #[inline]
    pub fn tell(&mut self, label: &Label) {
        let mut record = self.record(Times {
            start: self.start_ticks,
            end: self.start_ticks,
            flags: Flags::TICKS,
        });
        record.kind = Kind::BEGIN;
        record.op_id = label.op_id();
        self.told = Some(push(record, None));
    }

    /// Its id, unique among the ranges that are open.
    #[inline]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The range that it lies in; 0 for none.
    #[inline]
    pub fn parent_id(&self) -> u32 {
        self.parent_id
    }

    /// Ends the range now, and records it where somebody listens to ranges.
    #[inline]
    pub fn end(self, label: &Label) {
        self.end_at(label, Times::since(self.start_ticks));
    }

    /// Ends the range, and records it with these times.
    #[inline]
    pub fn end_at(self, label: &Label, times: Times) {
        if is_recording(Kind::RANGE) {
            let mut record = self.record(times);
            record.op_id = label.op_id();
            push(record, self.told);
        }
    }

    #[inline]
    fn record(&self, times: Times) -> OpRecord {
        let mut record = times.record(Kind::RANGE, self.id);
        record.stream_id = self.parent_id;
        record.set_payload(self.payload);
        record
    }
}

/// Records a range whose times are known, inside of the range `parent_id`; returns its id.
pub fn range(label: &Label, parent_id: u32, payload: Payload, times: Times) -> u32 {
    let range = OpenRange::begin_untold(parent_id, payload);
    range.end_at(label, times);
    range.id()
}

/// Ids that a thread takes at once: a counter that all threads share is dear to count up.
const IDS_AT_ONCE: u32 = 1024;

/// What one thread knows of its annotations.
pub(crate) struct ThreadAnnotations {
    sequence: Cell<u64>,
    /// Where its latest annotation lies.
    latest: Cell<Place>,
    next_range_id: Cell<u32>,
    range_ids_left: Cell<u32>,
}

/// The end of a ring at a moment.
#[derive(Clone, Copy, Debug)]
struct Place {
    ring: u32,
    position: u64,
}

/// Pushes an annotation, after what the same thread pushed before and after what lies at `behind`.
#[inline]
fn push(record: OpRecord, behind: Option<Place>) -> Place {
    ThreadRing::with(|ring, thread| thread.push(ring, record, behind))
}

impl ThreadAnnotations {
    pub(crate) const fn new() -> Self {
        Self {
            sequence: Cell::new(0),
            latest: Cell::new(Place {
                ring: 0,
                position: 0,
            }),
            next_range_id: Cell::new(0),
            range_ids_left: Cell::new(0),
        }
    }

    /// An id that no open range has; never 0.
    #[inline]
    pub(crate) fn fresh_range_id(&self) -> u32 {
        let left = self.range_ids_left.get();
        if left == 0 {
            return self.take_range_ids();
        }
        let id = self.next_range_id.get();
        self.next_range_id.set(id + 1);
        self.range_ids_left.set(left - 1);
        id
    }

    #[cold]
    fn take_range_ids(&self) -> u32 {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let first = NEXT.fetch_add(IDS_AT_ONCE, Relaxed);
        // The ids come round after four thousand million; 0 is none of them.
        let skipped = u32::from(first == 0);
        self.next_range_id.set(first + skipped + 1);
        self.range_ids_left.set(IDS_AT_ONCE - skipped - 1);
        first + skipped
    }

    #[inline]
    fn push(&self, ring: &mut ThreadRing, mut record: OpRecord, behind: Option<Place>) -> Place {
        follow(ring, self.latest.get());
        behind.inspect(|&behind| follow(ring, behind));
        record.thread_id = ring.thread_id;
        if record.kind != Kind::BEGIN {
            record.sequence = self.sequence.get();
            self.sequence.set(record.sequence + 1);
        }
        ring.push_surely(record);
        let place = Place {
            ring: ring.id,
            position: ring.producer.position(),
        };
        self.latest.set(place);
        ring.wake();
        place
    }
}

/// Makes the drainer take what lies at `place` first.
#[inline]
fn follow(ring: &mut ThreadRing, place: Place) {
    if place.ring != ring.id && place.position > 0 {
        ring.push_control(OpRecord::fence(place.ring, place.position));
    }
}
