//! One device: who uses it, its contexts, its limits.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::base::Base;
use crate::codes::ErrorCode;
use crate::config::Config;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::memory::DeviceBuffer;
use crate::quota::Quota;
use crate::stream::Stream;

/// A device. It is used through contexts: the primary one that all users share, and explicit ones.
pub struct Device {
    id: u32,
    base: Arc<Base>,
    streams: Arc<Quota>,
    events: Arc<Quota>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    retained: u32,
    primary: Option<Arc<Context>>,
    contexts: BTreeMap<u64, Arc<Context>>,
}

impl Device {
    pub(crate) fn new(id: u32, base: Arc<Base>, config: &Config) -> Arc<Self> {
        Arc::new(Self {
            id,
            base,
            streams: Quota::new(config.streams),
            events: Quota::new(config.events),
            state: Mutex::default(),
        })
    }

    /// The id: its place among the devices of the runtime, from 0.
    pub fn id(&self) -> u32 {
        self.id
    }

    pub(crate) fn base(&self) -> &Arc<Base> {
        &self.base
    }

    pub(crate) fn stream_quota(&self) -> &Arc<Quota> {
        &self.streams
    }

    pub(crate) fn event_quota(&self) -> &Arc<Quota> {
        &self.events
    }

    /// Memory of `len_bytes` on this device. Errors as [`Memory::allocate`](crate::Memory::allocate).
    pub fn allocate(&self, len_bytes: usize) -> Result<DeviceBuffer> {
        DeviceBuffer::new(&self.base.memory, self.id, len_bytes)
    }

    /// How many more streams can be created.
    pub fn available_streams(&self) -> u32 {
        self.streams.available()
    }

    /// How many more events can be created.
    pub fn available_events(&self) -> u32 {
        self.events.available()
    }

    /// Counts one more user and gives the primary context, which the first user creates.
    pub fn retain(self: &Arc<Self>) -> Result<Arc<Context>> {
        self.base.pool.check_process()?;
        let mut state = self.state.lock();
        state.retained += 1;
        Ok(Arc::clone(
            state
                .primary
                .get_or_insert_with(|| Context::new(self, true)),
        ))
    }

    /// Counts one user less; the last one waits for the tasks of the primary context and destroys it. Explicit
    /// contexts stay. 507007 when nobody uses the device.
    pub fn release(&self) -> Result<()> {
        self.leave(|retained| retained - 1)
    }

    /// As [`release`](Self::release) by every user at once.
    pub fn release_all(&self) -> Result<()> {
        self.leave(|_| 0)
    }

    fn leave(&self, count: impl FnOnce(u32) -> u32) -> Result<()> {
        self.base.pool.check_process()?;
        let mut state = self.state.lock();
        if state.retained == 0 {
            let detail = format!(
                "device {} is not in use; set it before it is reset",
                self.id
            );
            return Err(Error::new(ErrorCode::ContextReleaseError, detail));
        }
        state.retained = count(state.retained);
        let primary = if state.retained == 0 {
            state.primary.take()
        } else {
            None
        };
        drop(state);
        primary.map_or(Ok(()), |primary| primary.end())
    }

    /// Aborts whatever runs on the device, wakes everybody who waits for it with 107022, and destroys all contexts,
    /// however many users they have. Waits for running tasks to return, at most for `timeout`: false when some did not.
    pub fn reset(&self, timeout: Duration) -> bool {
        if self.base.pool.check_process().is_err() {
            return true;
        }
        let deadline = Instant::now() + timeout;
        let contexts = self.contexts();
        let detail = format!("device {} was reset; open it again", self.id);
        let error = Error::new(ErrorCode::DeviceTaskAbort, detail);
        let left: Vec<_> = contexts
            .iter()
            .flat_map(|context| context.abandon(&error))
            .collect();
        *self.state.lock() = State::default();
        left.iter().all(|ending| {
            ending
                .wait(Some(deadline.saturating_duration_since(Instant::now())))
                .is_some()
        })
    }

    /// Whether the primary context exists.
    pub fn is_active(&self) -> bool {
        self.state.lock().primary.is_some()
    }

    /// A new context with a default stream of its own.
    pub fn create_context(self: &Arc<Self>) -> Result<Arc<Context>> {
        self.base.pool.check_process()?;
        let context = Context::new(self, false);
        self.state
            .lock()
            .contexts
            .insert(context.id(), Arc::clone(&context));
        Ok(context)
    }

    pub(crate) fn forget_context(&self, id: u64) {
        let forgotten = self.state.lock().contexts.remove(&id);
        drop(forgotten);
    }

    /// The contexts that exist, the primary one first.
    pub fn contexts(&self) -> Vec<Arc<Context>> {
        let state = self.state.lock();
        state
            .primary
            .iter()
            .chain(state.contexts.values())
            .cloned()
            .collect()
    }

    /// Waits until everything submitted to any stream of the device has finished; then gives the first failure.
    ///
    /// # Errors
    /// 507046 when `timeout` ends first, and the stored failure of a stream, which is then forgotten.
    pub fn synchronize(&self, timeout: Option<Duration>) -> Result<()> {
        self.base.pool.check_process()?;
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        let streams: Vec<_> = self
            .contexts()
            .iter()
            .flat_map(|context| context.streams())
            .collect();
        let left = || deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let results: Vec<_> = streams
            .iter()
            .map(|stream: &Arc<Stream>| stream.wait_for_all(left()))
            .collect();
        results.into_iter().collect()
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
