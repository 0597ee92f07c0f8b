//! A loaded ONNX model.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use tract_onnx::tract_hir::infer::InferenceModel;

use crate::cache::PlanCache;
use crate::compile::compile;
use crate::flow::Flow;
use crate::graph::unmark;
use crate::inputs::check_shapes;
use crate::load::Loaded;
use crate::panic::contain;
use crate::spec::joined;
use crate::{
    BoundInputs, Error, ModelOptions, OnnxNode, Plan, PlanOp, Stage, Tensor, TensorSpec, lineage,
};

/// An ONNX model and the plans compiled from it. Cloning it shares everything.
///
/// ```no_run
/// use optap_engine::{DType, Model, Tensor, Unobserved};
/// let model = Model::from_path("model.onnx".as_ref())?;
/// let tensor = Tensor::new(DType::F32, &[1, 4], &[0; 16])?;
/// let inputs = model.check(vec![tensor])?;
/// let outputs = model.plan(&inputs)?.run(inputs, &mut Unobserved)?;
/// println!("{outputs:?}");
/// # Ok::<(), optap_engine::Error>(())
/// ```
#[derive(Clone)]
pub struct Model(Arc<Inner>);

struct Inner {
    template: InferenceModel,
    nodes: Vec<OnnxNode>,
    inputs: Vec<TensorSpec>,
    outputs: Vec<TensorSpec>,
    flow: Flow,
    cache: PlanCache,
}

impl Model {
    pub(crate) fn new(loaded: Loaded, plans: usize) -> Model {
        let Loaded {
            template,
            nodes,
            inputs,
            outputs,
        } = loaded;
        let flow = Flow::new(&nodes, &inputs);
        Model(Arc::new(Inner {
            template,
            nodes,
            inputs,
            outputs,
            flow,
            cache: PlanCache::new(plans),
        }))
    }

    /// Loads a model file with the options of the environment.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::NotOnnx`], [`Error::Graph`], [`Error::ExternalData`],
    /// [`Error::UnsupportedOperator`] or [`Error::UnsupportedType`], by what is wrong with it.
    pub fn from_path(path: &Path) -> Result<Model, Error> {
        ModelOptions::from_env()?.load_path(path)
    }

    /// Loads a model from memory with the options of the environment.
    ///
    /// # Errors
    /// As [`Model::from_path`]; [`Error::ExternalData`] for any tensor kept outside the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, Error> {
        ModelOptions::from_env()?.load_bytes(bytes)
    }

    /// What the model takes. An input with an initialiser is a constant and not listed.
    pub fn inputs(&self) -> &[TensorSpec] {
        &self.0.inputs
    }

    /// What the model gives.
    pub fn outputs(&self) -> &[TensorSpec] {
        &self.0.outputs
    }

    /// The ONNX nodes in the order of the graph, each followed by those of its bodies.
    pub fn nodes(&self) -> &[OnnxNode] {
        &self.0.nodes
    }

    /// How many compiled plans are kept at the moment.
    pub fn plans_kept(&self) -> usize {
        self.0.cache.len()
    }

    /// Binds tensors to the inputs by position.
    ///
    /// # Errors
    /// [`Error::InputCount`], [`Error::InputMismatch`] or [`Error::SymbolMismatch`].
    pub fn check(&self, tensors: Vec<Tensor>) -> Result<BoundInputs, Error> {
        BoundInputs::by_position(&self.0.inputs, tensors)
    }

    /// Binds tensors to the inputs by name.
    ///
    /// # Errors
    /// Those of [`Model::check`], and [`Error::MissingInput`], [`Error::UnknownInput`] or
    /// [`Error::DuplicateInput`].
    pub fn check_named(&self, tensors: Vec<(String, Tensor)>) -> Result<BoundInputs, Error> {
        BoundInputs::by_name(&self.0.inputs, tensors)
    }

    /// The plan for the shapes of `inputs`, compiled the first time and then kept.
    ///
    /// # Errors
    /// [`Error::Plan`] when the model cannot be compiled for these shapes, [`Error::Panic`] when the
    /// compiler panics.
    pub fn plan(&self, inputs: &BoundInputs) -> Result<Arc<Plan>, Error> {
        let shapes: Vec<&[usize]> = inputs.tensors().iter().map(Tensor::shape).collect();
        self.plan_for(&shapes)
    }

    /// The plan for these shapes, one for each input, before there are tensors.
    ///
    /// # Errors
    /// Those of [`Model::plan`], and those of [`Model::check`] that concern shapes.
    pub fn plan_for(&self, shapes: &[&[usize]]) -> Result<Arc<Plan>, Error> {
        check_shapes(&self.0.inputs, shapes)?;
        self.0.cache.get(shapes, || self.0.compile(shapes))
    }
}

impl Inner {
    fn compile(&self, shapes: &[&[usize]]) -> Result<Plan, Error> {
        let planned = contain(|| {
            let compiled = compile(&self.template, &self.inputs, shapes)?;
            let model = compiled.plan.model();
            let lineage = lineage::trace(model, &compiled.executed, &self.nodes, &self.flow);
            let nodes = compiled.executed.iter().map(|&id| model.node(id));
            let ops = nodes.zip(lineage.sources);
            let ops = ops
                .map(|(node, sources)| PlanOp::new(model, node, &self.nodes, sources))
                .collect();
            let inputs = self
                .inputs
                .iter()
                .zip(shapes)
                .map(|(spec, shape)| (spec.dtype, shape.to_vec()))
                .collect();
            Plan::new(compiled, inputs, ops, lineage.folded)
        });
        let planned = planned.map_err(|message| {
            let message = unmark(&message, &self.nodes);
            Error::Panic {
                stage: Stage::Plan,
                op: None,
                message,
            }
        })?;
        planned.map_err(|error| Error::Plan {
            shapes: self.named_shapes(shapes),
            reason: unmark(&format!("{error:#}"), &self.nodes),
        })
    }

    fn named_shapes(&self, shapes: &[&[usize]]) -> String {
        let named = self.inputs.iter().zip(shapes);
        let named =
            named.map(|(spec, shape)| format!("'{}' {}[{}]", spec.name, spec.dtype, joined(shape)));
        named.collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            inputs,
            outputs,
            nodes,
            ..
        } = &*self.0;
        f.debug_struct("Model")
            .field("inputs", inputs)
            .field("outputs", outputs)
            .field("nodes", &nodes.len())
            .finish_non_exhaustive()
    }
}
