//! What every stream of one runtime shares.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::config::Config;
use crate::memory::Memory;
use crate::pool::Pool;
use crate::timer::Timer;

/// Workers, alarms, memory and settings.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) pool: Pool,
    pub(crate) timer: Timer,
    pub(crate) memory: Arc<Memory>,
    wait_timeout_ns: AtomicU64,
}

impl Base {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            pool: Pool::new(config.workers as usize),
            timer: Timer::default(),
            memory: Memory::new(config.devices, config.memory_bytes),
            wait_timeout_ns: AtomicU64::new(0),
        }
    }

    /// How long a stream waits for an event before its wait fails; `None` is for ever.
    pub(crate) fn wait_timeout(&self) -> Option<Duration> {
        let timeout_ns = self.wait_timeout_ns.load(Ordering::Relaxed);
        (timeout_ns > 0).then(|| Duration::from_nanos(timeout_ns))
    }

    pub(crate) fn set_wait_timeout(&self, timeout: Option<Duration>) {
        let timeout_ns = timeout.map_or(0, |timeout| {
            u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX)
        });
        self.wait_timeout_ns.store(timeout_ns, Ordering::Relaxed);
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        if self.pool.check_process().is_ok() {
            self.timer.close();
        }
    }
}
