//! What a call of `annotate`, `mark` or `range_start` says.

use std::ptr;

use optap_record::Payload;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyString, PyTuple};

/// Message, domain and category, as borrowed references, the last two null where they were not given; and a number.
#[derive(Clone, Copy)]
pub struct Said {
    pub message: *mut PyObject,
    pub domain: *mut PyObject,
    pub category: *mut PyObject,
    pub payload: Payload,
}

impl Said {
    /// Reads the arguments of `function(message, *, category=None, domain=None, payload=None)`.
    ///
    /// # Safety
    /// Attached; the arguments are those of a vector call with keywords.
    #[inline]
    pub unsafe fn parse(
        function: &str,
        arguments: *const *mut PyObject,
        count: isize,
        keywords: *mut PyObject,
    ) -> PyResult<Self> {
        // SAFETY: see above; there is one argument.
        unsafe {
            if count == 1 && keywords.is_null() && ffi::PyUnicode_CheckExact(*arguments) != 0 {
                return Ok(Self {
                    message: *arguments,
                    ..Self::nothing()
                });
            }
            Self::parse_any(
                Python::assume_attached(),
                function,
                arguments,
                count,
                keywords,
            )
        }
    }

    fn nothing() -> Self {
        Self {
            message: ptr::null_mut(),
            domain: ptr::null_mut(),
            category: ptr::null_mut(),
            payload: Payload::None,
        }
    }

    /// # Safety
    /// As for [`parse`](Self::parse).
    #[cold]
    unsafe fn parse_any(
        py: Python<'_>,
        function: &str,
        arguments: *const *mut PyObject,
        count: isize,
        keywords: *mut PyObject,
    ) -> PyResult<Self> {
        if count > 1 {
            return Err(PyTypeError::new_err(format!(
                "{function}() takes 1 positional argument, the message, but {count} were given"
            )));
        }
        let mut said = Self::nothing();
        // SAFETY: there are `count` arguments, followed by one for each keyword.
        unsafe {
            if count == 1 {
                said.message = *arguments;
            }
            let Some(names) = Bound::from_borrowed_ptr_or_opt(py, keywords) else {
                return said.check(py, function);
            };
            for (at, name) in names.cast::<PyTuple>()?.iter().enumerate() {
                let value = *arguments.add(count as usize + at);
                said.set(function, &name, Bound::from_borrowed_ptr(py, value))?;
            }
        }
        said.check(py, function)
    }

    fn set(
        &mut self,
        function: &str,
        name: &Bound<'_, PyAny>,
        value: Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let given = if value.is_none() {
            ptr::null_mut()
        } else {
            value.as_ptr()
        };
        match &*name.cast::<PyString>()?.to_string_lossy() {
            "message" if self.message.is_null() => self.message = value.as_ptr(),
            "domain" => self.domain = given,
            "category" => self.category = given,
            "payload" => self.payload = payload(&value)?,
            other => {
                return Err(PyTypeError::new_err(format!(
                    "{function}() got an unexpected keyword argument '{other}'"
                )));
            }
        }
        Ok(())
    }

    fn check(self, py: Python<'_>, function: &str) -> PyResult<Self> {
        let names = ["message", "domain", "category"];
        for (name, given) in names.into_iter().zip(self.texts()) {
            // SAFETY: what was given is alive during the call.
            let given = unsafe { Bound::from_borrowed_ptr_or_opt(py, given) };
            let Some(given) = given else {
                if name == "message" {
                    return Err(PyTypeError::new_err(format!(
                        "{function}() needs a message"
                    )));
                }
                continue;
            };
            if !given.is_instance_of::<PyString>() {
                let kind = given.get_type().name()?;
                return Err(PyTypeError::new_err(format!(
                    "{function}(): {name} must be a str, not {kind}"
                )));
            }
        }
        Ok(self)
    }

    /// Message, domain, category.
    #[inline]
    pub fn texts(&self) -> [*mut PyObject; 3] {
        [self.message, self.domain, self.category]
    }
}

fn payload(value: &Bound<'_, PyAny>) -> PyResult<Payload> {
    if value.is_none() {
        return Ok(Payload::None);
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(Payload::Float(float.value()));
    }
    match value.extract::<i64>() {
        Ok(int) => Ok(Payload::Int(int)),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
            let told = format!("payload={value} does not fit into 64 bits; give a float");
            Err(PyOverflowError::new_err(told))
        }
        Err(_) => Err(PyTypeError::new_err(format!(
            "payload must be an int or a float, not {}",
            value.get_type().name()?
        ))),
    }
}
