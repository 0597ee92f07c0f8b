//! Joins the runtime to rings, batches and subscriptions.
//!
//! An op that completes is pushed to the ring of its thread ([`Recorder`]); one drainer ([`Profiler`]) moves records
//! into [`Block`]s and offers them to each [`Subscription`], whose queue decides what to keep ([`Overflow`]).

pub mod clock;

mod block;
mod filter;
mod lent;
mod line;
mod open_slice;
mod policy;
mod profiler;
mod queue;
mod recorder;
mod script;
mod subscriber;
mod subscription;
mod tap;
mod target;

pub use block::{Block, Slice};
pub use filter::{Filter, Pattern};
pub use open_slice::{Cursor, Next};
pub use policy::Overflow;
pub use profiler::{Cost, Names, Profiler};
pub use queue::{Counters, Phase, Queue, Reason};
pub use recorder::{Holder, RING_RECORDS, Recorder};
pub use script::Script;
pub use subscriber::{Received, ReceivedOp, STALL_LIMIT, Subscriber};
pub use subscription::{Settings, Statistics, Subscription};
pub use tap::Tap;
pub use target::Target;
