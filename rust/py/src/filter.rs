//! `optap.where`: conditions decided without a Python call.

use optap_profiler::{Filter as Condition, Pattern};
use optap_record::Kind;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::number::whole;
use crate::strings::encode;

/// Most conditions inside of each other.
const MOST_LEVELS: usize = 100;

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
        stream: Option<Vec<Bound<'_, PyAny>>>,
        min_duration_ns: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let id = |one: &Bound<'_, PyAny>| whole("stream", one, 0..=u32::MAX.into());
        let streams = stream.map(|ids| ids.iter().map(id).collect::<PyResult<_>>());
        let least_ns = min_duration_ns.map(|ns| whole("min_duration_ns", ns, 0..=u64::MAX));
        let mut conditions = Vec::new();
        conditions.extend(kind.map(parse_kinds).transpose()?.map(Condition::Kind));
        conditions.extend(r#type.map(parse_patterns).transpose()?.map(Condition::Type));
        conditions.extend(name.map(parse_patterns).transpose()?.map(Condition::Name));
        conditions.extend(streams.transpose()?.map(Condition::Stream));
        conditions.extend(least_ns.transpose()?.map(Condition::MinDurationNs));
        Ok(Self {
            condition: Condition::All(conditions),
        })
    }

    fn __and__(&self, other: &Self) -> PyResult<Self> {
        let mut parts = Vec::new();
        for condition in [&self.condition, &other.condition] {
            match condition {
                Condition::All(inner) => parts.extend_from_slice(inner),
                other => parts.push(other.clone()),
            }
        }
        Self::bounded(Condition::All(parts))
    }

    fn __or__(&self, other: &Self) -> PyResult<Self> {
        let mut parts = Vec::new();
        for condition in [&self.condition, &other.condition] {
            match condition {
                Condition::Any(inner) => parts.extend_from_slice(inner),
                other => parts.push(other.clone()),
            }
        }
        Self::bounded(Condition::Any(parts))
    }

    /// `and`, `or` and `not` would look at one condition only.
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "a condition has no truth of its own; combine conditions with & | ~ instead of and, or, not",
        ))
    }

    fn __repr__(&self) -> String {
        spell(&self.condition)
    }

    fn __invert__(&self) -> PyResult<Self> {
        Self::bounded(Condition::Not(Box::new(self.condition.clone())))
    }
}

impl Filter {
    /// A condition is walked through by recursion, so its depth is bounded.
    fn bounded(condition: Condition) -> PyResult<Self> {
        if depth(&condition) > MOST_LEVELS {
            return Err(PyValueError::new_err(format!(
                "the condition is nested more than {MOST_LEVELS} levels deep; join its parts with where(name=[...])"
            )));
        }
        Ok(Self { condition })
    }
}

fn depth(condition: &Condition) -> usize {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => {
            1 + parts.iter().map(depth).max().unwrap_or(0)
        }
        Condition::Not(inner) => 1 + depth(inner),
        _ => 1,
    }
}

/// A condition as one writes it in Python.
fn spell(condition: &Condition) -> String {
    let joined = |parts: &[Condition], sign: &str| {
        let parts: Vec<_> = parts.iter().map(spell).collect();
        match parts.len() {
            1 => parts.concat(),
            _ => format!("({})", parts.join(sign)),
        }
    };
    match condition {
        Condition::Kind(kinds) => one(
            "kind",
            kinds.iter().map(|kind| format!("{:?}", kind.name())),
        ),
        Condition::Type(patterns) => one("type", patterns.iter().map(Pattern::to_string)),
        Condition::Name(patterns) => one("name", patterns.iter().map(Pattern::to_string)),
        Condition::Stream(ids) => one("stream", ids.iter().map(u32::to_string)),
        Condition::MinDurationNs(ns) => one("min_duration_ns", [ns.to_string()].into_iter()),
        Condition::All(parts) if parts.is_empty() => "where()".into(),
        Condition::All(parts) => joined(parts, " & "),
        Condition::Any(parts) => joined(parts, " | "),
        Condition::Not(condition) => format!("~{}", spell(condition)),
    }
}

fn one(parameter: &str, given: impl Iterator<Item = String>) -> String {
    let given: Vec<_> = given.collect();
    match &given[..] {
        [one] => format!("where({parameter}={one})"),
        several => format!("where({parameter}=[{}])", several.join(", ")),
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
