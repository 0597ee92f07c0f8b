//! Ops as tuples of chosen fields.

use optap_profiler::Block;
use optap_record::OpRecord;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::strings::{Label, label};

/// A field of an op.
#[derive(Clone, Copy)]
pub enum Field {
    /// One of the names.
    Label(Label),
    /// A number of the record.
    Number(fn(&OpRecord) -> u64),
    /// The duration, which can be absent.
    Duration,
    /// What was lost just before.
    Gap,
}

const FIELDS: &[(&str, Field)] = &[
    ("name", Field::Label(Label::Name)),
    ("type", Field::Label(Label::Type)),
    ("kernel", Field::Label(Label::Kernel)),
    ("start_ns", Field::Number(|record| record.start_ns)),
    ("end_ns", Field::Number(|record| record.end_ns)),
    ("duration_ns", Field::Duration),
    ("model_id", Field::Number(|record| record.model_id.into())),
    ("device_id", Field::Number(|record| record.device_id.into())),
    ("stream_id", Field::Number(|record| record.stream_id.into())),
    ("thread_id", Field::Number(|record| record.thread_id.into())),
    ("run_id", Field::Number(|record| record.run_id)),
    ("flags", Field::Number(|record| record.flags.bits().into())),
    ("sequence", Field::Number(|record| record.sequence)),
    ("gap", Field::Gap),
];

impl Field {
    /// The field called `name`.
    pub fn parse(name: &str) -> PyResult<Self> {
        let found = FIELDS.iter().find(|(known, _)| *known == name);
        found.map(|(_, field)| *field).ok_or_else(|| {
            let known: Vec<_> = FIELDS.iter().map(|(known, _)| *known).collect();
            PyValueError::new_err(format!(
                "fields: an op has no field {name:?}; it has {}",
                known.join(", ")
            ))
        })
    }

    fn value<'py>(
        self,
        py: Python<'py>,
        block: &Block,
        record: &OpRecord,
        gap: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::Label(which) => label(py, block, record.op_id, which)?.into_any(),
            Self::Number(read) => read(record).into_pyobject(py)?.into_any(),
            Self::Duration => record.duration_ns().into_pyobject(py)?.into_any(),
            Self::Gap => gap.into_pyobject(py)?.into_any(),
        })
    }
}

/// The chosen fields of one op.
pub fn tuple<'py>(
    py: Python<'py>,
    fields: &[Field],
    block: &Block,
    index: usize,
    gap: u64,
) -> PyResult<Bound<'py, PyTuple>> {
    let record = &block.records()[index];
    let values = fields
        .iter()
        .map(|field| field.value(py, block, record, gap));
    PyTuple::new(py, values.collect::<PyResult<Vec<_>>>()?)
}
