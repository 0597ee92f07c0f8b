//! Failures that a test asks for.

use std::env;
use std::sync::atomic::{AtomicBool, Ordering};

use optap_engine::{DType, OnnxNode, PlanOp, Tensor};
use parking_lot::Mutex;

type EngineResult<T> = std::result::Result<T, optap_engine::Error>;

const VARIABLE: &str = "OPTAP_FAULTS";

/// How an operator fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// It fails, as an operator that refuses its values does.
    Error,
    /// It runs until its run is cancelled, its stream aborted, or for as long as an operator may.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) name: String,
    pub(crate) kind: FaultKind,
    /// In how many runs from now it is due; 1 is the next one.
    pub(crate) runs_left: u64,
}

impl Fault {
    /// Whether `op` does the work of the node that is to fail.
    pub(crate) fn hits(&self, op: &PlanOp, nodes: &[OnnxNode]) -> bool {
        let mut sources = op.sources.iter();
        op.name == self.name || sources.any(|source| nodes[*source].name == self.name)
    }

    /// What the operator says that fails.
    pub(crate) fn error(&self, op: &PlanOp) -> optap_engine::Error {
        optap_engine::Error::Operator {
            op: self.name.clone(),
            op_type: op.op_type.clone(),
            reason: "it was asked to".to_owned(),
        }
    }

    fn parse(item: &str) -> Option<Self> {
        let (place, kind) = item.rsplit_once(':')?;
        let (name, run) = place.rsplit_once('@')?;
        Some(Self {
            name: name.to_owned(),
            kind: FaultKind::from_name(kind)?,
            runs_left: run.parse().ok().filter(|run| *run > 0)?,
        })
    }
}

/// The failures of a model that are still to come.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    coming: Mutex<Vec<Fault>>,
    are_any: AtomicBool,
}

impl Faults {
    /// What the environment says of these nodes, counted from the first run.
    pub(crate) fn from_env(nodes: &[OnnxNode]) -> EngineResult<Self> {
        let Some(text) = env::var_os(VARIABLE) else {
            return Ok(Self::default());
        };
        let mut faults = parse(&text.to_string_lossy())?;
        faults.retain(|fault| has_node(nodes, &fault.name));
        Ok(Self {
            are_any: AtomicBool::new(!faults.is_empty()),
            coming: Mutex::new(faults),
        })
    }

    pub(crate) fn script(&self, fault: Fault) {
        self.coming.lock().push(fault);
        self.are_any.store(true, Ordering::Relaxed);
    }

    /// Counts a run; gives the failures that are due in it.
    #[inline]
    pub(crate) fn arm(&self) -> Vec<Fault> {
        if self.are_any.load(Ordering::Relaxed) {
            self.due()
        } else {
            Vec::new()
        }
    }

    #[cold]
    fn due(&self) -> Vec<Fault> {
        let mut coming = self.coming.lock();
        for fault in coming.iter_mut() {
            fault.runs_left -= 1;
        }
        let due = coming
            .extract_if(.., |fault| fault.runs_left == 0)
            .collect();
        self.are_any.store(!coming.is_empty(), Ordering::Relaxed);
        due
    }
}

pub(crate) fn has_node(nodes: &[OnnxNode], name: &str) -> bool {
    nodes.iter().any(|node| node.name == name)
}

fn parse(text: &str) -> EngineResult<Vec<Fault>> {
    let items = text
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty());
    let fault = |item: &str| {
        Fault::parse(item).ok_or_else(|| optap_engine::Error::Setting {
            name: VARIABLE,
            value: item.to_owned(),
            expected: "name@run:kind, where runs are counted from 1 and kind is error, hang or nan",
        })
    };
    items.map(fault).collect()
}

/// Makes every floating number of the outputs a NaN.
pub(crate) fn poison(outputs: Vec<Tensor>) -> EngineResult<Vec<Tensor>> {
    let poisoned = outputs.into_iter().map(|output| {
        let nan: &[u8] = match output.dtype() {
            DType::F16 => &0x7e00_u16.to_le_bytes(),
            DType::F32 => &f32::NAN.to_le_bytes(),
            DType::F64 => &f64::NAN.to_le_bytes(),
            _ => return Ok(output),
        };
        let bytes = nan.repeat(output.as_bytes().len() / nan.len());
        Tensor::new(output.dtype(), output.shape(), &bytes)
    });
    poisoned.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_what_separates() {
        let faults = parse(" a@b:c@2:nan ,,d@1:hang").expect("faults");
        let fault = |name: &str, kind, runs_left| Fault {
            name: name.to_owned(),
            kind,
            runs_left,
        };
        assert_eq!(
            faults,
            [
                fault("a@b:c", FaultKind::Nan, 2),
                fault("d", FaultKind::Hang, 1)
            ]
        );
    }

    #[test]
    fn what_is_no_fault_is_named() {
        for bad in [
            "node",
            "node@1",
            "node:error",
            "node@0:error",
            "node@x:error",
            "node@1:late",
        ] {
            let error = parse(&format!("a@1:error,{bad}")).expect_err("a refusal");
            assert!(
                error
                    .to_string()
                    .starts_with(&format!("OPTAP_FAULTS is '{bad}'")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_fault_is_due_once_in_its_run() {
        let faults = Faults::default();
        for (name, runs_left) in [("first", 1), ("third", 3)] {
            faults.script(Fault {
                name: name.to_owned(),
                kind: FaultKind::Error,
                runs_left,
            });
        }
        let due: Vec<Vec<String>> = (0..4)
            .map(|_| faults.arm().into_iter().map(|fault| fault.name).collect())
            .collect();
        assert_eq!(due, [vec!["first"], vec![], vec!["third"], vec![]]);
    }
}
