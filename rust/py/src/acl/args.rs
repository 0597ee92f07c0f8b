//! Arguments as pyACL takes them: by position alone, each by the letter that its C extension parses it with.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};
use pyo3::{Borrowed, ffi};

/// A type that an argument can be parsed as.
pub trait Arg<'a, 'py>: Sized {
    /// The value; `None` for a wrong one, which the caller answers in the usual words.
    ///
    /// # Errors
    /// What is raised in other words.
    fn parse(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Option<Self>>;

    /// What stands for an argument that is not given; `None` where it must be.
    fn left_out() -> Option<Self> {
        None
    }
}

/// The arguments of one call, taken one after the other.
pub struct Args<'a, 'py> {
    function: &'static str,
    given: &'a Bound<'py, PyTuple>,
    taken: usize,
}

impl<'a, 'py> Args<'a, 'py> {
    /// The arguments of a call of `function`, such as `acl.rt.malloc`.
    pub fn new(function: &'static str, given: &'a Bound<'py, PyTuple>) -> Self {
        Self {
            function,
            given,
            taken: 0,
        }
    }

    /// The next argument.
    ///
    /// # Errors
    /// `TypeError` where it is missing or cannot be parsed.
    pub fn take<T: Arg<'a, 'py>>(&mut self) -> PyResult<T> {
        let value = match self.given.get_borrowed_item(self.taken) {
            Ok(given) => T::parse(given)?,
            Err(_) => T::left_out(),
        };
        self.taken += 1;
        value.ok_or_else(|| self.refuse())
    }

    /// Refuses arguments that are left over. A function that takes none ignores them.
    ///
    /// # Errors
    /// `TypeError` where there are any.
    pub fn finish(self) -> PyResult<()> {
        if self.taken > 0 && self.given.len() > self.taken {
            return Err(self.refuse());
        }
        Ok(())
    }

    #[cold]
    fn refuse(&self) -> PyErr {
        PyTypeError::new_err(format!("{} args parse failed", self.function))
    }
}

/// Letters `k` and `K`: a real int, cut to 64 bits.
impl<'a, 'py> Arg<'a, 'py> for u64 {
    fn parse(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Option<Self>> {
        if !given.is_instance_of::<PyInt>() {
            return Ok(None);
        }
        // SAFETY: the object is alive, and an int, for which this cannot fail.
        Ok(Some(unsafe {
            ffi::PyLong_AsUnsignedLongLongMask(given.as_ptr())
        }))
    }
}

/// Letter `I`: an int or what can be an index, cut to 32 bits.
impl<'a, 'py> Arg<'a, 'py> for u32 {
    fn parse(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Option<Self>> {
        // SAFETY: the object is alive; a failure is told by an exception, which is fetched.
        let bits = unsafe { ffi::PyLong_AsUnsignedLongLongMask(given.as_ptr()) };
        let failed = bits == u64::MAX && PyErr::take(given.py()).is_some();
        Ok((!failed).then_some(bits as u32))
    }
}

/// Letter `H`: as `I`, cut to 16 bits.
impl<'a, 'py> Arg<'a, 'py> for u16 {
    fn parse(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Option<Self>> {
        Ok(u32::parse(given)?.map(|bits| bits as u16))
    }
}

/// Letters that check the range: `i`, `b`, `L` and `f`.
macro_rules! checked {
    ($($type:ty),*) => {
        $(impl<'a, 'py> Arg<'a, 'py> for $type {
            fn parse(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Option<Self>> {
                Ok(given.extract().ok())
            }
        })*
    };
}

checked!(i32, u8, i64, f32);

/// Letter `s`: text without a NUL.
impl<'a, 'py> Arg<'a, 'py> for &'a str {
    fn parse(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Option<Self>> {
        let mut len_bytes = 0;
        // SAFETY: the object is alive; a failure is told by null and an exception, which is fetched.
        let start = unsafe { ffi::PyUnicode_AsUTF8AndSize(given.as_ptr(), &mut len_bytes) };
        if start.is_null() {
            PyErr::take(given.py());
            return Ok(None);
        }
        // SAFETY: the string keeps its UTF-8 form as long as it lives, and the arguments hold it for `'a`.
        let text = unsafe {
            std::str::from_utf8_unchecked(std::slice::from_raw_parts(
                start.cast(),
                len_bytes.unsigned_abs(),
            ))
        };
        Ok((!text.contains('\0')).then_some(text))
    }
}

/// Letter `O`: any object.
impl<'a, 'py> Arg<'a, 'py> for Bound<'py, PyAny> {
    fn parse(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Option<Self>> {
        Ok(Some(given.to_owned()))
    }
}

/// An argument that may be left out.
impl<'a, 'py, T: Arg<'a, 'py>> Arg<'a, 'py> for Option<T> {
    fn parse(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Option<Self>> {
        Ok(T::parse(given)?.map(Some))
    }

    fn left_out() -> Option<Self> {
        Some(None)
    }
}

/// A list of numbers, each within its range.
pub struct Numbers<T>(pub Vec<T>);

impl<'a, 'py, T: TryFrom<i64>> Arg<'a, 'py> for Numbers<T> {
    fn parse(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Option<Self>> {
        let list = given
            .cast::<PyList>()
            .map_err(|_| PyTypeError::new_err("argument is not list"))?;
        let numbers: PyResult<Vec<T>> = list.iter().map(|item| number(&item)).collect();
        numbers.map(|numbers| Some(Self(numbers)))
    }
}

fn number<T: TryFrom<i64>>(item: &Bound<'_, PyAny>) -> PyResult<T> {
    if !item.is_instance_of::<PyInt>() {
        return Err(PyTypeError::new_err(format!("list item {item} is not int")));
    }
    let value = item
        .extract::<i64>()
        .ok()
        .and_then(|value| T::try_from(value).ok());
    value.ok_or_else(|| PyValueError::new_err(format!("list item {item} is out of range")))
}
