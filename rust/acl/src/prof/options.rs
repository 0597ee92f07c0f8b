//! What a script may ask of the subscriptions that pyACL cannot do, and what became of their records.

use std::sync::atomic::Ordering;

use crate::Acl;

/// Changes of how `acl.prof` behaves; `None` leaves things as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether a name or type is given once, as at first, or as often as it is asked for.
    pub strict: Option<bool>,
    /// Whether later subscriptions tell the bounds of each run as a record named `keypoint_op`; at first they do not.
    pub keypoint_op: Option<bool>,
    /// How many stamps may live at once; at first [`STAMPS`](crate::prof::STAMPS).
    pub stamps: Option<usize>,
}

/// What became of the records of all subscriptions so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Models that are subscribed now.
    pub subscribed: usize,
    /// Records written.
    pub written: u64,
    /// Records that a descriptor refused: closed by the script or its reader, or never open.
    pub unwritten: u64,
    /// Records lost because a pipe was not read for too long.
    pub overflowed: u64,
    /// Records with a name or a type that was not fetched.
    pub unread_names: usize,
}

/// Changes how `acl.prof` behaves in this process.
pub fn configure(options: Options) {
    let state = &Acl::global().prof;
    if let Some(strict) = options.strict {
        state.shared.names.keep(!strict);
    }
    if let Some(keypoint_op) = options.keypoint_op {
        state.with_iterations.store(keypoint_op, Ordering::Relaxed);
    }
    if let Some(stamps) = options.stamps {
        state.stamps.limit(stamps);
    }
}

/// The account of all subscriptions of this process.
pub fn statistics() -> Statistics {
    let state = &Acl::global().prof;
    let account = &state.shared.account;
    Statistics {
        subscribed: state.mode.lock().subscribed.len(),
        written: account.written.load(Ordering::Relaxed),
        unwritten: account.unwritten.load(Ordering::Relaxed),
        overflowed: account.overflowed.load(Ordering::Relaxed),
        unread_names: state.shared.names.unread(),
    }
}
