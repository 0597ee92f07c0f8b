//! What the rounds of one process share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use optap_runtime::fork_generation;
use parking_lot::Mutex;

use crate::calls::CallLog;
use crate::command::Command;
use crate::round::Shared;

/// The rounds that are being written, and the logs that calls go to.
#[derive(Debug)]
pub(crate) struct Process {
    generation: u32,
    rounds: Mutex<Vec<Weak<Shared>>>,
    logs: Mutex<Vec<Arc<CallLog>>>,
    log_count: AtomicUsize,
    /// That of a forked child: locks of its parent may be held for ever.
    child: OnceLock<Box<Self>>,
}

impl Process {
    fn new(generation: u32) -> Self {
        Self {
            generation,
            rounds: Mutex::default(),
            logs: Mutex::default(),
            log_count: AtomicUsize::new(0),
            child: OnceLock::new(),
        }
    }

    /// The state of this process.
    pub(crate) fn global() -> &'static Self {
        static FIRST: OnceLock<Process> = OnceLock::new();
        let generation = fork_generation();
        let mut process = FIRST.get_or_init(|| Self::new(generation));
        while process.generation != generation {
            process = process
                .child
                .get_or_init(|| Box::new(Self::new(generation)));
        }
        process
    }

    pub(crate) fn add_round(&self, round: &Arc<Shared>) {
        let mut rounds = self.rounds.lock();
        rounds.retain(|round| round.strong_count() > 0);
        rounds.push(Arc::downgrade(round));
    }

    pub(crate) fn add_log(&self, log: &Arc<CallLog>) {
        let mut logs = self.logs.lock();
        logs.push(log.clone());
        self.log_count.store(logs.len(), Ordering::Relaxed);
    }

    pub(crate) fn remove_log(&self, log: &Arc<CallLog>) {
        let mut logs = self.logs.lock();
        logs.retain(|known| !Arc::ptr_eq(known, log));
        self.log_count.store(logs.len(), Ordering::Relaxed);
    }

    /// Whether anybody listens to calls.
    #[inline]
    pub(crate) fn has_logs(&self) -> bool {
        self.log_count.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn each_log(&self, tell: impl Fn(&CallLog)) {
        self.logs.lock().iter().for_each(|log| tell(log));
    }
}

/// Completes the files of every round of this process; whether all were complete within `limit`.
pub fn finish_all(limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    let rounds: Vec<Arc<Shared>> = {
        let rounds = Process::global().rounds.lock();
        rounds.iter().filter_map(Weak::upgrade).collect()
    };
    for round in &rounds {
        round.commands.send(Command::Stop);
    }
    let left = || deadline.saturating_duration_since(Instant::now());
    rounds
        .iter()
        .all(|round| round.ended.wait(Some(left())).is_some())
}
