//! A subscriber's own handle: read, wait, close, account.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::filter::{Filter, Sieve};
use crate::kinds::Kinds;
use crate::open_slice::Cursor;
use crate::policy::Overflow;
use crate::profiler::Profiler;
use crate::queue::{Counters, Phase, Queue};
use crate::subscriber::{Received, ReceivedOp, Subscriber};
use crate::target::Target;

/// What a subscriber asks for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What to listen to.
    pub targets: Vec<Target>,
    /// Which kinds of records are meant for it. Ops come from the targets, ranges, marks and steps from the process.
    /// Other kinds lie outside of its account, and are not `filtered`.
    pub kinds: Kinds,
    /// What a full queue does.
    pub overflow: Overflow,
    /// Ops that the queue holds.
    pub capacity: usize,
    /// Which ops are wanted; `None` for all.
    pub filter: Option<Filter>,
    /// How long a wake-up may be held to serve more ops.
    pub coalesce: Duration,
}

/// The account of one subscription at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Statistics {
    /// What was meant for it, delivered, lost and refused.
    pub counters: Counters,
    /// Ops that wait to be read, counted.
    pub in_flight: u64,
    /// Times that its doorbell rang.
    pub wakes: u64,
    /// Time that it held the runtime, in nanoseconds.
    pub held_ns: u64,
}

/// Ops of its targets, from the moment it exists until it ends.
pub struct Subscription {
    profiler: Arc<Profiler>,
    subscriber: Arc<Subscriber>,
    has_reader: AtomicBool,
}

impl Subscription {
    /// Starts to record: an op that begins after the return is delivered or counted as lost.
    ///
    /// # Errors
    /// The system has no descriptor left for the doorbell.
    pub fn open(profiler: &Arc<Profiler>, settings: Settings) -> io::Result<Self> {
        let Settings {
            targets,
            kinds,
            overflow,
            capacity,
            filter,
            coalesce,
        } = settings;
        let subscriber = Arc::new(Subscriber::new(
            targets.into(),
            kinds,
            overflow,
            capacity,
            coalesce,
        )?);
        profiler.attach(&subscriber, filter.map(Sieve::new));
        Ok(Self {
            profiler: profiler.clone(),
            subscriber,
            has_reader: AtomicBool::new(false),
        })
    }

    /// Whether this process opened the subscription, and did not inherit it by a fork.
    pub fn is_own(&self) -> bool {
        self.profiler.is_own()
    }

    /// Takes the oldest ops, at most `most` and all of one block.
    #[inline]
    pub fn receive(&self, most: usize) -> Received {
        self.subscriber.receive(most)
    }

    /// Takes the oldest op. Between two calls `cursor` keeps the place.
    #[inline]
    pub fn next<'cursor>(&self, cursor: &'cursor mut Cursor) -> ReceivedOp<'cursor> {
        self.subscriber.next(cursor)
    }

    /// Ends the loan behind the latest [`next`](Self::next): what was not taken lies in the queue again, for any reader.
    pub fn reclaim(&self) {
        self.subscriber.with_queue(Queue::take_back);
    }

    /// Takes the oldest ops, at most `most`, copied together where they lie in several blocks.
    pub fn receive_joined(&self, most: usize) -> Received {
        self.subscriber.receive_joined(most)
    }

    /// Whether a read finds an op or the end: one load.
    #[inline]
    pub fn is_ready(&self) -> bool {
        self.subscriber.is_ready()
    }

    /// Asks for a ring of the doorbell once `wanted` ops lie here; returns whether they do already.
    pub fn arm(&self, wanted: usize) -> bool {
        self.subscriber.arm(wanted)
    }

    /// Quiets the doorbell after a wait.
    pub fn disarm(&self) {
        self.subscriber.signal().disarm();
    }

    /// The descriptor that becomes readable when an armed subscription has something.
    pub fn as_raw_fd(&self) -> RawFd {
        self.subscriber.signal().doorbell().as_raw_fd()
    }

    /// Claims the right to wait; `false` while another reader has it.
    pub fn claim(&self) -> bool {
        !self.has_reader.swap(true, Ordering::AcqRel)
    }

    /// Gives the right to wait back.
    pub fn yield_claim(&self) {
        self.has_reader.store(false, Ordering::Release);
    }

    /// Whether a reader waits.
    #[inline]
    pub fn has_reader(&self) -> bool {
        self.has_reader.load(Ordering::Relaxed)
    }

    /// Whether the subscription takes and gives ops.
    pub fn phase(&self) -> Phase {
        self.subscriber.with_queue(|queue| queue.phase())
    }

    /// Flushes the rings and admits nothing more; the reader may take the rest. Where it chose ranges, those that began
    /// during the subscription and have not ended come last, flagged [`UNCLOSED`](optap_record::Flags::UNCLOSED).
    pub fn finish(&self) {
        self.profiler.detach(&self.subscriber);
        self.subscriber.end();
    }

    /// Flushes the rings and ends; what was not read is counted as dropped.
    pub fn close(&self) {
        self.finish();
        self.subscriber.close();
    }

    /// Ids of the runs of its targets that went on when it began, and of those that went on when it finished: it has
    /// seen these in part at most. By rising id.
    pub fn cut_runs(&self) -> [Vec<u64>; 2] {
        self.subscriber.cut_runs()
    }

    /// One consistent account: rings are flushed, and nothing moves while it is taken.
    pub fn statistics(&self) -> Statistics {
        let mut line = self.profiler.line();
        line.drain();
        let (counters, in_flight) = self.subscriber.with_queue(|queue| queue.account());
        Statistics {
            counters,
            in_flight,
            wakes: self.subscriber.signal().wakes(),
            held_ns: self.subscriber.held_ns(),
        }
    }
}

impl AsFd for Subscription {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.subscriber.signal().doorbell().as_fd()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if self.is_own() {
            self.close();
        }
    }
}
