//! A subscription without a loop: take, arm, close, account.

use std::sync::Arc;
use std::time::Duration;

use optap_profiler::{Overflow, Phase, Profiler, Reason, Received, Settings, Target};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch::Batch;
use crate::error::forked;
use crate::fields::{Field, tuple};
use crate::filter::Filter;
use crate::model::Model;
use crate::op::Op;
use crate::reader::Reader;
use crate::run::Run;
use crate::script::ScriptedSource;

const SIGNAL_CHECK: Duration = Duration::from_millis(100);

/// What a read of one op found.
pub enum Taken<'py> {
    /// An op, or a tuple of its fields.
    Op(Bound<'py, PyAny>),
    /// Nothing now.
    Empty,
    /// Nothing ever again.
    End,
}

/// What a reader and its subscription share.
pub struct Inner {
    pub subscription: optap_profiler::Subscription,
    fields: Option<Box<[Field]>>,
}

impl Inner {
    /// Takes the oldest op. The gap at the end is not an op; the close report tells it.
    #[inline]
    pub fn take<'py>(&self, py: Python<'py>) -> PyResult<Taken<'py>> {
        loop {
            let slice = match self.subscription.receive(1) {
                Received::Slice(slice) if slice.is_empty() => continue,
                Received::Slice(slice) => slice,
                Received::Empty => return Ok(Taken::Empty),
                Received::End => return Ok(Taken::End),
            };
            let index = slice.range.start;
            return Ok(Taken::Op(match &self.fields {
                None => Op::new(slice.block, index, slice.gap)
                    .into_pyobject(py)?
                    .into_any(),
                Some(fields) => tuple(py, fields, &slice.block, index, slice.gap)?.into_any(),
            }));
        }
    }
}

/// Ops of the targets, from the moment it exists until it is closed.
#[pyclass(frozen, module = "optap._core")]
pub struct Subscription {
    inner: Arc<Inner>,
}

#[pymethods]
impl Subscription {
    /// Begin to record; `targets` are models, runs, scripted sources and device ids.
    #[new]
    #[pyo3(signature = (targets, overflow, capacity, filter, coalesce, fields))]
    fn new(
        targets: Vec<Bound<'_, PyAny>>,
        overflow: &str,
        capacity: usize,
        filter: Option<Bound<'_, Filter>>,
        coalesce: f64,
        fields: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let settings = Settings {
            targets: targets.iter().map(target).collect::<PyResult<_>>()?,
            overflow: overflow
                .parse::<Overflow>()
                .map_err(PyValueError::new_err)?,
            capacity: check_capacity(capacity)?,
            filter: filter.map(|filter| filter.get().condition.clone()),
            coalesce: check_coalesce(coalesce)?,
        };
        let fields = fields
            .map(|names| {
                names
                    .iter()
                    .map(|name| Field::parse(name))
                    .collect::<PyResult<_>>()
            })
            .transpose()?;
        let subscription = optap_profiler::Subscription::open(Profiler::global(), settings)?;
        let inner = Arc::new(Inner {
            subscription,
            fields,
        });
        end_with_runs(&inner, &targets);
        Ok(Self { inner })
    }

