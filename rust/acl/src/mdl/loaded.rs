//! A model that scripts know by its id.

use std::fmt;
use std::sync::{Arc, Weak};

use optap_engine::{Model, Plan};
use optap_model::fresh_model_id;
use optap_profiler::{Profiler, Tap};
use optap_runtime::Result;
use parking_lot::Mutex;

use crate::mdl::names::PlanNames;

/// A model of the engine under an id, on a device.
pub(crate) struct Loaded {
    pub(crate) engine: Model,
    pub(crate) tap: Arc<Tap>,
    names: Mutex<Vec<(Weak<Plan>, Arc<PlanNames>)>>,
    /// The shapes of the outputs of the latest run.
    pub(crate) output_shapes: Mutex<Option<Vec<Vec<usize>>>>,
}

impl Loaded {
    /// Registers `engine` under a fresh id.
    pub(crate) fn new(engine: Model, device_id: u32) -> Self {
        Self {
            engine,
            tap: Profiler::global().add_model(fresh_model_id(), device_id),
            names: Mutex::default(),
            output_shapes: Mutex::default(),
        }
    }

    /// The id, unique in the process.
    pub(crate) fn id(&self) -> u32 {
        self.tap.model_id()
    }

    /// The names of the operators of `plan`, registered on first use and released after the plan.
    pub(crate) fn names_of(&self, plan: &Arc<Plan>) -> Result<Arc<PlanNames>> {
        let mut plans = self.names.lock();
        plans.retain(|(known, _)| known.strong_count() > 0);
        let known = plans
            .iter()
            .find(|(known, _)| known.as_ptr() == Arc::as_ptr(plan));
        if let Some((_, names)) = known {
            return Ok(names.clone());
        }
        let names = Arc::new(PlanNames::register(plan, self.engine.nodes())?);
        plans.push((Arc::downgrade(plan), names.clone()));
        Ok(names)
    }
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded")
            .field("id", &self.id())
            .field("engine", &self.engine)
            .finish_non_exhaustive()
    }
}
