//! One subscriber as the line sees it: targets, queue, doorbell.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use optap_record::{Kind, OpRecord};
use optap_ring::Signal;
use parking_lot::{Condvar, Mutex};

use crate::block::Slice;
use crate::kinds::Kinds;
use crate::open_slice::{Cursor, Next, OpenSlice};
use crate::policy::Overflow;
use crate::queue::{Phase, Queue};
use crate::target::Target;

/// A `block` subscription that is not read for so long lets go of the runtime and drops instead.
pub const STALL_LIMIT: Duration = Duration::from_secs(5);

const HOLD_CHECK: Duration = Duration::from_millis(20);

/// What a read found.
#[derive(Debug)]
pub enum Received {
    /// Ops, or an empty slice that tells the gap at the end.
    Slice(Slice),
    /// Nothing now.
    Empty,
    /// Nothing ever again.
    End,
}

/// What a read of one op found.
#[derive(Debug)]
pub enum ReceivedOp<'cursor> {
    /// The oldest op.
    Op(Next<'cursor>),
    /// Nothing now.
    Empty,
    /// Nothing ever again.
    End,
}

enum Lending {
    Slice(Arc<OpenSlice>),
    Empty,
    End,
}

/// Queue, doorbell and account of one subscriber.
pub struct Subscriber {
    targets: Box<[Target]>,
    kinds: Kinds,
    overflow: Overflow,
    coalesce: Duration,
    queue: Mutex<Queue>,
    /// Whether a read finds something, kept beside the queue so that a look costs no lock.
    ready: AtomicBool,
    room: Condvar,
    /// Whether a run waits for room.
    is_holding: AtomicBool,
    signal: Signal,
    wanted: AtomicUsize,
    held_ns: AtomicU64,
    /// Runs that went on when the subscriber came, and when it left.
    cut_runs: Mutex<[Vec<u64>; 2]>,
}

impl Subscriber {
    /// An open subscriber with nothing to read.
    ///
    /// # Errors
    /// The system has no descriptor left for the doorbell.
    pub(crate) fn new(
        targets: Box<[Target]>,
        kinds: Kinds,
        overflow: Overflow,
        capacity: usize,
        coalesce: Duration,
    ) -> io::Result<Self> {
        Ok(Self {
            targets,
            kinds,
            overflow,
            coalesce,
            queue: Mutex::new(Queue::new(overflow, capacity)),
            ready: AtomicBool::new(false),
            room: Condvar::new(),
            is_holding: AtomicBool::new(false),
            signal: Signal::new()?,
            wanted: AtomicUsize::new(1),
            held_ns: AtomicU64::new(0),
            cut_runs: Mutex::default(),
        })
    }

    /// The policy of a full queue.
    pub fn overflow(&self) -> Overflow {
        self.overflow
    }

    /// How long a wake-up may be held to serve more ops.
    pub fn coalesce(&self) -> Duration {
        self.coalesce
    }

    /// What the subscriber listens to.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The kinds that the subscriber chose.
    pub fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Time that a full queue held the runtime, in nanoseconds, summed over runs.
    pub fn held_ns(&self) -> u64 {
        self.is_holding.store(false, Ordering::Relaxed);
        self.held_ns.load(Ordering::Relaxed)
    }

    /// The doorbell that wakes the reader.
    pub fn signal(&self) -> &Signal {
        &self.signal
    }

    /// Changes or reads the queue.
    #[inline]
    pub(crate) fn with_queue<T>(&self, use_queue: impl FnOnce(&mut Queue) -> T) -> T {
        let mut queue = self.queue.lock();
        let result = use_queue(&mut queue);
        self.ready.store(queue.is_ready(), Ordering::Release);
        result
    }

    /// Whether a read finds an op or the end: one load.
    #[inline]
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// Notes the runs that had begun before the subscriber came.
    pub(crate) fn joins_during(&self, runs: &[u64]) {
        self.cut_runs.lock()[0].extend_from_slice(runs);
    }

    /// Notes the runs that go on when the subscriber leaves.
    pub(crate) fn leaves_during(&self, runs: &[u64]) {
        self.cut_runs.lock()[1].extend_from_slice(runs);
    }

    /// The runs noted so far, by rising id.
    pub(crate) fn cut_runs(&self) -> [Vec<u64>; 2] {
        self.cut_runs.lock().clone().map(|mut runs| {
            runs.sort_unstable();
            runs
        })
    }

    pub(crate) fn concerns(&self, model_id: u32, device_id: u32) -> bool {
        let concerns = |target: &Target| target.concerns(model_id, device_id);
        self.kinds.contains(Kind::OP) && self.targets.iter().any(concerns)
    }

    /// Whether an op of this run would reach the subscriber.
    pub(crate) fn hears(&self, model_id: u32, device_id: u32, run_id: u64) -> bool {
        self.covers(&OpRecord {
            model_id,
            device_id,
            run_id,
            ..OpRecord::default()
        })
    }

