//! What the readers of a subscription share.

use std::sync::atomic::{AtomicUsize, Ordering};

use optap_profiler::{Cursor, Next, ReceivedOp};
use pyo3::ffi::PyObject;
use pyo3::prelude::*;

use crate::fields::{Field, tuple};
use crate::op::OpMaker;
use crate::pace::Pace;

/// What a read of one op found.
pub enum Taken {
    /// An op, or a tuple of its fields: an owned reference, null with an exception set.
    Op(*mut PyObject),
    /// Nothing now.
    Empty,
    /// Nothing ever again.
    End,
}

/// Where a reader stands, and what it needs to make ops.
#[derive(Default)]
pub struct Place {
    cursor: Cursor,
    maker: OpMaker,
}

impl Place {
    /// Whether an op lies at hand.
    #[inline]
    pub fn has_next(&self) -> bool {
        self.cursor.has_next()
    }
}

/// What a reader and its subscription share.
pub struct Inner {
    pub subscription: optap_profiler::Subscription,
    pub pace: Pace,
    fields: Option<Box<[Field]>>,
    readers: AtomicUsize,
}

impl Inner {
    /// Nobody reads yet.
    pub fn new(subscription: optap_profiler::Subscription, fields: Option<Box<[Field]>>) -> Self {
        Self {
            subscription,
            pace: Pace::default(),
            fields,
            readers: AtomicUsize::new(0),
        }
    }

    /// Counts a reader that begins. Its task must be suspended before the first op.
    pub fn add_reader(&self) {
        self.readers.fetch_add(1, Ordering::Relaxed);
        self.pace.expire();
    }

    /// Counts a reader that is gone.
    pub fn remove_reader(&self) {
        self.readers.fetch_sub(1, Ordering::Relaxed);
    }

    /// How many native readers there are.
    pub fn readers(&self) -> usize {
        self.readers.load(Ordering::Relaxed)
    }

    /// Takes the oldest op. A gap at the end is not an op; the close report tells it.
    #[inline]
    pub fn take(&self, py: Python<'_>, place: &mut Place) -> Taken {
        match self.subscription.next(&mut place.cursor) {
            ReceivedOp::Op(Next { block, index, gap }) => Taken::Op(match &self.fields {
                None => place.maker.make(py, block, index, gap),
                Some(fields) => tuple(py, fields, &mut place.maker, block, index, gap),
            }),
            ReceivedOp::Empty => Taken::Empty,
            ReceivedOp::End => Taken::End,
        }
    }
}
