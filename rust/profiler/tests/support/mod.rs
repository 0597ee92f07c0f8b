//! A model that records what it is told, and readers of it.
#![allow(dead_code, missing_docs)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use optap_profiler::{
    Cursor, Filter, Holder, Kinds, Overflow, Profiler, Received, ReceivedOp, Recorder, Script,
    Settings, Slice, Subscription, Tap, Target,
};
use optap_record::OpRecord;
use optap_runtime::Trail;

pub const HANG: Duration = Duration::from_secs(20);

#[derive(Default)]
pub struct Free {
    pub cancelled: AtomicBool,
}

impl Holder for Free {
    fn held(&self, wait: &mut dyn FnMut()) {
        wait();
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

pub struct Model {
    pub tap: Arc<Tap>,
    pub trail: Trail,
    pub free: Free,
    runs: AtomicU64,
}

impl Model {
    pub fn new() -> Self {
        Self::on_device(0)
    }

    pub fn on_device(device_id: u32) -> Self {
        static IDS: AtomicU32 = AtomicU32::new(1);
        let tap = Profiler::global().add_model(IDS.fetch_add(1, Ordering::Relaxed), device_id);
        Self {
            tap,
            trail: Trail::default(),
            free: Free::default(),
            runs: AtomicU64::new(1),
        }
    }

    pub fn target(&self) -> Target {
        Target::Model(self.tap.model_id())
    }

    /// Plays `count` ops as one run.
    pub fn play(&self, script: &Script) -> u64 {
        let run_id = self.runs.fetch_add(1, Ordering::Relaxed);
        let mut recorder = Recorder::new(
            Profiler::global(),
            &self.tap,
            &self.trail,
            &self.free,
            script.stream_ids[0],
            run_id,
        );
        script.play(&mut recorder, &self.free)
    }

    pub fn emit(&self, count: u64) -> u64 {
        self.play(&script(count))
    }
}

pub fn script(count: u64) -> Script {
    Script {
        count,
        rate: None,
        op_ids: vec![],
        times_ns: vec![],
        stream_ids: vec![1],
        first_sequence: 0,
        gaps: Default::default(),
    }
}

pub fn settings(target: Target, overflow: Overflow, capacity: usize) -> Settings {
    Settings {
        targets: vec![target],
        overflow,
        capacity,
        kinds: Kinds::OPS,
        filter: None,
        coalesce: Duration::ZERO,
    }
}

pub fn open(target: Target, overflow: Overflow, capacity: usize) -> Subscription {
    Subscription::open(Profiler::global(), settings(target, overflow, capacity)).unwrap()
}

pub fn open_filtered(target: Target, filter: Filter) -> Subscription {
    let settings = Settings {
        kinds: filter.kinds(),
        filter: Some(filter),
        ..settings(target, Overflow::DropOldest, 65_536)
    };
    Subscription::open(Profiler::global(), settings).unwrap()
}

/// Reads until the end; fails after [`HANG`].
pub fn read_to_end(subscription: &Subscription) -> Vec<Slice> {
    let began = Instant::now();
    let mut slices = Vec::new();
    loop {
        assert!(began.elapsed() < HANG, "the stream does not end");
        match subscription.receive(usize::MAX) {
            Received::Slice(slice) => slices.push(slice),
            Received::Empty => std::thread::sleep(Duration::from_micros(100)),
            Received::End => return slices,
        }
    }
}

/// Reads op by op until the end; gives sequence number and gap of each.
pub fn read_ops_to_end(subscription: &Subscription) -> Vec<(u64, u64)> {
    let (began, mut cursor, mut ops) = (Instant::now(), Cursor::default(), Vec::new());
    loop {
        assert!(began.elapsed() < HANG, "the stream does not end");
        match subscription.next(&mut cursor) {
            ReceivedOp::Op(next) => ops.push((next.block.records()[next.index].sequence, next.gap)),
            ReceivedOp::Empty => std::thread::sleep(Duration::from_micros(100)),
            ReceivedOp::End => return ops,
        }
    }
}

pub fn records(slices: &[Slice]) -> Vec<OpRecord> {
    slices
        .iter()
        .flat_map(|slice| slice.records().iter().copied())
        .collect()
}

pub fn gaps(slices: &[Slice]) -> u64 {
    slices.iter().map(|slice| slice.gap).sum()
}

pub fn assert_conserved(subscription: &Subscription) -> u64 {
    let now = subscription.statistics();
    let told = now.counters.delivered + now.counters.dropped_total() + now.in_flight;
    assert_eq!(now.counters.produced, told, "{now:?}");
    now.counters.produced
}
