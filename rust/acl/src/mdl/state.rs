//! What the calls of `acl.mdl` share.

use std::collections::HashMap;
use std::sync::Arc;

use optap_runtime::{Error, ErrorCode, Result};
use parking_lot::Mutex;

use crate::mdl::dataset::Dataset;
use crate::mdl::desc::Desc;
use crate::mdl::failed_op::FailedOps;
use crate::mdl::load_config::LoadConfig;
use crate::mdl::loaded::Loaded;
use crate::{Acl, Handles};

/// Models by id, and handles.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) models: Mutex<HashMap<u32, Arc<Loaded>>>,
    pub(crate) descs: Handles<Desc>,
    pub(crate) datasets: Handles<Dataset>,
    pub(crate) configs: Handles<LoadConfig>,
    pub(crate) failed_ops: FailedOps,
}

impl Default for State {
    fn default() -> Self {
        Self {
            models: Mutex::default(),
            descs: Handles::new("model description", ErrorCode::InvalidParam),
            datasets: Handles::new("dataset", ErrorCode::InvalidParam),
            configs: Handles::new("load configuration", ErrorCode::InvalidParam),
            failed_ops: FailedOps::default(),
        }
    }
}

/// The state of this process.
pub(crate) fn state() -> &'static State {
    &Acl::global().mdl
}

/// The model with this id. 145003 when there is none.
pub(crate) fn model(model_id: u32) -> Result<Arc<Loaded>> {
    let known = state().models.lock().get(&model_id).cloned();
    known.ok_or_else(|| unknown(model_id))
}

/// What is said of an id that no model has.
pub(crate) fn unknown(model_id: u32) -> Error {
    let detail = format!("no loaded model has the id {model_id}; it may be unloaded");
    Error::new(ErrorCode::GeExecModelIdInvalid, detail)
}
