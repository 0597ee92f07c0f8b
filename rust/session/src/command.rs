//! What the thread of a round is told.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use optap_ring::Doorbell;
use optap_runtime::{Completion, Result};
use parking_lot::Mutex;

/// Something to do, and who waits for it.
#[derive(Debug)]
pub(crate) enum Command {
    /// Hand everything to the files.
    Flush(Completion),
    /// Complete the files of these devices, and listen to them no longer.
    Leave(Vec<u32>, Completion),
    /// Complete everything.
    Stop,
    /// Calls lie in the log.
    Calls,
}

impl Command {
    /// Tells whoever waits how it ended.
    fn answer(self, outcome: &Result<()>) {
        if let Self::Flush(waiting) | Self::Leave(_, waiting) = self {
            waiting.complete(outcome.clone());
        }
    }
}

/// Commands on their way to a thread.
#[derive(Debug)]
pub(crate) struct Commands {
    queue: Mutex<Queue>,
    bell: Doorbell,
}

#[derive(Debug, Default)]
struct Queue {
    commands: VecDeque<Command>,
    /// How the round ended.
    outcome: Option<Result<()>>,
}

impl Commands {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            queue: Mutex::default(),
            bell: Doorbell::new()?,
        })
    }

    /// Tells the thread; where it has ended, the command is answered with its end.
    pub(crate) fn send(&self, command: Command) {
        let mut queue = self.queue.lock();
        if let Some(outcome) = queue.outcome.clone() {
            drop(queue);
            return command.answer(&outcome);
        }
        queue.commands.push_back(command);
        drop(queue);
        self.bell.ring();
    }

    pub(crate) fn take(&self) -> Option<Command> {
        self.queue.lock().commands.pop_front()
    }

    /// Quiets the bell; look for commands after that.
    pub(crate) fn quiet(&self) {
        self.bell.clear();
    }

    /// Answers every command from now on.
    pub(crate) fn end(&self, outcome: &Result<()>) {
        let mut queue = self.queue.lock();
        queue.outcome = Some(outcome.clone());
        let rest = std::mem::take(&mut queue.commands);
        drop(queue);
        rest.into_iter().for_each(|command| command.answer(outcome));
    }
}

impl AsFd for Commands {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
