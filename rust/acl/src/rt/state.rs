//! What the calls of `acl.rt` share.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use optap_runtime::{Context, ErrorCode, Event, Reports, Result, Runtime, Stream};
use parking_lot::Mutex;

use crate::rt::exception::Exceptions;
use crate::{Acl, Handles};

/// Handles, and what the runtime itself does not keep.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) contexts: Handles<Context>,
    pub(crate) streams: Handles<Stream>,
    pub(crate) events: Handles<Event>,
    pub(crate) reports: Reports,
    pub(crate) exceptions: Exceptions,
    /// How long an operator may run, in ns; 0 is for ever.
    pub(crate) op_timeout_ns: AtomicU64,
    /// The tags that scripts gave to streams, by stream id.
    pub(crate) tags: Mutex<HashMap<u32, u32>>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            contexts: Handles::new("context", ErrorCode::ContextNull),
            streams: Handles::new("stream", ErrorCode::InvalidHandle),
            events: Handles::new("event", ErrorCode::InvalidHandle),
            reports: Reports::default(),
            exceptions: Exceptions::default(),
            op_timeout_ns: AtomicU64::new(0),
            tags: Mutex::default(),
        }
    }
}

impl State {
    /// Forgets the contexts that are destroyed, and their streams.
    pub(crate) fn forget_dead(&self) {
        self.contexts.retain(Context::is_alive);
        self.streams
            .retain(|stream| stream.context().is_ok_and(|context| context.is_alive()));
    }
}

/// The state of this process.
pub(crate) fn state() -> &'static State {
    &Acl::global().rt
}

/// The runtime of this process.
pub(crate) fn runtime() -> Result<Arc<Runtime>> {
    Runtime::global()
}
