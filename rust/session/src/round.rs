//! One collection, from a start to its stop.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use optap_runtime::{Completion, Result, fork_generation};
use parking_lot::Mutex;

use crate::command::{Command, Commands};
use crate::failure::Failure;
use crate::process::Process;
use crate::report::Report;
use crate::wish::Wish;
use crate::writer;

/// What a round and its thread share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) commands: Commands,
    pub(crate) started: Completion,
    pub(crate) ended: Completion,
    outcome: Mutex<Option<(Report, Option<Failure>)>>,
    generation: u32,
}

impl Shared {
    /// Settles everything that somebody may wait for.
    pub(crate) fn end(&self, report: Report, failure: Option<Failure>) {
        let outcome: Result<()> = failure
            .as_ref()
            .map_or(Ok(()), |failure| Err(failure.into()));
        *self.outcome.lock() = Some((report, failure));
        self.commands.end(&outcome);
        // Whoever learns from `started` that it failed finds it ended.
        self.ended.complete(outcome.clone());
        self.started.complete(outcome);
    }
}

/// A collection that is being written, or was.
///
/// Nothing here waits: whoever wants to watches the [`Completion`]s. A round that is dropped stops by itself.
#[derive(Debug)]
pub struct Round {
    shared: Arc<Shared>,
    devices: Mutex<Vec<u32>>,
}

impl Round {
    /// Starts to collect below `base`. It records from the moment on that [`started`](Self::started) is done.
    ///
    /// # Errors
    /// The system has no descriptor or no thread left. What the file system refuses is told by `started`.
    pub fn start(base: &Path, wish: Wish) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            commands: Commands::new()?,
            started: Completion::new(),
            ended: Completion::new(),
            outcome: Mutex::default(),
            generation: fork_generation(),
        });
        let devices = Mutex::new(wish.devices.clone());
        let (of_thread, base) = (shared.clone(), base.to_owned());
        let thread = thread::Builder::new().name("optap-session".into());
        thread.spawn(move || writer::run(&of_thread, &base, wish))?;
        Process::global().add_round(&shared);
        Ok(Self { shared, devices })
    }

    /// Whether this process started the round, and did not inherit it by a fork.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.shared.generation == fork_generation()
    }

    /// Done when it records, or could not begin.
    #[must_use]
    pub fn started(&self) -> &Completion {
        &self.shared.started
    }

    /// Done when its files are complete, or could not be.
    #[must_use]
    pub fn ended(&self) -> &Completion {
        &self.shared.ended
    }

    /// Whether it has not ended.
    #[must_use]
    pub fn is_running(&self) -> bool {
        !self.shared.ended.is_done()
    }

    /// The devices that it still listens to.
    #[must_use]
    pub fn devices(&self) -> Vec<u32> {
        self.devices.lock().clone()
    }

    /// Asks for the end; done when the files are complete.
    pub fn stop(&self) -> Completion {
        self.shared.commands.send(Command::Stop);
        self.shared.ended.clone()
    }

    /// Asks for the end of what these devices tell; done when their files are complete. The last device ends the round.
    pub fn leave(&self, devices: &[u32]) -> Completion {
        let mut left = self.devices.lock();
        left.retain(|id| !devices.contains(id));
        if left.is_empty() {
            drop(left);
            return self.stop();
        }
        let done = Completion::new();
        let command = Command::Leave(devices.to_vec(), done.clone());
        self.shared.commands.send(command);
        done
    }

    /// Asks for everything told so far to be handed to the files; done when it is.
    pub fn flush(&self) -> Completion {
        let done = Completion::new();
        self.shared.commands.send(Command::Flush(done.clone()));
        done
    }

    /// What it left behind; `None` until it has ended.
    #[must_use]
    pub fn report(&self) -> Option<Report> {
        let outcome = self.shared.outcome.lock();
        outcome.as_ref().map(|(report, _)| report.clone())
    }

    /// Why its files are not complete, if they are not.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        let outcome = self.shared.outcome.lock();
        outcome.as_ref().and_then(|(_, failure)| failure.clone())
    }
}

impl Drop for Round {
    fn drop(&mut self) {
        if self.is_own() {
            self.shared.commands.send(Command::Stop);
        }
    }
}
