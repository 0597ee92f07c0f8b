//! What pyACL answers, without Python: one function for each of its functions, over plain numbers, bytes and text.
//!
//! A function gives the [`Result`](optap_runtime::Result) of the call; [`answer`] turns it into the code that pyACL
//! returns, and keeps the reason for `acl.get_recent_err_msg`. Objects are known by numbers, see [`Handles`].

pub mod answer;
pub mod base;
pub mod bytes;
mod catalog;
mod handle;
pub mod log;
pub mod mdl;
pub mod prof;
pub mod rt;
mod state;
pub mod util;

pub use catalog::{Function, Status, functions};
pub use handle::Handles;
pub use state::Acl;
