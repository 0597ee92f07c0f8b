//! Sums of ops by key, made as batches arrive.

use std::sync::{Mutex, MutexGuard, PoisonError};

use optap_profiler::Slice;
use optap_summary::{By, Key, Sum, Summary as Sums};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch::Batch;
use crate::strings::decode;

/// Count, times and quantiles of ops by key, in memory that does not grow with their number.
#[pyclass(frozen, module = "optap._core")]
pub struct Summary {
    by: By,
    state: Mutex<State>,
}

/// The sums, and what was lost on the way to them.
struct State {
    sums: Sums,
    lost: u64,
}

impl Summary {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Summary {
    /// An empty summary by `type`, `name`, `step`, `range` or `stream`, of at most `max_rows` rows.
    #[new]
    fn new(by: &str, max_rows: usize) -> PyResult<Self> {
        let by = By::named(by).ok_or_else(|| {
            let known = By::ALL.map(By::name).join(", ");
            PyValueError::new_err(format!("by={by:?} is no key; choose from {known}"))
        })?;
        let state = State {
            sums: Sums::new(by, max_rows),
            lost: 0,
        };
        Ok(Self {
            by,
            state: Mutex::new(state),
        })
    }

    /// What makes a row.
    #[getter]
    fn by(&self) -> &'static str {
        self.by.name()
    }

    /// Ops counted.
    #[getter]
    fn records(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.state().sums.records())
    }

    /// Ops that the batches told as lost.
    #[getter]
    fn lost(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.state().lost)
    }

    /// Count the ops of `batch`.
    fn add(&self, py: Python<'_>, batch: &Batch) {
        py.detach(|| {
            let (slice, mut state) = (batch.slice(), self.state());
            state.lost += slice.gap;
            state.sums.add(slice.records(), slice.block.leases());
        });
    }

    /// Take the ranges and steps of `batch` alone, ahead of all ops.
    fn know_spans(&self, py: Python<'_>, batch: &Batch) {
        py.detach(|| {
            let slice: &Slice = batch.slice();
            let leases = slice.block.leases();
            self.state().sums.know_spans(slice.records(), leases);
        });
    }

    /// One dict a row, in no particular order.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rows = py.detach(|| self.state().sums.rows());
        let row = |(key, sum): (Key, Sum)| {
            let row = PyDict::new(py);
            name(&row, &key, self.by)?;
            fill(&row, &sum)?;
            Ok(row)
        };
        rows.into_iter().map(row).collect()
    }
}

/// What the row is about.
fn name(row: &Bound<'_, PyDict>, key: &Key, by: By) -> PyResult<()> {
    let py = row.py();
    let is_span = matches!(by, By::Step | By::Range);
    match key {
        Key::Type(name) => row.set_item("name", decode(py, name)?)?,
        Key::Name {
            name,
            type_,
            kernel,
        } => {
            row.set_item("name", decode(py, name)?)?;
            row.set_item("type", decode(py, type_)?)?;
            row.set_item("kernel", decode(py, kernel)?)?;
        }
        Key::Step(number) => {
            row.set_item("name", format!("step {number}"))?;
            row.set_item("step", number)?;
        }
        Key::Stream {
            device_id,
            stream_id,
        } => {
            row.set_item("name", format!("device {device_id} stream {stream_id}"))?;
            row.set_item("device_id", device_id)?;
            row.set_item("stream_id", stream_id)?;
        }
        Key::None if is_span => row.set_item("name", format!("(no {})", by.name()))?,
        Key::None => row.set_item("name", "")?,
        Key::Open => row.set_item("name", "(unnamed)")?,
        Key::Others => row.set_item("name", "(others)")?,
    }
    Ok(())
}

fn fill(row: &Bound<'_, PyDict>, sum: &Sum) -> PyResult<()> {
    row.set_item("count", sum.count)?;
    row.set_item("untimed", sum.untimed)?;
    row.set_item("total_ns", sum.total_ns)?;
    row.set_item("min_ns", sum.min_ns())?;
    row.set_item("mean_ns", sum.mean_ns())?;
    row.set_item("p50_ns", sum.quantile_ns(0.50))?;
    row.set_item("p99_ns", sum.quantile_ns(0.99))?;
    row.set_item("max_ns", sum.max_ns())?;
    row.set_item("spans", sum.spans)?;
    row.set_item("span_ns", sum.span_ns)
}
