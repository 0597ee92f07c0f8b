//! What a round is asked to collect.

use optap_export::{Asked, NO_DEVICE};
use optap_profiler::{Kinds, Target};

/// What a round collects, and where.
///
/// ```
/// use optap_session::Wish;
/// let wish = Wish { storage_limit_bytes: Some(200 << 20), ..Wish::on(&[0, 1]) };
/// assert_eq!(wish.devices, [0, 1]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The devices to listen to.
    pub devices: Vec<u32>,
    /// Whether a device is shown only from its first record on, not from the start.
    pub shows_late: bool,
    /// What to collect there.
    pub asked: Asked,
    /// The most that the round's files may hold, bytes; the oldest slices go beyond it. `None` for no limit.
    pub storage_limit_bytes: Option<u64>,
}

impl Wish {
    /// Everything that these devices tell, without a limit.
    #[must_use]
    pub fn on(devices: &[u32]) -> Self {
        Self {
            devices: devices.to_vec(),
            shows_late: false,
            asked: Asked::default(),
            storage_limit_bytes: None,
        }
    }

    /// What a subscription listens to. A round without operators listens to no device's.
    pub(crate) fn targets(&self) -> Vec<Target> {
        let devices = self.devices.iter().filter(|_| self.asked.level.is_some());
        devices.map(|&id| Target::Device(id)).collect()
    }

    /// The kinds of records that a subscription chooses.
    pub(crate) fn kinds(&self) -> Kinds {
        let asked = [
            (self.asked.level.is_some(), Kinds::OPS),
            (self.asked.ranges, Kinds::RANGES | Kinds::MARKS),
            (self.asked.steps, Kinds::STEPS),
        ];
        let asked = asked.into_iter().filter(|(is_asked, _)| *is_asked);
        asked.fold(Kinds::NONE, |all, (_, kinds)| all | kinds)
    }

    /// The devices that the directory shows from the start.
    pub(crate) fn shown(&self) -> &[u32] {
        if self.shows_late { &[] } else { &self.devices }
    }

    /// Whether records of this device are meant.
    pub(crate) fn means(&self, device_id: u32) -> bool {
        device_id == NO_DEVICE || self.devices.contains(&device_id)
    }
}

/// Sets of core counters, by the number that pyACL gives them.
pub const METRICS: [&str; 9] = [
    "ArithmeticUtilization",
    "PipeUtilization",
    "Memory",
    "MemoryL0",
    "ResourceConflictRatio",
    "MemoryUB",
    "L2Cache",
    "PipelineExecuteUtilization",
    "MemoryAccess",
];