    /// A native iterator over the ops, which keeps `owner` alive and asks it to wait.
    fn reader<'py>(&self, owner: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Reader::create(owner, self.inner.clone())
    }

    /// The oldest op, or `None`; raises `anyio.EndOfStream` at the end.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.check()?;
        match self.inner.take(py)? {
            Taken::Op(op) => Ok(Some(op)),
            Taken::Empty => Ok(None),
            Taken::End => Err(end_of_stream(py)?),
        }
    }

    /// The oldest ops as a batch, at most `max_records`, or `None`; raises `anyio.EndOfStream` at the end.
    #[pyo3(signature = (max_records=None))]
    fn take_batch(&self, py: Python<'_>, max_records: Option<usize>) -> PyResult<Option<Batch>> {
        self.check()?;
        let received = match max_records {
            None => self.inner.subscription.receive(usize::MAX),
            Some(most) => self.inner.subscription.receive_joined(most),
        };
        match received {
            Received::Slice(slice) => Ok(Some(Batch::new(slice))),
            Received::Empty => Ok(None),
            Received::End => Err(end_of_stream(py)?),
        }
    }

    /// Ask for a ring of the doorbell once `wanted` ops lie here; return whether they do already.
    fn arm(&self, wanted: usize) -> PyResult<bool> {
        self.check()?;
        Ok(self.inner.subscription.arm(wanted))
    }

    /// Quiet the doorbell.
    fn disarm(&self) {
        if self.inner.subscription.is_own() {
            self.inner.subscription.disarm();
        }
    }

    /// The doorbell's descriptor.
    fn fileno(&self) -> i32 {
        self.inner.subscription.as_raw_fd()
    }

    /// Take the right to wait; `False` while another reader has it.
    fn claim(&self) -> bool {
        self.inner.subscription.claim()
    }

    /// Give the right to wait back.
    fn yield_claim(&self) {
        self.inner.subscription.yield_claim();
    }

    /// Block until an op lies here or the subscription ends; heeds signals.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        while !self.arm(1)? {
            let mut poll = libc::pollfd {
                fd: self.fileno(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: `poll` is one valid pollfd that outlives the call.
            py.detach(|| unsafe { libc::poll(&mut poll, 1, SIGNAL_CHECK.as_millis() as i32) });
            self.disarm();
            py.check_signals()?;
        }
        Ok(())
    }

    /// Flush the rings and admit nothing more; the reader may take the rest.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.check()?;
        py.detach(|| self.inner.subscription.finish());
        Ok(())
    }

    /// Flush the rings and end; the rest is counted as dropped. Nothing in a forked child.
    fn close(&self, py: Python<'_>) {
        if self.inner.subscription.is_own() {
            py.detach(|| self.inner.subscription.close());
        }
    }

    /// `open`, `ending` or `closed`.
    #[getter]
    fn phase(&self) -> PyResult<&'static str> {
        self.check()?;
        Ok(match self.inner.subscription.phase() {
            Phase::Open => "open",
            Phase::Ending => "ending",
            Phase::Closed => "closed",
        })
    }

    /// The account: one consistent snapshot.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.check()?;
        let account = py.detach(|| self.inner.subscription.statistics());
        let dropped = PyDict::new(py);
        for reason in Reason::ALL {
            dropped.set_item(reason.name(), account.counters.dropped[reason as usize])?;
        }
        let told = PyDict::new(py);
        told.set_item("produced", account.counters.produced)?;
        told.set_item("delivered", account.counters.delivered)?;
        told.set_item("dropped", dropped)?;
        told.set_item("in_flight", account.in_flight)?;
        told.set_item("filtered", account.counters.filtered)?;
        told.set_item("held_ns", account.held_ns)?;
        told.set_item("wakes", account.wakes)?;
        Ok(told)
    }
}

impl Subscription {
    fn check(&self) -> PyResult<()> {
        if self.inner.subscription.is_own() {
            Ok(())
        } else {
            Err(forked("subscription"))
        }
    }
}

fn target(object: &Bound<'_, PyAny>) -> PyResult<Target> {
    if let Ok(model) = object.cast::<Model>() {
        return Ok(model.get().target());
    }
    if let Ok(run) = object.cast::<Run>() {
        return Ok(run.get().target());
    }
    if let Ok(source) = object.cast::<ScriptedSource>() {
        return Ok(source.get().target());
    }
    object.extract::<u32>().map(Target::Device).map_err(|_| {
        let kind = object
            .get_type()
            .name()
            .map_or_else(|_| "?".into(), |name| name.to_string());
        PyTypeError::new_err(format!(
            "target: {kind} is neither a model, a run nor a device"
        ))
    })
}

fn check_capacity(capacity: usize) -> PyResult<usize> {
    match capacity {
        0 => Err(PyValueError::new_err(
            "capacity=0 holds no op; ask for 1 or more",
        )),
        _ => Ok(capacity),
    }
}

fn check_coalesce(seconds: f64) -> PyResult<Duration> {
    let valid = (0.0..=60.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds));
    valid.ok_or_else(|| {
        PyValueError::new_err(format!(
            "coalesce={seconds} must lie between 0 and 60 seconds"
        ))
    })
}

/// Ends a subscription whose targets are all runs when the last of them ends.
fn end_with_runs(inner: &Arc<Inner>, targets: &[Bound<'_, PyAny>]) {
    let runs: Vec<_> = targets
        .iter()
        .filter_map(|target| target.cast::<Run>().ok())
        .collect();
    if runs.len() < targets.len() {
        return;
    }
    let left = Arc::new(std::sync::atomic::AtomicUsize::new(runs.len()));
    for run in runs {
        let (inner, left) = (Arc::downgrade(inner), left.clone());
        run.get().inner().completion.on_done(move |_| {
            let is_last = left.fetch_sub(1, std::sync::atomic::Ordering::AcqRel) == 1;
            if let Some(inner) = inner.upgrade().filter(|_| is_last) {
                inner.subscription.finish();
            }
        });
    }
}

/// `anyio.EndOfStream`, to be raised.
pub fn end_of_stream(py: Python<'_>) -> PyResult<PyErr> {
    Ok(PyErr::from_value(
        py.import("anyio")?.getattr("EndOfStream")?.call0()?,
    ))
}
