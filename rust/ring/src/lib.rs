//! One bounded single-producer ring, and the means to wake whoever drains it.
//!
//! - [`ring()`] makes a [`Producer`] and a [`Consumer`] of plain items. A push never waits, allocates or locks.
//! - [`RingSet`] drains many rings from one thread, and keeps the order that [`Fence`] records ask for.
//! - [`Parker`] puts that thread to sleep, at almost no cost to the producers.
//! - [`Doorbell`] is a descriptor that an event loop can wait on; [`Signal`] rings it only when someone waits.
//!
//! The crate is generic and knows no record. Every memory ordering of the project stands here.

mod barrier;
mod consumer;
mod doorbell;
#[cfg(target_os = "linux")]
mod eventfd;
mod fence;
mod parker;
#[cfg(any(test, not(target_os = "linux")))]
mod pipe;
mod producer;
mod ring;
mod set;
mod signal;
mod slots;
mod sync;

pub use consumer::Consumer;
pub use doorbell::Doorbell;
pub use fence::{Fence, Fenced};
pub use parker::Parker;
pub use producer::{Full, Producer};
pub use ring::ring;
pub use set::RingSet;
pub use signal::Signal;
