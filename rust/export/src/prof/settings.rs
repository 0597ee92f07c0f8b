//! How a directory is written.

use super::{Anchor, Asked};
use crate::process::executable_name;

/// How a [`ProfDir`](crate::ProfDir) is written.
///
/// ```
/// use optap_export::Settings;
/// let settings = Settings { storage_limit_bytes: Some(200 << 20), ..Settings::default() };
/// assert_eq!(settings.slice_bytes, 2 << 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The instant at which the profile begins.
    pub anchor: Anchor,
    /// How the process is called in the tables.
    pub process_name: String,
    /// A file that has reached this size, bytes, is closed and followed by the next slice.
    pub slice_bytes: u64,
    /// The most that the slices may hold together, bytes; the oldest closed slices of records are
    /// removed to stay below it. `None` for no limit.
    pub storage_limit_bytes: Option<u64>,
    /// What the directory is asked to hold.
    pub asked: Asked,
    /// Whether the records are also kept as they are, in files of their own that `msprof` passes
    /// over: with them [`read_prof`](crate::read_prof) gives back every field, and every byte of
    /// every name.
    pub keeps_records: bool,
}

impl Default for Settings {
    /// Begins now, takes the name of the executable, slices of 2 MiB, no limit, everything, and no
    /// records beside.
    fn default() -> Self {
        Self {
            anchor: Anchor::now(),
            process_name: executable_name(),
            slice_bytes: 2 << 20,
            storage_limit_bytes: None,
            asked: Asked::default(),
            keeps_records: false,
        }
    }
}
