//! Who was profiled.

use std::fs;

/// Who was profiled, and where.
///
/// ```
/// use optap_export::Process;
/// assert_eq!(Process::current().pid, std::process::id());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// The operating system's number of the process; 0 where it is not told.
    pub pid: u32,
    /// How the process is called; empty where it is not told.
    pub name: String,
    /// How the machine is called; empty where it is not told.
    pub host_name: String,
}

impl Process {
    /// This process, on this machine.
    #[must_use]
    pub fn current() -> Self {
        Self {
            pid: std::process::id(),
            name: executable_name(),
            host_name: host_name(),
        }
    }
}

/// The name of the executable.
pub(crate) fn executable_name() -> String {
    let executable = std::env::current_exe().ok();
    let name = executable.as_deref().and_then(|path| path.file_name());
    name.map_or_else(
        || "optap".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// The name of the machine.
pub(crate) fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname");
    name.map_or_else(|_| "localhost".to_owned(), |name| name.trim().to_owned())
}
