//! From an ONNX graph and concrete shapes to a plan of the engine.

use std::sync::Arc;

use tract_core::internal::TypedSimplePlan;
use tract_core::ops::source::TypedSource;
use tract_core::prelude::TypedModel;
use tract_core::tract_data::TractResult;
use tract_onnx::tract_hir::infer::{InferenceFact, InferenceModel};
use tract_onnx::tract_hir::prelude::InferenceModelExt;

use crate::{TensorSpec, cast};

/// A compiled graph and the nodes of it that are operators, in the order in which they run.
pub(crate) struct Compiled {
    pub(crate) plan: Arc<TypedSimplePlan>,
    pub(crate) executed: Vec<usize>,
}

/// Compiles a copy of `template` for inputs of these shapes.
pub(crate) fn compile(
    template: &InferenceModel,
    specs: &[TensorSpec],
    shapes: &[&[usize]],
) -> TractResult<Compiled> {
    let mut model = template.clone();
    for (index, (spec, shape)) in specs.iter().zip(shapes).enumerate() {
        model.set_input_fact(
            index,
            InferenceFact::dt_shape(cast::to_datum(spec.dtype), *shape),
        )?;
    }
    let model: TypedModel = model.into_typed()?.into_optimized()?;
    let plan = TypedSimplePlan::new(model)?;
    let is_op = |&id: &usize| !plan.model().node(id).op_is::<TypedSource>();
    let executed = plan
        .order_without_consts()
        .iter()
        .copied()
        .filter(is_op)
        .collect();
    Ok(Compiled { plan, executed })
}
