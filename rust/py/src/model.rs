//! A loaded model.

use std::sync::Arc;

use optap_engine::{Dim, TensorSpec};
use optap_profiler::Target;
use pyo3::prelude::*;

use crate::error::{OrRaise, from_engine};
use crate::execute::{Executable, RunState, fresh_run_id, submit};
use crate::run::Run;
use crate::stream::Stream;
use crate::tensor;

/// An ONNX model on a device.
#[pyclass(frozen, module = "optap._core")]
pub struct Model {
    pub executable: Arc<Executable>,
}

type Spec = (String, &'static str, Option<Vec<Py<PyAny>>>);

impl Model {
    /// What a subscription to the model listens to.
    pub fn target(&self) -> Target {
        Target::Model(self.executable.tap.model_id())
    }
}

#[pymethods]
impl Model {
    /// Id of the model, unique in the process.
    #[getter]
    fn model_id(&self) -> u32 {
        self.executable.tap.model_id()
    }

    /// The file's name, or what the loader called it.
    #[getter]
    fn name(&self) -> &str {
        &self.executable.name
    }

    /// Name, numpy dtype and dimensions of each input; a dimension is an int, a symbol or `None`.
    fn inputs(&self, py: Python<'_>) -> PyResult<Vec<Spec>> {
        specs(py, self.executable.model.inputs())
    }

    /// Name, numpy dtype and dimensions of each output.
    fn outputs(&self, py: Python<'_>) -> PyResult<Vec<Spec>> {
        specs(py, self.executable.model.outputs())
    }

    /// Name and operator type of each ONNX node, in graph order.
    fn nodes(&self) -> Vec<(&str, &str)> {
        self.executable
            .model
            .nodes()
            .iter()
            .map(|node| (&*node.name, &*node.op_type))
            .collect()
    }

    /// What a plan for inputs of these shapes executes: name, type, kernel, sources of each op. Compiles the plan.
    fn ops(
        &self,
        py: Python<'_>,
        shapes: Vec<Vec<usize>>,
    ) -> PyResult<Vec<(String, String, String, Vec<String>)>> {
        let model = &self.executable.model;
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
    fn start(
        &self,
        stream: &Stream,
        inputs: Vec<(Option<String>, String, Vec<usize>, Bound<'_, PyAny>)>,
    ) -> PyResult<Run> {
        let tensors = inputs.into_iter().map(|(name, dtype, shape, array)| {
            Ok((name, tensor::from_python(&dtype, &shape, &array)?))
        });
        let bound = self.bind(tensors.collect::<PyResult<Vec<_>>>()?)?;
        let (run_id, state) = (fresh_run_id(), Arc::<RunState>::default());
        let completion =
            submit(&self.executable, bound, stream.inner(), run_id, &state).or_raise()?;
        Ok(Run {
            run_id,
            model_id: self.model_id(),
            stream_id: stream.inner().id(),
            completion,
            state,
        })
    }
}

impl Model {
    fn bind(
        &self,
        tensors: Vec<(Option<String>, optap_engine::Tensor)>,
    ) -> PyResult<optap_engine::BoundInputs> {
        let model = &self.executable.model;
        let declared = model.inputs();
        let positional = tensors
            .iter()
            .take_while(|(name, _)| name.is_none())
            .count();
        let bound = if positional == tensors.len() {
            model.check(tensors.into_iter().map(|(_, tensor)| tensor).collect())
        } else {
            let name = |at: usize| {
                declared
                    .get(at)
                    .map_or_else(|| format!("#{at}"), |spec| spec.name.clone())
            };
            model.check_named(
                tensors
                    .into_iter()
                    .enumerate()
                    .map(|(at, (given, tensor))| (given.unwrap_or_else(|| name(at)), tensor))
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
