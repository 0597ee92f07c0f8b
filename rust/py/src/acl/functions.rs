//! How the functions of the namespace are written down.

use std::sync::OnceLock;

use optap_acl::prof::c_name;

/// Declares the functions of one module, and `register`, which adds them to it.
///
/// Each has a kind, which says what it returns:
/// `code` the code alone; `pair` the value and the code; `value` the value alone; `nothing` None; `object` whatever
/// the body makes, given the interpreter by the name in brackets. A `blocking` one runs without the GIL. A call that
/// fails has the value after `or`, or the default of its type.
macro_rules! functions {
    ($module:literal $( $(#[$doc:meta])* $kind:ident $name:ident $([$py:ident])? ($($arg:ident: $type:ty),*) $(or $otherwise:literal)? $body:block )*) => {
        $(
            $(#[$doc])*
            #[pyo3::pyfunction]
            #[pyo3(signature = (*args))]
            fn $name<'py>(
                py: pyo3::Python<'py>,
                args: &pyo3::Bound<'py, pyo3::types::PyTuple>,
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                const NAME: &str = concat!($module, ".", stringify!($name));
                #[allow(unused_mut)]
                let mut given = $crate::acl::args::Args::new(NAME, args);
                $(let $arg: $type = given.take()?;)*
                given.finish()?;
                $(let $py = py;)?
                static IN_C: std::sync::OnceLock<String> = std::sync::OnceLock::new();
                $crate::acl::functions::timed(NAME, &IN_C, || {
                    $crate::acl::functions::respond!($kind py NAME ($($otherwise)?) $body)
                })
            }
        )*

        /// Adds the functions to their module.
        pub fn register(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
            use pyo3::types::PyModuleMethods;
            $(module.add_function(pyo3::wrap_pyfunction!($name, module)?)?;)*
            Ok(())
        }
    };
}

/// Runs the body of a function, and answers as its kind says.
macro_rules! respond {
    (code $py:ident $name:ident () $body:block) => {
        $crate::acl::answer::code($py, $name, $body)
    };
    (blocking_code $py:ident $name:ident () $body:block) => {
        $crate::acl::answer::code($py, $name, $py.detach(|| $body))
    };
    (nothing $py:ident $name:ident () $body:block) => {
        $crate::acl::answer::nothing($py, $name, $body)
    };
    (object $py:ident $name:ident () $body:block) => {
        $body
    };
    (pair $py:ident $name:ident ($otherwise:literal) $body:block) => {
        $crate::acl::answer::pair($py, $name, $body, $otherwise)
    };
    (pair $py:ident $name:ident () $body:block) => {
        $crate::acl::answer::pair($py, $name, $body, Default::default())
    };
    (blocking_pair $py:ident $name:ident () $body:block) => {
        $crate::acl::answer::pair($py, $name, $py.detach(|| $body), Default::default())
    };
    (value $py:ident $name:ident ($otherwise:literal) $body:block) => {
        $crate::acl::answer::value($py, $name, $body, $otherwise)
    };
    (value $py:ident $name:ident () $body:block) => {
        $crate::acl::answer::value($py, $name, $body, Default::default())
    };
}

/// Makes a call, and tells who asks how long it took. Those that mark and profile are not told.
#[inline]
pub fn timed<T>(name: &str, in_c: &'static OnceLock<String>, call: impl FnOnce() -> T) -> T {
    if name.starts_with("acl.prof.") || !optap_session::is_timing() {
        return call();
    }
    optap_session::timed(in_c.get_or_init(|| c_name(name)), call)
}

pub(crate) use {functions, respond};
