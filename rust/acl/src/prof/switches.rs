//! What a collection is asked to collect, as one word of bits.

use optap_session::{Asked, Level, METRICS};

/// Timings of the host's calls.
pub const ACL_API: u64 = 0x1;
/// Operator times with their basics.
pub const TASK_TIME: u64 = 0x2;
/// Counters of the cores.
pub const AICORE_METRICS: u64 = 0x4;
/// Iterations.
pub const TRAINING_TRACE: u64 = 0x40;
/// Marks and ranges of the script.
pub const MSPROFTX: u64 = 0x80;
/// Operator times alone.
pub const TASK_TIME_L0: u64 = 0x800;
/// Operator times with basics and attributes.
pub const TASK_TIME_L2: u64 = 0x2000;
/// The finest operator times.
pub const TASK_TIME_L3: u64 = 0x8000;
/// Statistics of the host's calls, instead of everything else.
pub const API_STATS: u64 = 0x4_0000_0000;

/// Every bit that `start` takes: the public masks and the one for models on the device's own processor.
const SUPPORTED: u64 = 0x4000_000C_0100_FBFF;

/// Levels of operator times, the finest first: each includes those behind it.
const LEVELS: [u64; 4] = [TASK_TIME_L3, TASK_TIME_L2, TASK_TIME, TASK_TIME_L0];

/// Whether `start` takes every bit of `bits`.
pub(crate) fn are_supported(bits: u64) -> bool {
    bits & !SUPPORTED == 0
}

/// What a directory holds for these bits.
pub(crate) fn asked(bits: u64, metrics: i32) -> Asked {
    let has = |bit| bits & bit != 0;
    let level = match () {
        () if has(TASK_TIME_L2 | TASK_TIME_L3) => Some(Level::L2),
        () if has(TASK_TIME) => Some(Level::L1),
        () if has(TASK_TIME_L0) => Some(Level::L0),
        () => None,
    };
    let metrics = usize::try_from(metrics).ok();
    let metrics = metrics.and_then(|number| METRICS.get(number).copied());
    Asked {
        level,
        calls: has(ACL_API),
        ranges: has(MSPROFTX),
        steps: has(TRAINING_TRACE),
        metrics: metrics.filter(|_| has(AICORE_METRICS)),
    }
}

/// `bits` with what they imply.
///
/// ```
/// use optap_acl::prof::switches::{self, TASK_TIME, TASK_TIME_L0, TRAINING_TRACE};
/// assert_eq!(switches::with_implied(TASK_TIME), TASK_TIME | TASK_TIME_L0 | TRAINING_TRACE);
/// ```
pub fn with_implied(bits: u64) -> u64 {
    if bits & API_STATS != 0 {
        return ACL_API | API_STATS;
    }
    let finest = LEVELS.iter().position(|level| bits & level != 0);
    finest.map_or(bits, |at| {
        LEVELS[at..]
            .iter()
            .fold(bits | TRAINING_TRACE, |all, level| all | level)
    })
}
