//! Models whose operators are written to a descriptor of the script.

use std::fmt;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

use optap_runtime::{Error, ErrorCode, Result};

use crate::prof::config::NO_METRICS;
use crate::prof::feed::{Feed, Shared};
use crate::prof::mode::Mode;
use crate::prof::pipe::Pipes;

/// How long an unsubscribe waits for what is still to be written. The thread goes on after that.
pub const UNSUBSCRIBE_LIMIT: Duration = Duration::from_millis(500);

/// What a model is subscribed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscribeConfig {
    /// What is asked for of each operator.
    pub wish: Wish,
    /// Where records go: the library writes and closes it from the subscription on.
    pub fd: RawFd,
}

/// What is asked for of each operator; subscriptions of one device ask for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Times.
    pub times: bool,
    /// The kind of metrics.
    pub metrics: i32,
}

impl SubscribeConfig {
    /// A configuration. 100000 for a switch other than 0 and 1; the descriptor is not looked at.
    pub(crate) fn new(time_info_switch: u8, metrics: i32, fd: RawFd) -> Result<Self> {
        if time_info_switch > 1 {
            let detail = format!("time_info_switch is {time_info_switch}; it is 0 or 1");
            return Err(Error::new(ErrorCode::InvalidParam, detail));
        }
        let times = time_info_switch == 1;
        Ok(Self {
            wish: Wish { times, metrics },
            fd,
        })
    }
}

/// A subscription that runs.
pub(crate) struct Subscribed {
    device_id: u32,
    wish: Wish,
    feed: Feed,
}

impl fmt::Debug for Subscribed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscribed")
            .field("device_id", &self.device_id)
            .field("wish", &self.wish)
            .finish_non_exhaustive()
    }
}

impl Subscribed {
    /// Ends the subscription; returns whether all was written and the descriptor closed in [`UNSUBSCRIBE_LIMIT`].
    pub(crate) fn end(self) -> bool {
        self.feed.finish();
        self.feed.wait(UNSUBSCRIBE_LIMIT)
    }
}

/// What a subscription is started with.
pub(crate) struct Request<'call> {
    pub(crate) model_id: u32,
    /// The device of the model.
    pub(crate) device_id: u32,
    pub(crate) config: &'call SubscribeConfig,
    /// Whether each run's bounds are told as well.
    pub(crate) with_iterations: bool,
}

impl Mode {
    /// Starts a subscription, or says why not.
    pub(crate) fn subscribe(
        &mut self,
        request: &Request<'_>,
        pipes: &Pipes,
        shared: &Arc<Shared>,
    ) -> Result<()> {
        let Request {
            model_id,
            device_id,
            config,
            with_iterations,
        } = *request;
        self.check_not_by_file()?;
        self.check_no_collection()?;
        self.check_wish(model_id, device_id, config.wish)?;
        let feed = Feed::start(
            model_id,
            pipes.take(config.fd),
            shared.clone(),
            with_iterations,
        );
        let feed =
            feed.map_err(|error| Error::new(ErrorCode::ProfilingFailure, error.to_string()))?;
        let wish = config.wish;
        self.subscribed.insert(
            model_id,
            Subscribed {
                device_id,
                wish,
                feed,
            },
        );
        Ok(())
    }

    fn check_wish(&self, model_id: u32, device_id: u32, wish: Wish) -> Result<()> {
        if !wish.times && wish.metrics == NO_METRICS {
            return Err(Error::new(
                ErrorCode::InvalidParam,
                "neither times nor metrics are asked for",
            ));
        }
        if self.subscribed.contains_key(&model_id) {
            let detail = format!("model {model_id} is subscribed already");
            return Err(Error::new(ErrorCode::ProfRepeatSubscribe, detail));
        }
        let mut others = self
            .subscribed
            .values()
            .filter(|other| other.device_id == device_id);
        if others.any(|other| other.wish != wish) {
            let detail = format!(
                "another model on device {device_id} is subscribed with another configuration"
            );
            return Err(Error::new(ErrorCode::InvalidProfilingConfig, detail));
        }
        Ok(())
    }

    /// Takes out the subscription of a model; 100011 where there is none.
    pub(crate) fn unsubscribe(&mut self, model_id: u32, is_loaded: bool) -> Result<Subscribed> {
        let unknown = || {
            let detail = format!("model {model_id} is not subscribed");
            Error::new(ErrorCode::InvalidModelId, detail)
        };
        if !is_loaded && !self.subscribed.contains_key(&model_id) {
            return Err(unknown());
        }
        self.check_not_by_file()?;
        self.check_no_collection()?;
        self.subscribed.remove(&model_id).ok_or_else(unknown)
    }
}
