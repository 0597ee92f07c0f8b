//! `async for` over ops, on raw slots: no coroutine and no exception object for each op.
//!
//! A reader is its own awaitable: `__anext__` returns the reader, and the first step of the await either takes an op
//! or starts the owner's coroutine `_next_op`, which waits. Python 3.11 resumes it through `am_send`; from 3.12 on
//! through `tp_iternext`, which raises one `StopIteration` over and over with another value.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

use pyo3::exceptions::{PyBaseException, PyStopAsyncIteration};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use crate::raw::{self, raise};
use crate::reading::{Inner, Place, Taken};
use crate::stop::Stop;
use crate::watch::Watch;

/// The state behind a reader.
struct State {
    inner: Arc<Inner>,
    place: Place,
    owner: Py<PyAny>,
    /// The wait under way, an iterator.
    delegate: Option<Py<PyAny>>,
    /// Looks after the task that reads, or waits.
    watch: Option<Watch>,
    /// Whether the reader was returned by `__anext__` and not awaited yet.
    is_handed_out: bool,
}

impl Drop for State {
    fn drop(&mut self) {
        self.inner.remove_reader();
    }
}

/// The Python object.
#[repr(C)]
pub struct Reader {
    base: PyObject,
    state: *mut State,
}

impl Reader {
    /// A reader of `inner` that keeps `owner` alive.
    pub fn create(owner: Bound<'_, PyAny>, inner: Arc<Inner>) -> PyResult<Bound<'_, PyAny>> {
        let py = owner.py();
        let state = State {
            inner,
            place: Place::default(),
            owner: owner.unbind(),
            delegate: None,
            watch: None,
            is_handed_out: false,
        };
        let class = reader_type(py)?.as_ptr().cast::<ffi::PyTypeObject>();
        state.inner.add_reader();
        // SAFETY: the type is ours, its instances are `Reader`s, and a fresh one has no state yet.
        unsafe {
            let object = ffi::PyType_GenericAlloc(class, 0);
            let object = Bound::from_owned_ptr_or_err(py, object)?;
            (*object.as_ptr().cast::<Self>()).state = Box::into_raw(Box::new(state));
            Ok(object)
        }
    }
}

fn reader_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = TYPE.get_or_try_init(py, || make_reader_type(py))?;
    Ok(class.bind(py))
}

fn make_reader_type(py: Python<'_>) -> PyResult<Py<PyType>> {
    let methods = Box::leak(Box::new([
        raw::bare_method(c"send", send_value, ffi::METH_O),
        raw::bare_method(c"throw", throw, ffi::METH_VARARGS),
        raw::bare_method(c"close", close, ffi::METH_NOARGS),
        ffi::PyMethodDef::zeroed(),
    ]));
    let itself = raw::itself as *mut c_void;
    let mut slots = [
        raw::slot(ffi::Py_am_aiter, itself),
        raw::slot(ffi::Py_am_anext, next as *mut c_void),
        raw::slot(ffi::Py_am_await, itself),
        raw::slot(ffi::Py_am_send, send as *mut c_void),
        raw::slot(ffi::Py_tp_iter, itself),
        raw::slot(ffi::Py_tp_iternext, iternext as *mut c_void),
        raw::slot(ffi::Py_tp_traverse, traverse as *mut c_void),
        raw::slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
        raw::slot(ffi::Py_tp_methods, methods.as_mut_ptr().cast()),
        raw::slot(0, ptr::null_mut()),
    ];
    let flags = ffi::Py_TPFLAGS_HAVE_GC;
    // SAFETY: the slots fit `Reader`, and their tables live for ever.
    unsafe { raw::make_type::<Reader>(py, c"optap._core.Reader", flags, &mut slots) }
}

/// # Safety
/// `object` is a reader with a state, and nobody else uses the state during the call (the interpreter lock).
#[inline]
unsafe fn state<'a>(object: *mut PyObject) -> &'a mut State {
    // SAFETY: see above.
    unsafe { &mut *(*object.cast::<Reader>()).state }
}

/// `__anext__`. Whoever asks again before the last one is done gets a coroutine, which knows whether that is allowed.
unsafe extern "C" fn next(object: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter calls the slot of a live reader, attached.
    unsafe {
        let state = state(object);
        if state.delegate.is_some() || state.is_handed_out {
            state.is_handed_out = false;
            let py = Python::assume_attached();
            return raw::give(py, state.wait(py));
        }
        state.is_handed_out = true;
        ffi::Py_NewRef(object)
    }
}

