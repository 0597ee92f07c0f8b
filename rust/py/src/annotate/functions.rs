//! The functions of the module.

use optap_profiler::{Profiler, Times, is_recording, mark as record_mark, step};
use optap_record::Kind;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::annotate::annotation::{create, export};
use crate::annotate::arguments::Said;
use crate::annotate::context::ContextVariable;
use crate::annotate::entry::{current_range_id, range_id_in_force, unmatched_exits};
use crate::annotate::labels::{label_of, nameless, with_label};
use crate::raw;

/// Puts `annotate`, `mark` and the type of annotations into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Looked up now, so that nothing has to be imported where a range begins.
    ContextVariable::of_range(module.py())?;
    let functions = Box::leak(Box::new([
        raw::keyword_function(c"annotate", ANNOTATE, annotate),
        raw::keyword_function(c"mark", MARK, mark),
        ffi::PyMethodDef::zeroed(),
    ]));
    // SAFETY: the table ends with an empty entry and lives for ever.
    match unsafe { ffi::PyModule_AddFunctions(module.as_ptr(), functions.as_mut_ptr()) } {
        0 => {
            let names = module.index()?;
            names.append("annotate")?;
            names.append("mark")?;
            export(module)
        }
        _ => Err(PyErr::fetch(module.py())),
    }
}

const ANNOTATE: &std::ffi::CStr = c"annotate(message, *, category=None, domain=None, payload=None)
--

A named range of your own code: a context manager, an async context manager and a decorator.

The range is in force in the context that enters it, and in the tasks and threads that inherit this context; each op
carries the range in force where its run was launched. One object may be entered again and again, by many tasks at once.

Args:
    message: What the range is called: `name` of its record.
    category: What kind of range it is: `kernel` of its record.
    domain: Whose range it is: `type` of its record.
    payload: A number to go with it, an int of 64 bits or a float.

Raises:
    TypeError: A text is no str, or the payload no number.
    OverflowError: The payload does not fit into 64 bits.

Examples:
    >>> with annotate(\"prefill\", domain=\"llm\", payload=128):
    ...     pass";

const MARK: &std::ffi::CStr = c"mark(message, *, category=None, domain=None, payload=None)
--

Mark this moment, in the range in force. Arguments and errors are those of `annotate`.

Examples:
    >>> mark(\"cache miss\", payload=3)";

unsafe extern "C" fn annotate(
    _: *mut PyObject,
    arguments: *const *mut PyObject,
    count: isize,
    keywords: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the interpreter makes a vector call, attached.
    unsafe {
        let py = Python::assume_attached();
        match Said::parse("annotate", arguments, count, keywords) {
            Ok(said) => create(py, said, std::ptr::null_mut()),
            Err(error) => raw::raise(py, error),
        }
    }
}

unsafe extern "C" fn mark(
    _: *mut PyObject,
    arguments: *const *mut PyObject,
    count: isize,
    keywords: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the interpreter makes a vector call, attached.
    unsafe {
        let py = Python::assume_attached();
        let said = match Said::parse("mark", arguments, count, keywords) {
            Ok(said) => said,
            Err(error) => return raw::raise(py, error),
        };
        if is_recording(Kind::MARK) {
            let times = Times::now();
            let range_id =
                ContextVariable::of_range(py).map_or(0, |variable| range_id_in_force(variable));
            with_label(py, &said, |label| {
                record_mark(label, range_id, said.payload, times);
            });
        }
        ffi::Py_NewRef(ffi::Py_None())
    }
}

/// Begin a range that any thread may end; return its id for `range_stop`. Arguments and errors are those of `annotate`.
///
/// It lies in the range in force here, but is itself in force nowhere: ops do not carry it.
///
/// Examples:
///     >>> range_stop(range_start("request"))
///     True
#[pyfunction]
#[pyo3(signature = (message, *, category=None, domain=None, payload=None))]
pub fn range_start<'py>(
    py: Python<'py>,
    message: Bound<'py, PyAny>,
    category: Option<Bound<'py, PyAny>>,
    domain: Option<Bound<'py, PyAny>>,
    payload: Option<Bound<'py, PyAny>>,
) -> PyResult<u32> {
    let pointer = |given: &Option<Bound<'_, PyAny>>| {
        given
            .as_ref()
            .map_or(py.None().as_ptr(), |given| given.as_ptr())
    };
    let given = [
        message.as_ptr(),
        pointer(&category),
        pointer(&domain),
        pointer(&payload),
    ];
    let keywords = PyTuple::new(py, ["category", "domain", "payload"])?;
    // SAFETY: attached; one argument, and one for each keyword, all alive.
    let (label, said) = unsafe {
        let said = Said::parse("range_start", given.as_ptr(), 1, keywords.as_ptr())?;
        (label_of(py, &said), said)
    };
    let parent_id = current_range_id(py)?;
    Ok(Profiler::global().start_range(label, parent_id, said.payload))
}

/// End the range that `range_start` began, from any thread; return whether such a range was open.
///
/// An id that is unknown, or stopped already, changes nothing; `annotations` counts it.
#[pyfunction]
pub fn range_stop(range_id: u32) -> bool {
    Profiler::global().stop_range(range_id)
}

/// Record a step from and to nanoseconds of `time.monotonic_ns()`.
#[pyfunction]
pub fn record_step(py: Python<'_>, number: u64, start_ns: u64, end_ns: u64) -> PyResult<()> {
    let range_id = current_range_id(py)?;
    step(number, None, range_id, Times::ns(start_ns, end_ns));
    Ok(())
}

/// What became of ranges and marks so far.
#[pyfunction]
pub fn annotation_statistics(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let profiler = Profiler::global();
    let told = PyDict::new(py);
    told.set_item("open_ranges", py.detach(|| profiler.open_range_count()))?;
    told.set_item("labels", profiler.label_count())?;
    told.set_item("unmatched_exits", unmatched_exits())?;
    told.set_item("unknown_stops", profiler.unknown_stops())?;
    told.set_item("nameless", nameless())?;
    Ok(told)
}
