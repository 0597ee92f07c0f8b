//! Names and flags of a plan's ops, registered once a plan.

use std::sync::{Arc, Weak};

use optap_engine::{OnnxNode, Plan, PlanOp};
use optap_profiler::{Names, Profiler};
use optap_record::{Flags, NameTable, NameTableFull, OpInfo, OpTable};
use optap_runtime::{Error, ErrorCode, Result};
use parking_lot::Mutex;

/// What the records of one plan need.
pub(crate) struct PlanNames {
    names: Names,
    flags: Box<[Flags]>,
}

impl PlanNames {
    fn register(plan: &Plan, nodes: &[OnnxNode]) -> Result<Self> {
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

    /// The op id of the plan's first op; the others follow.
    pub(crate) fn first_id(&self) -> u32 {
        self.names.lease().first_id()
    }

    /// What sets the op at `index` apart.
    #[inline]
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

/// The names of the plans that a model keeps.
#[derive(Default)]
pub(crate) struct NameCache(Mutex<Vec<(Weak<Plan>, Arc<PlanNames>)>>);

impl NameCache {
    /// The names of `plan`, registered on first use and released after the plan.
    pub(crate) fn of(&self, plan: &Arc<Plan>, nodes: &[OnnxNode]) -> Result<Arc<PlanNames>> {
        let mut plans = self.0.lock();
        plans.retain(|(known, _)| known.strong_count() > 0);
        if let Some((_, names)) = plans
            .iter()
            .find(|(known, _)| known.as_ptr() == Arc::as_ptr(plan))
        {
            return Ok(names.clone());
        }
        let names = Arc::new(PlanNames::register(plan, nodes)?);
        plans.push((Arc::downgrade(plan), names.clone()));
        Ok(names)
    }
}
