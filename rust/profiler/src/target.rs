//! What a subscription listens to.

use optap_record::OpRecord;

/// A model, one run of a model, or everything on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Every run of the model with this id.
    Model(u32),
    /// One run of a model.
    Run {
        /// Id of the run.
        run_id: u64,
        /// Id of the model that it runs.
        model_id: u32,
    },
    /// Every model of the device with this id.
    Device(u32),
}

impl Target {
    /// Whether `record` comes from this target.
    #[inline]
    pub fn covers(self, record: &OpRecord) -> bool {
        match self {
            Self::Model(model_id) => record.model_id == model_id,
            Self::Run { run_id, .. } => record.run_id == run_id,
            Self::Device(device_id) => record.device_id == device_id,
        }
    }

    /// Whether ops of the model `model_id` on `device_id` can come from this target.
    pub fn concerns(self, model_id: u32, device_id: u32) -> bool {
        match self {
            Self::Model(id) | Self::Run { model_id: id, .. } => id == model_id,
            Self::Device(id) => id == device_id,
        }
    }
}

/// What all records of a block have in common; `None` where they differ.
#[derive(Clone, Copy, Debug)]
pub struct Common {
    first: OpRecord,
    one_model: bool,
    one_run: bool,
    one_device: bool,
}

impl Common {
    /// Reads `records`; `None` for no records.
    pub fn of(records: &[OpRecord]) -> Option<Self> {
        let mut common = Self {
            first: *records.first()?,
            one_model: true,
            one_run: true,
            one_device: true,
        };
        for record in records {
            common.one_model &= record.model_id == common.first.model_id;
            common.one_run &= record.run_id == common.first.run_id;
            common.one_device &= record.device_id == common.first.device_id;
        }
        Some(common)
    }

    /// Whether every record comes from `target`.
    pub fn all_from(&self, target: Target) -> bool {
        let alike = match target {
            Target::Model(_) => self.one_model,
            Target::Run { .. } => self.one_run,
            Target::Device(_) => self.one_device,
        };
        alike && target.covers(&self.first)
    }
}