impl State {
    #[inline]
    fn may_go_on(&mut self, py: Python<'_>) -> bool {
        let subscription = &self.inner.subscription;
        let is_ready = self.place.has_next() || subscription.is_ready();
        is_ready
            && !subscription.has_reader()
            && subscription.is_own()
            && self.inner.pace.step().is_some_and(|gap| {
                let watch = self.watch.as_mut();
                watch.is_none_or(|watch| !watch.is_pending(py, gap))
            })
    }

    /// The coroutine that waits for the next op.
    #[cold]
    fn wait<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.owner
            .bind(py)
            .call_method0(pyo3::intern!(py, "_next_op"))
    }

    #[cold]
    fn start_wait(&mut self, py: Python<'_>) -> PyResult<()> {
        self.look_after(py)?;
        let wait = self
            .wait(py)?
            .call_method0(pyo3::intern!(py, "__await__"))?;
        self.delegate = Some(wait.unbind());
        Ok(())
    }

    fn look_after(&mut self, py: Python<'_>) -> PyResult<()> {
        match &mut self.watch {
            Some(watch) if watch.is_current(py)? => watch.renew(),
            _ => self.watch = Watch::of_current(py)?,
        }
        Ok(())
    }

    /// A wait belongs to the task that began it.
    #[cold]
    fn check_waiter(&self, py: Python<'_>) -> PyResult<()> {
        match &self.watch {
            Some(watch) if !watch.is_current(py)? => Err(busy(py)?),
            _ => Ok(()),
        }
    }
}

fn busy(py: Python<'_>) -> PyResult<PyErr> {
    let class = py.import("anyio")?.getattr("BusyResourceError")?;
    Ok(PyErr::from_value(class.call1(("reading from",))?))
}

/// Resumes the reader: an op, the end, or the wait for an op that somebody else took.
unsafe extern "C" fn send(
    object: *mut PyObject,
    value: *mut PyObject,
    result: *mut *mut PyObject,
) -> ffi::PySendResult {
    // SAFETY: the interpreter calls the slot of a live reader, attached, with a valid `result`.
    unsafe {
        let state = state(object);
        state.is_handed_out = false;
        *result = ptr::null_mut();
        let began = match &state.delegate {
            None => begin(state),
            Some(_) => resume(state),
        };
        match began {
            Ok(Some(op)) => {
                *result = op;
                return ffi::PySendResult::PYGEN_RETURN;
            }
            Ok(None) => {}
            Err(()) => return ffi::PySendResult::PYGEN_ERROR,
        }
        let Some(delegate) = state.delegate.as_ref() else {
            return ffi::PySendResult::PYGEN_ERROR;
        };
        let sent = ffi::PyIter_Send(delegate.as_ptr(), value, result);
        if !matches!(sent, ffi::PySendResult::PYGEN_NEXT) {
            raw::drop_attached(state.delegate.take());
        }
        sent
    }
}

/// `__next__` of the awaitable.
unsafe extern "C" fn iternext(object: *mut PyObject) -> *mut PyObject {
    // SAFETY: as for `send`.
    unsafe { step(object, ffi::Py_None()) }
}

/// `send(value)`: how Python 3.12 and later resume it with a value, as trio does.
unsafe extern "C" fn send_value(object: *mut PyObject, value: *mut PyObject) -> *mut PyObject {
    // SAFETY: as for `send`.
    unsafe { step(object, value) }
}

/// One step, with the result told as iterators do.
///
/// # Safety
/// As for [`send`].
unsafe fn step(object: *mut PyObject, value: *mut PyObject) -> *mut PyObject {
    let mut result = ptr::null_mut();
    // SAFETY: see above; the returned value is owned by `result`.
    unsafe {
        match send(object, value, &mut result) {
            ffi::PySendResult::PYGEN_NEXT => result,
            ffi::PySendResult::PYGEN_RETURN => Stop::raise(result),
            ffi::PySendResult::PYGEN_ERROR => ptr::null_mut(),
        }
    }
}

