//! Who is told about operators.

use std::ops::ControlFlow;

use crate::OpInputs;

/// An observer's wish to end the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop;

/// Told about every operator of a run, on the thread that runs it.
///
/// Each `before` that lets the operator go is followed by exactly one `after` with the same index,
/// also when the operator fails or panics. The calls are compiled into the run loop: an empty
/// observer costs nothing. Neither call should panic or wait without bound.
pub trait Observer {
    /// Called before operator `op`, an index into [`crate::Plan::ops`]. Breaking stops the run here
    /// with [`crate::Error::Cancelled`].
    fn before(&mut self, op: usize) -> ControlFlow<Stop>;

    /// Called after operator `op`, with `failed` telling whether it gave an error.
    fn after(&mut self, op: usize, failed: bool);

    /// Whether [`inputs`](Self::inputs) is to be called. Asked before every operator; the answer that is
    /// given here is compiled away.
    #[inline]
    fn wants_inputs(&self) -> bool {
        false
    }

    /// Called before [`before`](Self::before), if wanted, with what operator `op` is about to read.
    fn inputs(&mut self, op: usize, inputs: OpInputs) {
        let _ = (op, inputs);
    }
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    #[inline]
    fn before(&mut self, _op: usize) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }

    #[inline]
    fn after(&mut self, _op: usize, _failed: bool) {}
}
