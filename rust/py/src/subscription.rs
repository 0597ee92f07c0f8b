//! A subscription without a loop: take, arm, close, account.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use optap_profiler::{
    Filter as Condition, Kinds, Overflow, Phase, Profiler, Reason, Received, Settings,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;

use crate::batch::Batch;
use crate::error::forked;
use crate::fields::chosen;
use crate::filter::Filter;
use crate::number::whole;
use crate::reader::Reader;
use crate::reading::{Inner, Place, Taken};
use crate::target::{end_with_runs, target};

const SIGNAL_CHECK: Duration = Duration::from_millis(100);

/// Most ops that a queue may hold.
const MOST_OPS: u64 = isize::MAX as u64;

/// Ops of the targets, from the moment it exists until it is closed.
#[pyclass(frozen, module = "optap._core")]
pub struct Subscription {
    inner: Arc<Inner>,
    place: Mutex<Place>,
}

#[pymethods]
impl Subscription {
    /// Begin to record; `targets` are models, runs, scripted sources and device ids.
    #[new]
    #[pyo3(signature = (targets, overflow, capacity, filter, coalesce, fields))]
    fn new(
        targets: Vec<Bound<'_, PyAny>>,
        overflow: &str,
        capacity: &Bound<'_, PyAny>,
        filter: Option<Bound<'_, Filter>>,
        coalesce: f64,
        fields: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let filter = filter.map(|filter| filter.get().condition.clone());
        let settings = Settings {
            kinds: filter.as_ref().map_or(Kinds::OPS, Condition::kinds),
            targets: targets.iter().map(target).collect::<PyResult<_>>()?,
            overflow: overflow
                .parse::<Overflow>()
                .map_err(PyValueError::new_err)?,
            capacity: whole("capacity", capacity, 1..=MOST_OPS)?,
            filter,
            coalesce: check_coalesce(coalesce)?,
        };
        let fields = fields.map(chosen).transpose()?;
        let subscription = optap_profiler::Subscription::open(Profiler::global(), settings)?;
        let inner = Arc::new(Inner::new(subscription, fields));
        end_with_runs(&inner, &targets);
        Ok(Self {
            inner,
            place: Mutex::default(),
        })
    }

    /// A native iterator over the ops, which keeps `owner` alive and asks it to wait.
    fn reader<'py>(&self, owner: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Reader::create(owner, self.inner.clone())
    }

    /// The oldest op, or `None`; raises `anyio.EndOfStream` at the end.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.check()?;
        let mut place = std::mem::take(&mut *self.place(py));
        let taken = self.inner.take(py, &mut place);
        *self.place(py) = place;
        match taken {
            // SAFETY: the reference is owned, or null with an exception set.
            Taken::Op(op) => unsafe { Bound::from_owned_ptr_or_err(py, op) }.map(Some),
            Taken::Empty => Ok(None),
            Taken::End => Err(end_of_stream(py)?),
        }
    }

    /// As `take`, and leaves the other ops to whoever reads next, such as a native iterator.
    fn take_one<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let taken = self.take(py);
        self.inner.subscription.reclaim();
        taken
    }

    /// Whether an op may be taken now, without a suspension of the reading task.
    fn may_go_on(&self) -> PyResult<bool> {
        self.check()?;
        let subscription = &self.inner.subscription;
        Ok(!subscription.has_reader() && self.inner.pace.step().is_some())
    }

    /// Whether a read finds something, also of what is on loan to another one; all loans end.
    fn is_ready(&self) -> bool {
        self.inner.subscription.reclaim();
        self.inner.subscription.is_ready()
    }

    /// Tell that the reading task has just been suspended.
    fn restart_pace(&self) {
        self.inner.pace.restart();
    }

    /// Number of native iterators that exist now.
    fn readers(&self) -> usize {
        self.inner.readers()
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
    fn claim(&self) -> PyResult<bool> {
        self.check()?;
        Ok(self.inner.subscription.claim())
    }

    /// Give the right to wait back.
    fn yield_claim(&self) {
        self.inner.subscription.yield_claim();
    }

    /// Block for a tenth of a second, or until an op lies here or the subscription ends; return whether one of these
    /// may be so. Signals are heeded.
    fn wait(&self, py: Python<'_>) -> PyResult<bool> {
        if self.arm(1)? {
            return Ok(true);
        }
        let mut poll = libc::pollfd {
            fd: self.fileno(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: `poll` is one valid pollfd that outlives the call.
        py.detach(|| unsafe { libc::poll(&mut poll, 1, SIGNAL_CHECK.as_millis() as i32) });
        self.disarm();
        py.check_signals()?;
        Ok(poll.revents != 0)
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
    /// The place of reads one by one. Objects are made outside of the lock, for that can run any code.
    fn place(&self, py: Python<'_>) -> MutexGuard<'_, Place> {
        self.place
            .lock_py_attached(py)
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self) -> PyResult<()> {
        if self.inner.subscription.is_own() {
            Ok(())
        } else {
            Err(forked("subscription"))
        }
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

/// `anyio.EndOfStream`, to be raised.
pub fn end_of_stream(py: Python<'_>) -> PyResult<PyErr> {
    Ok(PyErr::from_value(
        py.import("anyio")?.getattr("EndOfStream")?.call0()?,
    ))
}