    /// Whether the record is for the subscriber: an op, or the loss of some, that comes from a target, or an annotation
    /// of a chosen kind.
    pub(crate) fn covers(&self, record: &OpRecord) -> bool {
        if record.kind.is_annotation() {
            return self.kinds.contains(record.kind);
        }
        let is_covered = self.targets.iter().any(|target| target.covers(record));
        is_covered && self.kinds.contains(Kind::OP)
    }

    /// Takes the oldest ops, at most `most` and all of one block.
    #[inline]
    pub fn receive(&self, most: usize) -> Received {
        self.receive_by(|queue| queue.take(most))
    }

    /// Takes the oldest op; a slice at a time leaves the queue's lock, an op at a time the queue.
    #[inline]
    pub fn next<'cursor>(&self, cursor: &'cursor mut Cursor) -> ReceivedOp<'cursor> {
        let (index, gap) = loop {
            if let Some(taken) = cursor.take() {
                break taken;
            }
            match self.lend() {
                Lending::Slice(open) => cursor.follow(open),
                Lending::Empty => return ReceivedOp::Empty,
                Lending::End => return ReceivedOp::End,
            }
        };
        if self.is_holding.load(Ordering::Relaxed) {
            self.tell_room();
        }
        match cursor.block() {
            Some(block) => ReceivedOp::Op(Next { block, index, gap }),
            None => ReceivedOp::Empty,
        }
    }

    /// Lets held runs go on once the queue is half empty.
    #[cold]
    fn tell_room(&self) {
        let queue = self.queue.lock();
        if queue.len() <= queue.capacity() / 2 {
            self.room.notify_all();
        }
    }

    #[cold]
    fn lend(&self) -> Lending {
        self.with_queue(|queue| match queue.lend() {
            Some(open) => Lending::Slice(open),
            None if queue.phase() == Phase::Open => Lending::Empty,
            None => Lending::End,
        })
    }

    /// Takes the oldest ops, at most `most`, copied together where they lie in several blocks.
    pub fn receive_joined(&self, most: usize) -> Received {
        self.receive_by(|queue| queue.take_joined(most))
    }

    #[inline]
    fn receive_by(&self, take: impl FnOnce(&mut Queue) -> Option<Slice>) -> Received {
        self.with_queue(|queue| {
            let slice = take(queue);
            if queue.len() <= queue.capacity() / 2 {
                self.room.notify_all();
            }
            match slice {
                Some(slice) => Received::Slice(slice),
                None if queue.phase() == Phase::Open => Received::Empty,
                None => Received::End,
            }
        })
    }

    /// Asks for a ring of the doorbell once `wanted` ops lie here; returns whether they do already.
    pub fn arm(&self, wanted: usize) -> bool {
        self.wanted.store(wanted, Ordering::SeqCst);
        self.signal.arm();
        let ready = self.has(wanted);
        if ready {
            self.signal.disarm();
        }
        ready
    }

    fn has(&self, wanted: usize) -> bool {
        let queue = self.queue.lock();
        queue.phase() != Phase::Open || queue.len() >= wanted.clamp(1, queue.capacity().max(1))
    }

    /// Whether a reader waits for what lies here.
    pub(crate) fn is_awaited(&self) -> bool {
        self.signal.is_armed() && self.has(self.wanted.load(Ordering::SeqCst))
    }

    /// Takes no more ops; the reader may take the rest.
    pub(crate) fn end(&self) {
        self.with_queue(Queue::end);
        self.release();
    }

    /// Takes and gives no more.
    pub(crate) fn close(&self) {
        self.with_queue(Queue::close);
        self.release();
    }

    fn release(&self) {
        self.room.notify_all();
        self.signal.notify();
    }

    /// Whether a run must wait for the reader when `undrained` of its ops are still in a ring.
    pub(crate) fn is_full(&self, undrained: usize) -> bool {
        Self::holds(&self.queue.lock(), undrained)
    }

    fn holds(queue: &Queue, undrained: usize) -> bool {
        let is_kept = queue.phase() == Phase::Open && !queue.is_stalled();
        is_kept && queue.len() + undrained >= queue.capacity()
    }

    /// Blocks until there is room, the subscription ends, nobody reads for [`STALL_LIMIT`], or `cancelled`.
    pub(crate) fn hold(&self, cancelled: &dyn Fn() -> bool) {
        let began = Instant::now();
        let mut queue = self.queue.lock();
        let (mut last_read, mut delivered) = (began, queue.account().0.delivered);
        while Self::holds(&queue, 0) && !cancelled() {
            self.is_holding.store(true, Ordering::Relaxed);
            self.room.wait_for(&mut queue, HOLD_CHECK);
            if queue.account().0.delivered != delivered {
                (last_read, delivered) = (Instant::now(), queue.account().0.delivered);
            } else if last_read.elapsed() >= STALL_LIMIT {
                queue.stall();
            }
        }
        self.is_holding.store(false, Ordering::Relaxed);
        self.held_ns
            .fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }
}
