//! The pyACL namespace: `optap._core.acl`, which parses and calls only.

mod answer;
mod args;
mod base;
mod callback;
mod catalog;
mod describe;
mod functions;
mod getters;
mod mdl;
mod memory;
mod numpy;
mod options;
mod prof;
mod rt;
mod util;

use pyo3::prelude::*;

type Register = fn(&Bound<'_, PyModule>) -> PyResult<()>;

/// The modules, and what fills each.
const MODULES: &[(&str, &[Register])] = &[
    ("rt", &[rt::register, memory::register]),
    ("mdl", &[mdl::register, describe::register]),
    ("util", &[util::register]),
    ("prof", &[prof::register, getters::register]),
];

/// Adds `acl`, with its modules, to `core`.
pub fn register(core: &Bound<'_, PyModule>) -> PyResult<()> {
    let acl = module(core.py(), "acl", |module| base::register(module))?;
    acl.add_function(wrap_pyfunction!(catalog::functions, &acl)?)?;
    acl.add_function(wrap_pyfunction!(options::configure, &acl)?)?;
    acl.add_function(wrap_pyfunction!(options::statistics, &acl)?)?;
    acl.add_function(wrap_pyfunction!(options::log_fault, &acl)?)?;
    for (name, registers) in MODULES {
        let full = format!("acl.{name}");
        acl.add(
            *name,
            module(core.py(), &full, |module| add_all(module, registers))?,
        )?;
    }
    core.add("acl", acl)
}

fn add_all(module: &Bound<'_, PyModule>, registers: &[Register]) -> PyResult<()> {
    registers.iter().try_for_each(|register| register(module))
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
