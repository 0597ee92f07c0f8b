//! What a range or mark says: message, domain and category, known by one id.

use std::collections::HashMap;
use std::sync::Arc;

use optap_record::{Flags, NameTable, NameTableFull, OpInfo, OpTable};
use optap_runtime::fork_generation;
use parking_lot::Mutex;

use crate::profiler::{Names, Profiler};

/// Labels kept although nobody uses them, at most.
const UNUSED_LABELS: usize = 1024;

/// The text of a range or mark. Equal texts share one label while it is kept.
pub struct Label {
    /// Keeps the name known for the records that carry the id.
    _names: Option<Names>,
    op_id: u32,
    generation: u32,
}

impl Label {
    fn new(names: Option<Names>) -> Self {
        Self {
            op_id: names.as_ref().map_or(0, |names| names.lease().first_id()),
            _names: names,
            generation: fork_generation(),
        }
    }

    /// A label that says nothing, for where a name cannot be kept.
    pub fn nameless() -> Self {
        Self::new(None)
    }

    /// The id that stands for the text in a record; 0 for none.
    #[inline]
    pub fn op_id(&self) -> u32 {
        self.op_id
    }

    /// Whether this process made the label, and did not inherit it by a fork.
    #[inline]
    pub fn is_own(&self) -> bool {
        self.generation == fork_generation()
    }
}

/// The labels by their text.
pub(crate) struct Labels {
    known: Mutex<Known>,
}

struct Known {
    labels: HashMap<Box<[u8]>, Arc<Label>>,
    /// Labels at which those that nobody uses go.
    limit: usize,
}

impl Default for Labels {
    fn default() -> Self {
        let known = Known {
            labels: HashMap::new(),
            limit: UNUSED_LABELS,
        };
        Self {
            known: Mutex::new(known),
        }
    }
}

impl Labels {
    /// Labels that are kept now.
    pub(crate) fn len(&self) -> usize {
        self.known.lock().labels.len()
    }
}

impl Known {
    /// Takes out the labels that nobody uses, once there are many.
    fn sweep(&mut self) -> Vec<Arc<Label>> {
        if self.labels.len() < self.limit {
            return Vec::new();
        }
        let unused = self
            .labels
            .extract_if(|_, label| Arc::strong_count(label) == 1);
        let unused = unused.map(|(_, label)| label).collect();
        self.limit = UNUSED_LABELS.max(self.labels.len() * 2);
        unused
    }
}

impl Profiler {
    /// The label of a message, a domain and a category, of any bytes; the last two may be empty.
    ///
    /// A label that nobody holds any more is given up once there are many, so messages made on the way do not add up.
    ///
    /// # Errors
    /// The names are capped, and there is no room for another one.
    pub fn label(
        self: &Arc<Self>,
        message: &[u8],
        domain: &[u8],
        category: &[u8],
    ) -> Result<Arc<Label>, NameTableFull> {
        let key = key(message, domain, category);
        let mut known = self.labels().known.lock();
        if let Some(label) = known.labels.get(&key) {
            return Ok(label.clone());
        }
        let unused = known.sweep();
        let label = Arc::new(self.make_label([message, domain, category])?);
        known.labels.insert(key, label.clone());
        drop(known);
        drop(unused);
        Ok(label)
    }

    fn make_label(
        self: &Arc<Self>,
        [message, domain, category]: [&[u8]; 3],
    ) -> Result<Label, NameTableFull> {
        let intern = |text: &[u8]| NameTable::global().intern(text);
        let info = OpInfo {
            name: intern(message)?,
            type_: intern(domain)?,
            kernel: intern(category)?,
            flags: Flags::NONE,
            sources: Box::default(),
        };
        let names = self.add_names(OpTable::global().register(vec![info]));
        Ok(Label::new(Some(names)))
    }
}

/// One text for three, from which the three can be told.
fn key(message: &[u8], domain: &[u8], category: &[u8]) -> Box<[u8]> {
    let lengths = [domain.len(), category.len()].map(usize::to_le_bytes);
    [&lengths[0], &lengths[1], domain, category, message]
        .concat()
        .into()
}
