//! What the calls of `acl.prof` share.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use optap_runtime::ErrorCode;
use parking_lot::Mutex;

use crate::Handles;
use crate::prof::config::Config;
use crate::prof::feed::Shared;
use crate::prof::mode::Mode;
use crate::prof::pipe::Pipes;
use crate::prof::stamp::Stamps;
use crate::prof::step::Step;
use crate::prof::subscription::SubscribeConfig;

/// What the calls of this module share.
pub(crate) struct State {
    pub(crate) configs: Handles<Config>,
    pub(crate) subscribe_configs: Handles<SubscribeConfig>,
    pub(crate) steps: Handles<Step>,
    pub(crate) stamps: Stamps,
    pub(crate) mode: Mutex<Mode>,
    pub(crate) pipes: Pipes,
    pub(crate) shared: Arc<Shared>,
    /// Whether subscriptions tell the bounds of each run.
    pub(crate) with_iterations: AtomicBool,
}

impl Default for State {
    fn default() -> Self {
        let unknown = ErrorCode::InvalidParam;
        Self {
            configs: Handles::new("profiling configuration", unknown),
            subscribe_configs: Handles::new("subscribe configuration", unknown),
            steps: Handles::new("step info", unknown),
            stamps: Stamps::default(),
            mode: Mutex::default(),
            pipes: Pipes::default(),
            shared: Arc::default(),
            with_iterations: AtomicBool::new(false),
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("mode", &self.mode)
            .field("stamps", &self.stamps)
            .finish_non_exhaustive()
    }
}
