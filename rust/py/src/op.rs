//! One op, read where it lies.

use std::sync::Arc;

use optap_profiler::Block;
use optap_record::{Flags, OpRecord};
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PyString};

use crate::strings::{Label, label};

/// One op that completed. Times are nanoseconds of `time.monotonic_ns()`.
#[pyclass(frozen, module = "optap")]
pub struct Op {
    block: Arc<Block>,
    index: u32,
    gap: u64,
}

impl Op {
    /// The op at `index` of `block`, with what was lost just before it.
    pub fn new(block: Arc<Block>, index: usize, gap: u64) -> Self {
        Self {
            block,
            index: index as u32,
            gap,
        }
    }

    #[inline]
    fn record(&self) -> &OpRecord {
        &self.block.records()[self.index as usize]
    }

    fn label<'py>(&self, py: Python<'py>, which: Label) -> PyResult<Bound<'py, PyString>> {
        label(py, &self.block, self.record().op_id, which)
    }
}

#[pymethods]
impl Op {
    /// Name of the ONNX node.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.label(py, Label::Name)
    }

    /// Operator type of the ONNX node, such as `Conv`.
    #[getter]
    fn r#type<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.label(py, Label::Type)
    }

    /// What the engine ran for it.
    #[getter]
    fn kernel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.label(py, Label::Kernel)
    }

    /// `op`, `range`, `mark` or `step`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.record().kind.name()
    }

    /// When it began, in nanoseconds.
    #[getter]
    fn start_ns(&self) -> u64 {
        self.record().start_ns
    }

    /// When it ended, in nanoseconds.
    #[getter]
    fn end_ns(&self) -> u64 {
        self.record().end_ns
    }

    /// How long it took, in nanoseconds; `None` where a time is zero or the end lies before the start.
    #[getter]
    fn duration_ns(&self) -> Option<u64> {
        self.record().duration_ns()
    }

    /// Id of the model.
    #[getter]
    fn model_id(&self) -> u32 {
        self.record().model_id
    }

    /// Id of the device.
    #[getter]
    fn device_id(&self) -> u32 {
        self.record().device_id
    }

    /// Id of the stream.
    #[getter]
    fn stream_id(&self) -> u32 {
        self.record().stream_id
    }

    /// The operating system's id of the thread that ran it.
    #[getter]
    fn thread_id(&self) -> u32 {
        self.record().thread_id
    }

    /// Id of the run.
    #[getter]
    fn run_id(&self) -> u64 {
        self.record().run_id
    }

    /// What sets the op apart: a set of lower-case words.
    #[getter]
    fn flags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        PyFrozenSet::new(py, flag_names(self.record().flags))
    }

    /// Number of the op in its stream, counted at completion.
    #[getter]
    fn sequence(&self) -> u64 {
        self.record().sequence
    }

    /// Ops that this subscriber lost just before this one.
    #[getter]
    fn gap(&self) -> u64 {
        self.gap
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (name, kind) = (self.name(py)?, self.r#type(py)?);
        let duration = self
            .duration_ns()
            .map_or("no duration".into(), |ns| format!("{ns} ns"));
        Ok(format!("<Op {} {} {duration}>", kind.repr()?, name.repr()?))
    }
}

fn flag_names(flags: Flags) -> Vec<&'static str> {
    flags.names().collect()
}
