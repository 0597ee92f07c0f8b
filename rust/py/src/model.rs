//! A loaded model.

use std::sync::Arc;

use optap_engine::{Dim, TensorSpec};
use optap_profiler::Target;
use pyo3::prelude::*;

use crate::annotate::current_range_id;
use crate::error::{OrRaise, from_engine};
use crate::number::whole;
use crate::origin::Origin;
use crate::run::Run;
use crate::stream::Stream;
use crate::tensor;

/// An ONNX model on a device.
#[pyclass(frozen, module = "optap._core")]
pub struct Model {
    inner: Arc<optap_model::Model>,
    origin: Origin,
}

/// Name, type, kernel and ONNX sources of an op.
type OpRow = (String, String, String, Vec<String>);

/// An input: name or position, numpy type, shape, contiguous buffer.
type Given<'py> = (Option<String>, String, Vec<usize>, Bound<'py, PyAny>);

type Spec = (String, &'static str, Option<Vec<Py<PyAny>>>);

impl Model {
    /// Wraps a model.
    pub fn new(inner: Arc<optap_model::Model>) -> Self {
        Self {
            inner,
            origin: Origin::default(),
        }
    }

    /// What a subscription to the model listens to; raises `ForkedError` in a forked child.
    pub fn target(&self) -> PyResult<Target> {
        self.origin.check("model")?;
        Ok(self.inner.target())
    }
}

#[pymethods]
impl Model {
    /// Id of the model, unique in the process.
    #[getter]
    fn model_id(&self) -> u32 {
        self.inner.id()
    }

    /// The file's name, or what the loader called it.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// Name, numpy dtype and dimensions of each input; a dimension is an int, a symbol or `None`.
    fn inputs(&self, py: Python<'_>) -> PyResult<Vec<Spec>> {
        specs(py, self.inner.engine().inputs())
    }

    /// Name, numpy dtype and dimensions of each output.
    fn outputs(&self, py: Python<'_>) -> PyResult<Vec<Spec>> {
        specs(py, self.inner.engine().outputs())
    }

    /// Name and operator type of each ONNX node, in graph order.
    fn nodes(&self) -> Vec<(&str, &str)> {
        self.inner
            .engine()
            .nodes()
            .iter()
            .map(|node| (&*node.name, &*node.op_type))
            .collect()
    }

    /// What a plan for inputs of these shapes executes: name, type, kernel, sources of each op. Compiles the plan.
    fn ops(&self, py: Python<'_>, shapes: Vec<Vec<Bound<'_, PyAny>>>) -> PyResult<Vec<OpRow>> {
        let model = self.inner.engine();
        let size = |size: &Bound<'_, PyAny>| whole("shape", size, 0..=isize::MAX as u64);
        let shapes = shapes.iter().map(|shape| shape.iter().map(size).collect());
        let shapes: Vec<Vec<usize>> = shapes.collect::<PyResult<_>>()?;
        let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        let plan = py
            .detach(|| model.plan_for(&shapes))
            .map_err(|error| from_engine(&error))?;
        let sources = |op: &optap_engine::PlanOp| {
            op.sources
                .iter()
                .map(|at| model.nodes()[*at].name.clone())
                .collect()
        };
        Ok(plan
            .ops()
            .iter()
            .map(|op| {
                (
                    op.name.clone(),
                    op.op_type.clone(),
                    op.kernel.clone(),
                    sources(op),
                )
            })
            .collect())
    }

    /// Check the inputs, given as `(name or None, dtype, shape, contiguous buffer)`, and submit a run to `stream`.
    fn start(&self, py: Python<'_>, stream: &Stream, inputs: Vec<Given<'_>>) -> PyResult<Run> {
        self.origin.check("model")?;
        let tensors = inputs.into_iter().enumerate();
        let tensors = tensors.map(|(at, (name, dtype, shape, array))| {
            let input = name.clone().unwrap_or_else(|| self.input_name(at));
            Ok((name, tensor::from_python(&input, &dtype, &shape, &array)?))
        });
        let bound = self.bind(tensors.collect::<PyResult<Vec<_>>>()?)?;
        let range_id = current_range_id(py)?;
        let submit = || self.inner.submit(bound, stream.inner(), range_id);
        optap_session::timed("Model.start", submit)
            .map(Run::new)
            .or_raise()
    }
}

impl Model {
    /// What the input at this place is called.
    fn input_name(&self, at: usize) -> String {
        let declared = self.inner.engine().inputs().get(at);
        declared.map_or_else(|| format!("#{at}"), |spec| spec.name.clone())
    }

    fn bind(
        &self,
        tensors: Vec<(Option<String>, optap_engine::Tensor)>,
    ) -> PyResult<optap_engine::BoundInputs> {
        let model = self.inner.engine();
        let positional = tensors
            .iter()
            .take_while(|(name, _)| name.is_none())
            .count();
        let bound = if positional == tensors.len() {
            model.check(tensors.into_iter().map(|(_, tensor)| tensor).collect())
        } else {
            model.check_named(
                tensors
                    .into_iter()
                    .enumerate()
                    .map(|(at, (given, tensor))| {
                        (given.unwrap_or_else(|| self.input_name(at)), tensor)
                    })
                    .collect(),
            )
        };
        bound.map_err(|error| from_engine(&error))
    }
}

fn specs(py: Python<'_>, specs: &[TensorSpec]) -> PyResult<Vec<Spec>> {
    let spec = |spec: &TensorSpec| {
        let dims = spec.dims.as_ref().map(|dims| {
            dims.iter()
                .map(|dim| dimension(py, dim))
                .collect::<PyResult<Vec<_>>>()
        });
        Ok((spec.name.clone(), spec.dtype.numpy(), dims.transpose()?))
    };
    specs.iter().map(spec).collect()
}

fn dimension(py: Python<'_>, dim: &Dim) -> PyResult<Py<PyAny>> {
    Ok(match dim {
        Dim::Known(size) => size.into_pyobject(py)?.into_any().unbind(),
        Dim::Symbol(symbol) => symbol.into_pyobject(py)?.into_any().unbind(),
        Dim::Unknown => py.None(),
    })
}
