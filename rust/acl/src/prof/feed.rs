//! From a subscription to the caller's descriptor: one thread a subscribed model.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use optap_profiler::{Kinds, Overflow, Profiler, Received, Settings, Slice, Subscription, Target};
use optap_record::{Flags, Kind, Layout, OpRecord, WireRecord};

use crate::prof::iteration::Iterations;
use crate::prof::names::{OpNames, Texts};
use crate::prof::pipe::{Pipe, wait};
use crate::prof::records::RECORD_BYTES;

/// Records that wait for room in the pipe; further ones are counted as lost.
pub const QUEUED_RECORDS: usize = 200_000;

/// The most that a system writes to a pipe without parting it, rounded down to whole records.
const RECORDS_PER_WRITE: usize = libc::PIPE_BUF / RECORD_BYTES;

/// How long a wake-up of the thread may be held to write more records at once.
const COALESCE: Duration = Duration::from_millis(1);

/// What became of the records of all subscriptions.
#[derive(Debug, Default)]
pub struct Account {
    /// Records written to descriptors.
    pub written: AtomicU64,
    /// Records that a descriptor refused: closed by the caller or its reader, or never open.
    pub unwritten: AtomicU64,
    /// Records that found the queue of their subscription or the ring of their thread full.
    pub overflowed: AtomicU64,
}

impl Account {
    fn add(counter: &AtomicU64, count: u64) {
        counter.fetch_add(count, Ordering::Relaxed);
    }
}

/// What the threads of all subscriptions share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) names: OpNames,
    pub(crate) account: Account,
}

/// A model's operators on their way to a descriptor.
pub(crate) struct Feed {
    subscription: Arc<Subscription>,
    ended: Receiver<()>,
}

impl Feed {
    /// Starts to write the operators of `model_id` to `pipe`, each run's bounds too if `with_iterations`.
    ///
    /// # Errors
    /// The system has no descriptor or no thread left.
    pub(crate) fn start(
        model_id: u32,
        pipe: Arc<Pipe>,
        shared: Arc<Shared>,
        with_iterations: bool,
    ) -> io::Result<Self> {
        let settings = Settings {
            targets: vec![Target::Model(model_id)],
            overflow: Overflow::DropNewest,
            capacity: QUEUED_RECORDS,
            kinds: Kinds::OPS,
            filter: None,
            coalesce: COALESCE,
        };
        let subscription = Arc::new(Subscription::open(Profiler::global(), settings)?);
        let (end, ended) = mpsc::channel();
        let writer = Writer {
            subscription: subscription.clone(),
            pipe,
            shared,
            iterations: with_iterations.then(Iterations::default),
            bytes: Vec::with_capacity(libc::PIPE_BUF),
            op_indexes: Vec::with_capacity(RECORDS_PER_WRITE),
            _end: end,
        };
        let thread = thread::Builder::new().name("optap-acl-writer".into());
        thread.spawn(move || writer.run())?;
        Ok(Self {
            subscription,
            ended,
        })
    }

    /// Admits no more operators; the thread writes what there is and closes.
    pub(crate) fn finish(&self) {
        self.subscription.finish();
    }

    /// Whether the thread has written all and closed, waiting for that at most `limit`.
    pub(crate) fn wait(&self, limit: Duration) -> bool {
        self.ended.recv_timeout(limit) == Err(RecvTimeoutError::Disconnected)
    }
}

/// The thread's own state. Fields drop in order: the pipe closes before the end is told.
struct Writer {
    subscription: Arc<Subscription>,
    pipe: Arc<Pipe>,
    shared: Arc<Shared>,
    iterations: Option<Iterations>,
    bytes: Vec<u8>,
    op_indexes: Vec<u64>,
    _end: mpsc::Sender<()>,
}

impl Writer {
    fn run(mut self) {
        optap_runtime::block_signals();
        loop {
            match self.subscription.receive(RECORDS_PER_WRITE) {
                Received::Slice(slice) => self.forward(&slice),
                Received::Empty => self.wait(),
                Received::End => break,
            }
        }
        let last = self.iterations.take().map(Iterations::into_open);
        last.into_iter()
            .flatten()
            .for_each(|bounds| self.add(&bounds, Iterations::texts()));
        self.flush();
    }

    fn wait(&self) {
        if !self.subscription.arm(1) {
            wait(self.subscription.as_raw_fd(), libc::POLLIN, -1);
        }
        self.subscription.disarm();
    }

    fn forward(&mut self, slice: &Slice) {
        Account::add(&self.shared.account.overflowed, slice.gap);
        for record in slice.records().iter().filter(|record| is_told(record)) {
            let closed = self
                .iterations
                .as_mut()
                .and_then(|open| open.follow(record));
            if let Some(bounds) = closed {
                self.add(&bounds, Iterations::texts());
            }
            let info = slice.block.info(record.op_id);
            let texts = Texts {
                name: info.map(|info| info.name.clone()),
                op_type: info.map(|info| info.type_.clone()),
            };
            self.add(record, texts);
        }
        self.flush();
    }

    fn add(&mut self, record: &OpRecord, texts: Texts) {
        if self.op_indexes.len() == RECORDS_PER_WRITE {
            self.flush();
        }
        let op_index = self.shared.names.add(texts);
        let wire = WireRecord {
            op_index,
            ..WireRecord::from_op(record)
        };
        wire.encode(Layout::Cann80, &mut self.bytes);
        self.op_indexes.push(op_index);
    }

    fn flush(&mut self) {
        let (account, count) = (&self.shared.account, self.op_indexes.len() as u64);
        match self.pipe.write_all(&self.bytes) {
            Ok(()) => Account::add(&account.written, count),
            Err(_) => {
                Account::add(&account.unwritten, count);
                self.op_indexes
                    .iter()
                    .for_each(|op_index| self.shared.names.forget(*op_index));
            }
        }
        self.bytes.clear();
        self.op_indexes.clear();
    }
}

/// Whether a record is an operator whose end follows its start.
fn is_told(record: &OpRecord) -> bool {
    record.kind == Kind::OP && !record.flags.contains(Flags::TIME_REVERSED)
}
