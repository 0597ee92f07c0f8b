//! `optap.where`: conditions decided without a Python call.

use optap_profiler::{Filter as Condition, Pattern};
use optap_record::Kind;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::strings::encode;

const KINDS: [Kind; 4] = [Kind::OP, Kind::RANGE, Kind::MARK, Kind::STEP];

/// A condition on ops; combine with `&`, `|` and `~`.
#[pyclass(frozen, module = "optap")]
#[derive(Clone)]
pub struct Filter {
    pub condition: Condition,
}

#[pymethods]
impl Filter {
    /// Every given condition must hold; each takes several alternatives, names with `*` and `?`.
    #[new]
    #[pyo3(signature = (*, kind=None, r#type=None, name=None, stream=None, min_duration_ns=None))]
    fn new(
        kind: Option<Vec<String>>,
        r#type: Option<Vec<Bound<'_, PyString>>>,
        name: Option<Vec<Bound<'_, PyString>>>,
        stream: Option<Vec<u32>>,
        min_duration_ns: Option<u64>,
    ) -> PyResult<Self> {
        let mut conditions = Vec::new();
        conditions.extend(kind.map(parse_kinds).transpose()?.map(Condition::Kind));
        conditions.extend(r#type.map(parse_patterns).transpose()?.map(Condition::Type));
        conditions.extend(name.map(parse_patterns).transpose()?.map(Condition::Name));
        conditions.extend(stream.map(Condition::Stream));
        conditions.extend(min_duration_ns.map(Condition::MinDurationNs));
        Ok(Self {
            condition: Condition::All(conditions),
        })
    }

    fn __and__(&self, other: &Self) -> Self {
        Self {
            condition: Condition::All(vec![self.condition.clone(), other.condition.clone()]),
        }
    }

    fn __or__(&self, other: &Self) -> Self {
        Self {
            condition: Condition::Any(vec![self.condition.clone(), other.condition.clone()]),
        }
    }

    /// `and`, `or` and `not` would look at one condition only.
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "a condition has no truth of its own; combine conditions with & | ~ instead of and, or, not",
        ))
    }

    fn __invert__(&self) -> Self {
        Self {
            condition: Condition::Not(Box::new(self.condition.clone())),
        }
    }
}

fn parse_kinds(kinds: Vec<String>) -> PyResult<Vec<Kind>> {
    let parse = |text: String| {
        let found = KINDS.into_iter().find(|kind| kind.name() == text);
        let known = || KINDS.map(Kind::name).join(", ");
        found.ok_or_else(|| {
            PyValueError::new_err(format!("kind={text:?} is none; choose from {}", known()))
        })
    };
    kinds.into_iter().map(parse).collect()
}

fn parse_patterns(patterns: Vec<Bound<'_, PyString>>) -> PyResult<Vec<Pattern>> {
    patterns
        .iter()
        .map(|pattern| Ok(Pattern::new(&encode(pattern)?)))
        .collect()
}
