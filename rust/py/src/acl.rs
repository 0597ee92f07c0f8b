//! The pyACL namespace: `optap._core.acl`, which parses and calls only.

mod answer;
mod args;
mod base;
mod catalog;
mod functions;
mod mdl;
mod prof;
mod rt;
mod util;

use pyo3::prelude::*;

/// Adds `acl`, with its modules, to `core`.
pub fn register(core: &Bound<'_, PyModule>) -> PyResult<()> {
    let acl = module(core.py(), "acl", base::register)?;
    acl.add_function(wrap_pyfunction!(catalog::functions, &acl)?)?;
    for (name, register) in [
        (
            "rt",
            rt::register as fn(&Bound<'_, PyModule>) -> PyResult<()>,
        ),
        ("mdl", mdl::register),
        ("util", util::register),
        ("prof", prof::register),
    ] {
        acl.add(name, module(core.py(), &format!("acl.{name}"), register)?)?;
    }
    core.add("acl", acl)
}

fn module<'py>(
    py: Python<'py>,
    name: &str,
    register: impl FnOnce(&Bound<'py, PyModule>) -> PyResult<()>,
) -> PyResult<Bound<'py, PyModule>> {
    let module = PyModule::new(py, name)?;
    register(&module)?;
    Ok(module)
}
