//! What an operator is about to read.

use std::fmt;

use tract_core::internal::TVec;
use tract_core::prelude::TValue;

use crate::Tensor;

/// The values that an operator is about to read, in the order of [`PlanOp::inputs`](crate::PlanOp::inputs).
///
/// They are shared with the engine, which makes copies where it would have overwritten them.
#[derive(Clone)]
pub struct OpInputs(TVec<TValue>);

impl OpInputs {
    pub(crate) fn new(values: &TVec<TValue>) -> OpInputs {
        OpInputs(values.clone())
    }

    /// The values as tensors; `None` for one that the engine keeps in a layout of its own.
    pub fn into_tensors(self) -> Vec<Option<Tensor>> {
        let tensor = |value| Tensor::from_value(value).ok();
        self.0.into_iter().map(tensor).collect()
    }
}

impl fmt::Debug for OpInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpInputs").field(&self.0.len()).finish()
    }
}
