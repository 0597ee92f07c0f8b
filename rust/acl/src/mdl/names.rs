//! Names and flags of the operators of a plan.

use std::fmt;

use optap_engine::{OnnxNode, Plan, PlanOp};
use optap_profiler::{Names, Profiler};
use optap_record::{Flags, NameTable, NameTableFull, OpInfo, OpTable};
use optap_runtime::{Error, ErrorCode, Result};

/// What the records of one plan need.
pub(crate) struct PlanNames {
    names: Names,
    flags: Box<[Flags]>,
}

impl PlanNames {
    /// Registers the operators of `plan`. 300000 when the memory of names is exhausted.
    pub(crate) fn register(plan: &Plan, nodes: &[OnnxNode]) -> Result<Self> {
        let infos: std::result::Result<Vec<_>, _> =
            plan.ops().iter().map(|op| describe(op, nodes)).collect();
        let infos =
            infos.map_err(|full| Error::new(ErrorCode::StorageOverLimit, full.to_string()))?;
        let flags = infos.iter().map(|info| info.flags).collect();
        Ok(Self {
            names: Profiler::global().add_names(OpTable::global().register(infos)),
            flags,
        })
    }

    /// The id of the operator at `index` in records.
    pub(crate) fn op_id(&self, index: usize) -> u32 {
        self.names.lease().first_id() + index as u32
    }

    /// What sets the operator at `index` apart.
    pub(crate) fn flags(&self, index: usize) -> Flags {
        self.flags.get(index).copied().unwrap_or_default()
    }
}

fn describe(op: &PlanOp, nodes: &[OnnxNode]) -> std::result::Result<OpInfo, NameTableFull> {
    let intern = |text: &str| NameTable::global().intern(text.as_bytes());
    let sources = op.sources.iter().map(|source| intern(&nodes[*source].name));
    Ok(OpInfo {
        name: intern(&op.name)?,
        type_: intern(&op.op_type)?,
        kernel: intern(&op.kernel)?,
        flags: flags_of(op),
        sources: sources.collect::<std::result::Result<_, _>>()?,
    })
}

fn flags_of(op: &PlanOp) -> Flags {
    let marks = [
        (op.flags.made_by_engine, Flags::ENGINE),
        (op.flags.nested, Flags::NESTED),
        (op.flags.fused, Flags::FUSED),
    ];
    let set = marks.into_iter().filter(|(is_set, _)| *is_set);
    set.fold(Flags::NONE, |flags, (_, flag)| flags | flag)
}

impl fmt::Debug for PlanNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanNames")
            .field("ops", &self.flags.len())
            .finish_non_exhaustive()
    }
}