/// The next op, owned; `None` after a delegate was set to wait for it; an error with the exception set.
///
/// # Safety
/// The thread is attached to the interpreter.
#[inline]
unsafe fn begin(state: &mut State) -> Result<Option<*mut PyObject>, ()> {
    // SAFETY: see above.
    let py = unsafe { Python::assume_attached() };
    if state.may_go_on(py) {
        match state.inner.take(py, &mut state.place) {
            Taken::Op(op) if op.is_null() => return Err(()),
            Taken::Op(op) => return Ok(Some(op)),
            Taken::End => {
                PyStopAsyncIteration::new_err(()).restore(py);
                return Err(());
            }
            Taken::Empty => {}
        }
    }
    state.start_wait(py).map_err(|error| error.restore(py))?;
    Ok(None)
}

/// Whether the wait under way may be resumed; an error with the exception set.
///
/// # Safety
/// The thread is attached to the interpreter.
unsafe fn resume(state: &State) -> Result<Option<*mut PyObject>, ()> {
    // SAFETY: see above.
    let py = unsafe { Python::assume_attached() };
    let checked = state.check_waiter(py);
    checked.map(|()| None).map_err(|error| error.restore(py))
}

/// `throw(...)`: the loop cancels a wait.
unsafe extern "C" fn throw(object: *mut PyObject, arguments: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter calls the method of a live reader, attached, with a tuple.
    unsafe {
        let py = Python::assume_attached();
        let arguments = Bound::from_borrowed_ptr(py, arguments);
        let state = state(object);
        state.is_handed_out = false;
        let Some(delegate) = state.delegate.take() else {
            return raise(py, thrown(&arguments));
        };
        let method = delegate.bind(py).getattr("throw");
        match method.and_then(|method| ffi_call(&method, &arguments)) {
            Ok(yielded) => {
                state.delegate = Some(delegate);
                yielded.into_ptr()
            }
            Err(error) => {
                delegate.drop_ref(py);
                state.watch.iter_mut().for_each(Watch::renew);
                raise(py, error)
            }
        }
    }
}

/// The exception of `throw(error)` or of the older `throw(type, value, traceback)`.
fn thrown(arguments: &Bound<'_, PyAny>) -> PyErr {
    let given = |index| arguments.get_item(index);
    let made = match given(1) {
        Ok(value) if value.is_instance_of::<PyBaseException>() => Ok(value),
        Ok(value) if !value.is_none() => given(0).and_then(|class| class.call1((value,))),
        _ => given(0),
    };
    made.map_or_else(|error| error, PyErr::from_value)
}

fn ffi_call<'py>(
    method: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    method.call1(arguments.cast::<PyTuple>()?.clone())
}

/// `close()`.
unsafe extern "C" fn close(object: *mut PyObject, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter calls the method of a live reader, attached.
    unsafe {
        let py = Python::assume_attached();
        let closed = state(object)
            .delegate
            .take()
            .map(|delegate| delegate.call_method0(py, "close"));
        closed
            .transpose()
            .map_or_else(|error| raise(py, error), |_| py.None().into_ptr())
    }
}

unsafe extern "C" fn traverse(
    object: *mut PyObject,
    visit: ffi::visitproc,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the collector calls with a live reader; a reader without state holds nothing.
    unsafe {
        let state = (*object.cast::<Reader>()).state;
        let class = visit(ffi::Py_TYPE(object).cast(), data);
        if class != 0 || state.is_null() {
            return class;
        }
        let owner = visit((*state).owner.as_ptr(), data);
        let delegate = match (*state).delegate.as_ref() {
            Some(delegate) if owner == 0 => visit(delegate.as_ptr(), data),
            _ => owner,
        };
        match (*state).watch.as_ref() {
            Some(watch) if delegate == 0 => watch.traverse(visit, data),
            _ => delegate,
        }
    }
}

unsafe extern "C" fn dealloc(object: *mut PyObject) {
    // SAFETY: the last reference is gone: the state is ours to drop, then the memory and the type's reference.
    unsafe {
        ffi::PyObject_GC_UnTrack(object.cast());
        let state = (*object.cast::<Reader>()).state;
        if !state.is_null() {
            raw::drop_attached(Box::from_raw(state));
        }
        let class = ffi::Py_TYPE(object);
        ffi::PyObject_GC_Del(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}
