//! Whether the reading task is about to be cancelled, asked without suspending it.

use optap_profiler::clock;
use pyo3::ffi;
use pyo3::prelude::*;

/// No cancel scope is cancelled in less time than this, in nanoseconds: a loop body that took less need not be asked.
const SCOPE_NS: u64 = 1_000;

/// Looks after one task of an event loop.
pub struct Watch {
    task: Py<PyAny>,
    /// Tells how often the task was asked to end.
    requests: Option<Py<PyAny>>,
    /// How many of them are known.
    known: i64,
    is_scope_cancelled: Py<PyAny>,
    scope_ticks: u64,
}

impl Watch {
    /// A watch of the running task, `None` outside of one.
    pub fn of_current(py: Python<'_>) -> PyResult<Option<Self>> {
        let made = module(py)?.call_method0(pyo3::intern!(py, "watch"))?;
        if made.is_none() {
            return Ok(None);
        }
        let (task, requests, is_scope_cancelled) = made.extract()?;
        let mut watch = Self {
            task,
            requests,
            known: 0,
            is_scope_cancelled,
            scope_ticks: clock::ticks_in_ns(SCOPE_NS),
        };
        watch.known = watch.requests();
        Ok(Some(watch))
    }

    /// Takes what was asked so far as known: it was delivered, or will be now.
    pub fn renew(&mut self) {
        self.known = self.requests();
    }

    /// Whether the task has been asked to end, `gap` ticks after it was looked after last.
    #[inline]
    pub fn is_pending(&mut self, py: Python<'_>, gap: u64) -> bool {
        let requests = self.requests();
        // A time-out takes its own request back.
        self.known = self.known.min(requests);
        requests > self.known || (gap > self.scope_ticks && self.is_scope_cancelled(py))
    }

    /// Whether the task is the one that runs now.
    pub fn is_current(&self, py: Python<'_>) -> PyResult<bool> {
        let task = module(py)?.call_method0(pyo3::intern!(py, "current_task"))?;
        Ok(task.is(&self.task))
    }

    /// Visits what the collector has to know of.
    ///
    /// # Safety
    /// Called from `tp_traverse` with its arguments.
    pub unsafe fn traverse(&self, visit: ffi::visitproc, data: *mut std::ffi::c_void) -> i32 {
        let held = [
            Some(&self.task),
            self.requests.as_ref(),
            Some(&self.is_scope_cancelled),
        ];
        for object in held.into_iter().flatten() {
            // SAFETY: the caller vouches for the arguments, and the object is alive.
            let stop = unsafe { visit(object.as_ptr(), data) };
            if stop != 0 {
                return stop;
            }
        }
        0
    }

    /// The number of requests, 0 where none are counted.
    #[inline]
    fn requests(&self) -> i64 {
        let Some(requests) = &self.requests else {
            return 0;
        };
        // SAFETY: attached, as everybody who has a watch; the number is owned here.
        unsafe {
            let told = ffi::PyObject_CallNoArgs(requests.as_ptr());
            if told.is_null() {
                ffi::PyErr_Clear();
                return 0;
            }
            let number = ffi::PyLong_AsLongLong(told);
            ffi::Py_DECREF(told);
            number
        }
    }

    #[cold]
    fn is_scope_cancelled(&self, py: Python<'_>) -> bool {
        let told = self.is_scope_cancelled.call0(py);
        told.and_then(|told| told.extract(py)).unwrap_or(false)
    }
}

fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import(pyo3::intern!(py, "optap._cancellation"))
}
