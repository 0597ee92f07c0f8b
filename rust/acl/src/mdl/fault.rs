//! Failures that a script asks for.

use std::env;
use std::sync::atomic::{AtomicBool, Ordering};

use optap_engine::{OnnxNode, PlanOp};
use optap_runtime::{Error, ErrorCode, Result};
use parking_lot::Mutex;

use crate::mdl::loaded::Loaded;
use crate::mdl::state::{model, state};

const VARIABLE: &str = "OPTAP_FAULTS";

/// How an operator fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// It fails with 507015.
    Error,
    /// It runs until its stream is aborted, or for as long as an operator may.
    Hang,
    /// It goes on, and every floating output of the run is a NaN.
    Nan,
}

impl FaultKind {
    /// The kind of this name: `error`, `hang` or `nan`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "error" => Some(Self::Error),
            "hang" => Some(Self::Hang),
            "nan" => Some(Self::Nan),
            _ => None,
        }
    }
}

/// A failure that is due once.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) name: String,
    pub(crate) kind: FaultKind,
    model_id: u32,
    /// In how many runs from now it is due; 1 is the next one.
    runs_left: u64,
}

impl Fault {
    /// Whether `op` does the work of the node that is to fail.
    pub(crate) fn hits(&self, op: &PlanOp, nodes: &[OnnxNode]) -> bool {
        op.name == self.name
            || op
                .sources
                .iter()
                .any(|source| nodes[*source].name == self.name)
    }

    /// The failure.
    pub(crate) fn error(&self) -> Error {
        let detail = format!("operator '{}' failed, as it was asked to", self.name);
        Error::new(ErrorCode::AicoreException, detail)
    }
}

/// The failures that are still to come.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    coming: Mutex<Vec<Fault>>,
    are_any: AtomicBool,
}

impl Faults {
    fn script(&self, fault: Fault) {
        self.coming.lock().push(fault);
        self.are_any.store(true, Ordering::Relaxed);
    }

    /// Counts a run of a model; gives the failures that are due in it.
    pub(crate) fn arm(&self, model_id: u32) -> Vec<Fault> {
        if !self.are_any.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let mut coming = self.coming.lock();
        for fault in coming.iter_mut().filter(|fault| fault.model_id == model_id) {
            fault.runs_left -= 1;
        }
        let due = coming
            .extract_if(.., |fault| fault.runs_left == 0)
            .collect();
        self.are_any.store(!coming.is_empty(), Ordering::Relaxed);
        due
    }

    /// Scripts what `OPTAP_FAULTS` says of the operators of a model, counted from its first run.
    ///
    /// # Errors
    /// 100000 for what cannot be understood.
    pub(crate) fn script_from_env(&self, loaded: &Loaded) -> Result<()> {
        let Some(text) = env::var_os(VARIABLE) else {
            return Ok(());
        };
        for item in text
            .to_string_lossy()
            .split(',')
            .filter(|item| !item.trim().is_empty())
        {
            let fault = parse(item.trim(), loaded.id()).ok_or_else(|| {
                let detail = format!(
                    "{VARIABLE} has '{item}'; write name@run:kind, where kind is error, hang or nan"
                );
                Error::new(ErrorCode::InvalidParam, detail)
            })?;
            if has_node(loaded, &fault.name) {
                self.script(fault);
            }
        }
        Ok(())
    }
}

fn parse(item: &str, model_id: u32) -> Option<Fault> {
    let (place, kind) = item.rsplit_once(':')?;
    let (name, run) = place.rsplit_once('@')?;
    Some(Fault {
        name: name.to_owned(),
        kind: FaultKind::from_name(kind)?,
        model_id,
        runs_left: run.parse().ok().filter(|run| *run > 0)?,
    })
}

fn has_node(loaded: &Loaded, name: &str) -> bool {
    loaded.engine.nodes().iter().any(|node| node.name == name)
}

/// Lets the node `name` of a model fail in the run `at_run` from now; 1 is the next one.
///
/// # Errors
/// 145003 for an unknown model, 100024 for a node that it does not have, 100000 for a run of 0.
pub fn fail_op(model_id: u32, name: &str, at_run: u64, kind: FaultKind) -> Result<()> {
    let loaded = model(model_id)?;
    if !has_node(&loaded, name) {
        return Err(Error::new(
            ErrorCode::OpNotFound,
            format!("the model has no node '{name}'"),
        ));
    }
    if at_run == 0 {
        return Err(Error::new(
            ErrorCode::InvalidParam,
            "runs are counted from 1, the next one",
        ));
    }
    state().faults.script(Fault {
        name: name.to_owned(),
        kind,
        model_id,
        runs_left: at_run,
    });
    Ok(())
}
