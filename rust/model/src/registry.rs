//! The models of the process by id.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use arc_swap::ArcSwapOption;
use optap_runtime::fork_generation;
use parking_lot::Mutex;

use crate::model::Model;

static CURRENT: ArcSwapOption<Registry> = ArcSwapOption::const_empty();

/// The models that are alive in one process.
pub(crate) struct Registry {
    generation: u32,
    live: Mutex<HashMap<u32, Weak<Model>>>,
}

impl Registry {
    /// The registry of this process. A forked child begins with an empty one.
    fn global() -> Arc<Self> {
        loop {
            let current = CURRENT.load_full();
            if let Some(registry) = current.as_ref().filter(|registry| registry.is_own()) {
                return Arc::clone(registry);
            }
            let fresh = Arc::new(Self {
                generation: fork_generation(),
                live: Mutex::default(),
            });
            CURRENT.compare_and_swap(&current, Some(fresh));
        }
    }

    fn is_own(&self) -> bool {
        self.generation == fork_generation()
    }

    pub(crate) fn add(model: &Arc<Model>) {
        let (id, model) = (model.id(), Arc::downgrade(model));
        Self::global().live.lock().insert(id, model);
    }

    pub(crate) fn remove(id: u32) {
        Self::global().live.lock().remove(&id);
    }

    pub(crate) fn find(id: u32) -> Option<Arc<Model>> {
        let model = Self::global().live.lock().get(&id).cloned();
        model?.upgrade()
    }
}
