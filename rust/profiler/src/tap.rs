//! What a model asks before each node: is anybody listening, and must the runtime wait for a reader?

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::{Mutex, RwLock};

use crate::policy::Overflow;
use crate::subscriber::Subscriber;

const LISTENER: u32 = 1;
const GATE: u32 = 1 << 16;

/// The recording switch of one model.
pub struct Tap {
    model_id: u32,
    device_id: u32,
    /// Listeners in the low half, gates in the high half: one relaxed load decides.
    word: AtomicU32,
    gates: RwLock<Vec<Arc<Subscriber>>>,
    /// Ids of the runs that go on now.
    runs: Mutex<Vec<u64>>,
}

impl Tap {
    /// A switch that is off.
    pub(crate) fn new(model_id: u32, device_id: u32) -> Self {
        Self {
            model_id,
            device_id,
            word: AtomicU32::new(0),
            gates: RwLock::default(),
            runs: Mutex::default(),
        }
    }

    /// Id of the model.
    pub fn model_id(&self) -> u32 {
        self.model_id
    }

    /// Id of the device that holds the model.
    pub fn device_id(&self) -> u32 {
        self.device_id
    }

    /// Whether an op of this model is recorded: one relaxed load.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.word.load(Ordering::Relaxed) != 0
    }

    /// Whether a subscriber may hold the model's runs.
    #[inline]
    pub fn is_gated(&self) -> bool {
        self.word.load(Ordering::Relaxed) >= GATE
    }

    /// The subscribers that may hold the run `run_id`.
    pub(crate) fn gates(&self, run_id: u64) -> Vec<Arc<Subscriber>> {
        let holds = |gate: &&Arc<Subscriber>| gate.hears(self.model_id, self.device_id, run_id);
        self.gates.read().iter().filter(holds).cloned().collect()
    }

    /// Notes that a run begins: it sees whoever attached before, and whoever attaches later finds it.
    pub(crate) fn enter(&self, run_id: u64) {
        self.runs.lock().push(run_id);
    }

    /// Notes that a run has ended.
    pub(crate) fn leave(&self, run_id: u64) {
        let mut runs = self.runs.lock();
        if let Some(at) = runs.iter().position(|known| *known == run_id) {
            runs.swap_remove(at);
        }
    }

    pub(crate) fn attach(&self, subscriber: &Arc<Subscriber>) {
        if !subscriber.concerns(self.model_id, self.device_id) {
            return;
        }
        let runs = self.runs.lock();
        subscriber.joins_during(&runs);
        if subscriber.overflow() == Overflow::Block {
            self.gates.write().push(subscriber.clone());
            self.word.fetch_add(GATE, Ordering::SeqCst);
        }
        self.word.fetch_add(LISTENER, Ordering::SeqCst);
    }

    pub(crate) fn detach(&self, subscriber: &Arc<Subscriber>) {
        if !subscriber.concerns(self.model_id, self.device_id) {
            return;
        }
        subscriber.leaves_during(&self.runs.lock());
        self.word.fetch_sub(LISTENER, Ordering::SeqCst);
        if subscriber.overflow() == Overflow::Block {
            self.word.fetch_sub(GATE, Ordering::SeqCst);
            self.gates
                .write()
                .retain(|gate| !Arc::ptr_eq(gate, subscriber));
        }
    }
}
