//! Profiles on disk, as the async layer starts and stops them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use optap_profiler::Reason;
use optap_session::{Asked, Level, METRICS, Report, Wish};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::origin::Origin;
use crate::pending::Pending;

/// Rounds below one path.
#[pyclass(frozen, module = "optap._core")]
pub struct Session {
    session: optap_session::Session,
    origin: Origin,
}

#[pymethods]
impl Session {
    #[new]
    fn new(path: PathBuf) -> Self {
        Self {
            session: optap_session::Session::new(path),
            origin: Origin::default(),
        }
    }

    /// Start a round. Raises `ValueError` for a word that is none, `OSError` where the system has no thread left.
    fn start(
        &self,
        devices: Vec<u32>,
        collect: Vec<String>,
        metrics: Option<&str>,
        storage_limit_bytes: Option<u64>,
    ) -> PyResult<Round> {
        self.origin.check("profile session")?;
        let wish = Wish {
            devices,
            shows_late: false,
            asked: asked(&collect, metrics)?,
            storage_limit_bytes,
        };
        let round = self.session.start(wish)?;
        Ok(Round {
            round,
            origin: self.origin,
        })
    }

    /// What the rounds that have ended left behind: directories, counts by name, losses by reason.
    fn report<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Vec<PathBuf>, Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        self.origin.check("profile session")?;
        let report = self.session.report();
        let counts = PyDict::new(py);
        for (name, count) in [
            ("files", report.files),
            ("bytes", report.bytes),
            ("aged_bytes", report.aged_bytes),
            ("records", report.records),
            ("skipped", report.skipped),
            ("partial_runs", report.partial_runs),
        ] {
            counts.set_item(name, count)?;
        }
        let dropped = dropped(py, &report)?;
        Ok((report.directories, counts, dropped))
    }
}

fn dropped<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let dropped = PyDict::new(py);
    for (reason, count) in Reason::ALL.into_iter().zip(report.dropped) {
        dropped.set_item(reason.name(), count)?;
    }
    dropped.set_item("unwritten", report.unwritten)?;
    dropped.set_item("calls", report.dropped_calls)?;
    Ok(dropped)
}

fn asked(collect: &[String], metrics: Option<&str>) -> PyResult<Asked> {
    let mut asked = Asked::NOTHING;
    for word in collect {
        match word.as_str() {
            "times" => asked.level = asked.level.max(Some(Level::L0)),
            "ops" => asked.level = Some(Level::L1),
            "api" => asked.calls = true,
            "ranges" => asked.ranges = true,
            "steps" => asked.steps = true,
            _ => {
                let told = format!(
                    "collect={word:?} is nothing that can be collected; choose of ops, times, api, ranges, steps"
                );
                return Err(PyValueError::new_err(told));
            }
        }
    }
    if let Some(metrics) = metrics {
        let known = METRICS.into_iter().find(|known| *known == metrics);
        asked.metrics = Some(known.ok_or_else(|| {
            let choice = METRICS.join(", ");
            PyValueError::new_err(format!(
                "metrics={metrics:?} is no set; choose one of {choice}"
            ))
        })?);
    }
    Ok(asked)
}

/// One round of a session.
#[pyclass(frozen, module = "optap._core")]
pub struct Round {
    round: Arc<optap_session::Round>,
    origin: Origin,
}

#[pymethods]
impl Round {
    /// Done when it records, or could not begin.
    fn started(&self) -> PyResult<Pending> {
        self.origin.check("profile session")?;
        Ok(Pending::new(self.round.started().clone()))
    }

    /// Whether its files are not complete yet.
    fn is_running(&self) -> bool {
        self.origin.is_here() && self.round.is_running()
    }

    /// Ask for the end; done when the files are complete, or could not be.
    fn stop(&self) -> PyResult<Pending> {
        self.origin.check("profile session")?;
        Ok(Pending::new(self.round.stop()))
    }

    /// Ask for all that was told so far to be handed to the files; done when it is.
    fn flush(&self) -> PyResult<Pending> {
        self.origin.check("profile session")?;
        Ok(Pending::new(self.round.flush()))
    }

    /// Raise `OSError` where the files could not be completed.
    fn check(&self) -> PyResult<()> {
        match self.round.failure() {
            Some(failure) => Err(std::io::Error::from(&failure).into()),
            None => Ok(()),
        }
    }
}

/// Complete the files of every round, within `timeout` seconds; return whether they are.
#[pyfunction]
pub fn finish_sessions(py: Python<'_>, timeout: f64) -> bool {
    let limit = Duration::from_secs_f64(timeout.clamp(0.0, 1e6));
    py.detach(|| optap_session::finish_all(limit))
}
