//! Which process made an object: threads, queues and doorbells do not cross a fork.

use optap_runtime::fork_generation;
use pyo3::prelude::*;

use crate::error::forked;

/// The process that made an object.
#[derive(Clone, Copy)]
pub struct Origin(u32);

impl Default for Origin {
    /// This process.
    fn default() -> Self {
        Self(fork_generation())
    }
}

impl Origin {
    /// Whether it is this process.
    pub fn is_here(self) -> bool {
        self.0 == fork_generation()
    }

    /// Raises `ForkedError` for a `what` that a forked child inherited.
    pub fn check(self, what: &str) -> PyResult<()> {
        if self.is_here() {
            Ok(())
        } else {
            Err(forked(what))
        }
    }
}
