//! Joins the runtime to rings, batches and subscriptions.
//!
//! An op that completes is pushed to the ring of its thread ([`Recorder`]); one drainer ([`Profiler`]) moves records
//! into [`Block`]s and offers them to each [`Subscription`], whose queue decides what to keep ([`Overflow`]). Ranges,
//! marks and steps of the user's own code go the same way ([`OpenRange`], [`mark`], [`step`]).

pub mod clock;

mod annotation;
mod begun;
mod block;
mod filter;
mod kinds;
mod label;
mod lent;
mod line;
mod open_slice;
mod policy;
mod profiler;
mod queue;
mod ranges;
mod recorder;
mod script;
mod staging;
mod subscriber;
mod subscription;
mod tap;
mod target;
mod thread_ring;

pub use annotation::{OpenRange, Times, is_recording, mark, range, step};
pub use block::{Block, Slice};
pub use filter::{Filter, Pattern};
pub use kinds::Kinds;
pub use label::Label;
pub use open_slice::{Cursor, Next};
pub use policy::Overflow;
pub use profiler::{Cost, Names, Profiler};
pub use queue::{Counters, Phase, Queue, Reason};
pub use recorder::{Holder, Recorder};
pub use script::Script;
pub use subscriber::{Received, ReceivedOp, STALL_LIMIT, Subscriber};
pub use subscription::{Settings, Statistics, Subscription};
pub use tap::Tap;
pub use target::Target;
pub use thread_ring::RING_RECORDS;
