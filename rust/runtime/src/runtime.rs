//! The devices of the process, and the workers that run them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;

use crate::base::Base;
use crate::codes::ErrorCode;
use crate::config::Config;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::Memory;

static GLOBAL: ArcSwapOption<Runtime> = ArcSwapOption::const_empty();

/// The devices of the process, and the workers that run them. No thread starts before the first task. Dropping the
/// last handle shuts it down.
///
/// ```
/// use optap_runtime::{Config, ErrorCode, Runtime};
/// let runtime = Runtime::new(Config { devices: 2, ..Config::default() })?;
/// assert_eq!(runtime.device(1)?.id(), 1);
/// assert_eq!(runtime.device(2).unwrap_err().code(), ErrorCode::InvalidDeviceId);
/// # Ok::<(), optap_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct Runtime {
    base: Arc<Base>,
    devices: Vec<Arc<Device>>,
}

impl Runtime {
    /// A runtime of its own. 107000 when `config` is out of range.
    pub fn new(config: Config) -> Result<Arc<Self>> {
        config.check()?;
        let base = Arc::new(Base::new(&config));
        let devices = (0..config.devices)
            .map(|id| Device::new(id, Arc::clone(&base), &config))
            .collect();
        Ok(Arc::new(Self { base, devices }))
    }

    /// The runtime of this process, made from the environment by the first call. A forked child gets one of its own.
    pub fn global() -> Result<Arc<Self>> {
        loop {
            let current = GLOBAL.load_full();
            if let Some(runtime) = current.as_ref().filter(|runtime| !runtime.is_stale()) {
                return Ok(Arc::clone(runtime));
            }
            let fresh = Self::new(Config::from_env()?)?;
            let seen = GLOBAL.compare_and_swap(&current, Some(fresh));
            // The parent's runtime may hold locks and closures of threads that do not exist here.
            if let Some(stale) = seen.as_ref().filter(|runtime| runtime.is_stale()) {
                std::mem::forget(Arc::clone(stale));
            }
        }
    }

    /// True in a forked child, where every use of this runtime fails.
    pub fn is_stale(&self) -> bool {
        self.base.pool.check_process().is_err()
    }

    /// The devices, in the order of their ids.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// The device with this id; 107001 when there is none.
    pub fn device(&self, id: u32) -> Result<&Arc<Device>> {
        self.devices.get(id as usize).ok_or_else(|| {
            let last = self.devices.len() - 1;
            Error::new(
                ErrorCode::InvalidDeviceId,
                format!("device {id} does not exist; the ids are 0 to {last}"),
            )
        })
    }

    /// The memory of the devices and of the host.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.base.memory
    }

    /// How many worker threads exist now.
    pub fn workers(&self) -> usize {
        self.base.pool.workers()
    }

    /// How long a stream waits for an event before the wait fails with 107019; `None`, as at first, is for ever.
    pub fn set_wait_timeout(&self, timeout: Option<Duration>) {
        self.base.set_wait_timeout(timeout);
    }

    /// Resets every device and ends the workers, all within `timeout`; true when nothing is left. Later tasks fail.
    pub fn shutdown(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let left = || deadline.saturating_duration_since(Instant::now());
        let resets: Vec<_> = self
            .devices
            .iter()
            .map(|device| device.reset(left()))
            .collect();
        self.base.pool.shutdown(left()) && resets.into_iter().all(|done| done)
    }
}

impl Drop for Runtime {
    /// Shuts down without waiting for tasks that still run.
    fn drop(&mut self) {
        self.shutdown(Duration::ZERO);
    }
}
