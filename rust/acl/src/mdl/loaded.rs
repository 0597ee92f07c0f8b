//! A model that scripts know by its id.

use std::sync::Arc;

use optap_model::Model;
use parking_lot::Mutex;

/// A model, and what scripts ask about its latest run.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) model: Arc<Model>,
    /// The shapes of the outputs of the latest run.
    pub(crate) output_shapes: Mutex<Option<Vec<Vec<usize>>>>,
}

impl Loaded {
    pub(crate) fn new(model: Arc<Model>) -> Self {
        Self {
            model,
            output_shapes: Mutex::default(),
        }
    }
}
