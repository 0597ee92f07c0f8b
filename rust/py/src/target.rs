//! What a subscription listens to, and ends with.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use optap_profiler::Target;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::model::Model;
use crate::reading::Inner;
use crate::run::Run;
use crate::script::ScriptedSource;

/// The target that `object` stands for: a model, a run, a scripted source or the id of a device.
pub fn target(object: &Bound<'_, PyAny>) -> PyResult<Target> {
    if let Ok(model) = object.cast::<Model>() {
        return model.get().target();
    }
    if let Ok(run) = object.cast::<Run>() {
        return run.get().target();
    }
    if let Ok(source) = object.cast::<ScriptedSource>() {
        return source.get().target();
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

/// Ends a subscription whose targets are all runs when the last of them ends.
pub fn end_with_runs(inner: &Arc<Inner>, targets: &[Bound<'_, PyAny>]) {
    let runs: Vec<_> = targets
        .iter()
        .filter_map(|target| target.cast::<Run>().ok())
        .collect();
    if runs.len() < targets.len() {
        return;
    }
    let left = Arc::new(AtomicUsize::new(runs.len()));
    for run in runs {
        let (inner, left) = (Arc::downgrade(inner), left.clone());
        run.get().inner().completion.on_done(move |_| {
            let is_last = left.fetch_sub(1, Ordering::AcqRel) == 1;
            if let Some(inner) = inner.upgrade().filter(|_| is_last) {
                inner.subscription.finish();
            }
        });
    }
}
