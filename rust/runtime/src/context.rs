//! Streams that belong together, and which of them a thread means.

mod current;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::codes::ErrorCode;
use crate::completion::Completion;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::fault::{FailureMode, Fault};
use crate::quota::Lease;
use crate::stream::Stream;

pub use current::{check_current, current, set_current};

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// A default stream, further streams, and how they answer failures.
pub struct Context {
    id: u64,
    device: Arc<Device>,
    is_primary: bool,
    fault: Arc<Fault>,
    default_stream: Arc<Stream>,
    streams: Mutex<BTreeMap<u32, (Arc<Stream>, Lease)>>,
    life: Mutex<Life>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Alive,
    Dying,
    Dead,
}

impl Context {
    pub(crate) fn new(device: &Arc<Device>, is_primary: bool) -> Arc<Self> {
        let fault = Arc::new(Fault::default());
        Arc::new_cyclic(|context: &Weak<Self>| {
            let base = Arc::clone(device.base());
            let default_stream =
                Stream::new(device.id(), context.clone(), base, Arc::clone(&fault));
            Self {
                id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
                device: Arc::clone(device),
                is_primary,
                fault,
                default_stream,
                streams: Mutex::default(),
                life: Mutex::new(Life::Alive),
            }
        })
    }

    /// The id, unique among the contexts of this process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The device that the context belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// True for the context that all users of a device share.
    pub fn is_primary(&self) -> bool {
        self.is_primary
    }

    /// The stream that is meant when none is named.
    pub fn default_stream(&self) -> &Arc<Stream> {
        &self.default_stream
    }

    /// The default stream and all others.
    pub fn streams(&self) -> Vec<Arc<Stream>> {
        let created = self.streams.lock();
        let others = created.values().map(|(stream, _)| stream);
        std::iter::once(&self.default_stream)
            .chain(others)
            .cloned()
            .collect()
    }

    /// True until the context is destroyed.
    pub fn is_alive(&self) -> bool {
        *self.life.lock() == Life::Alive
    }

    pub(crate) fn check_alive(&self) -> Result<()> {
        self.device.base().pool.check_process()?;
        self.require(*self.life.lock())
    }

    fn require(&self, life: Life) -> Result<()> {
        if life == Life::Alive {
            return Ok(());
        }
        let detail = format!("context {} is destroyed; create another one", self.id);
        Err(Error::new(ErrorCode::ContextNull, detail))
    }

    /// A new stream. 207008 when the device has no free one, 107002 when the context is destroyed.
    pub fn create_stream(self: &Arc<Self>) -> Result<Arc<Stream>> {
        let quota = self.device.stream_quota();
        let lease = quota.take().ok_or_else(|| {
            let detail = format!(
                "all {} streams of device {} are in use; destroy some",
                quota.limit(),
                self.device.id()
            );
            Error::new(ErrorCode::NoStreamResource, detail)
        })?;
        let base = Arc::clone(self.device.base());
        let stream = Stream::new(
            self.device.id(),
            Arc::downgrade(self),
            base,
            Arc::clone(&self.fault),
        );
        self.fault.check()?;
        let life = self.life.lock();
        self.require(*life)?;
        self.streams
            .lock()
            .insert(stream.id(), (Arc::clone(&stream), lease));
        Ok(stream)
    }

    /// A new event. 107000 for flags that cannot be, 207007 when the device has no free one.
    pub fn create_event(&self, kind: EventKind) -> Result<Event> {
        kind.check()?;
        self.check_alive()?;
        self.fault.check()?;
        let quota = self.device.event_quota();
        let lease = quota.take().ok_or_else(|| {
            let detail = format!(
                "all {} events of device {} are in use; drop some",
                quota.limit(),
                self.device.id()
            );
            Error::new(ErrorCode::NoEventResource, detail)
        })?;
        Ok(Event::new(kind, Arc::clone(&self.fault), lease))
    }

    pub(crate) fn forget_stream(&self, id: u32) {
        let forgotten = self.streams.lock().remove(&id);
        drop(forgotten);
    }

    /// How the context answers failures.
    pub fn failure_mode(&self) -> FailureMode {
        self.fault.mode()
    }

    /// The failure that stopped the context in stop mode; it stays until the context is destroyed.
    pub fn failure(&self) -> Option<Error> {
        self.fault.check().err()
    }

    /// Aborts every stream with `error` as the reason.
    pub(crate) fn abort(&self, error: &Error) {
        for stream in self.streams() {
            stream.abort_with(error);
        }
    }

    /// Destroys the streams after their tasks, then the context.
    ///
    /// # Errors
    /// 107002 for the primary context of a device and for a destroyed one, 507007 while it is being destroyed.
    pub fn destroy(self: &Arc<Self>) -> Result<()> {
        if self.is_primary {
            let detail = format!(
                "context {} is the primary one; reset device {} instead",
                self.id,
                self.device.id()
            );
            return Err(Error::new(ErrorCode::ContextNull, detail));
        }
        self.end()
    }

    pub(crate) fn end(self: &Arc<Self>) -> Result<()> {
        self.device.base().pool.check_process()?;
        for stream in self.streams() {
            stream.check_outside("destroy the context of")?;
        }
        self.begin_end()?;
        for stream in self.streams() {
            // A stream that is being destroyed elsewhere needs no second end.
            let _ = stream.end();
        }
        *self.life.lock() = Life::Dead;
        self.device.forget_context(self.id);
        current::leave(self);
        Ok(())
    }

    /// Aborts every stream and ends the context at once; gives what the tasks that still run will complete.
    pub(crate) fn abandon(&self, error: &Error) -> Vec<Completion> {
        *self.life.lock() = Life::Dead;
        self.abort(error);
        let streams = self.streams();
        self.streams.lock().clear();
        streams.iter().map(|stream| stream.close()).collect()
    }

    fn begin_end(&self) -> Result<()> {
        let mut life = self.life.lock();
        let code = match *life {
            Life::Alive => {
                *life = Life::Dying;
                return Ok(());
            }
            Life::Dying => ErrorCode::ContextReleaseError,
            Life::Dead => ErrorCode::ContextNull,
        };
        Err(Error::new(
            code,
            format!("context {} is already destroyed", self.id),
        ))
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("id", &self.id)
            .field("device_id", &self.device.id())
            .finish_non_exhaustive()
    }
}
