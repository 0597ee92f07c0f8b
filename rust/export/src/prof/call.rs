//! Calls of the host's own interface.

use std::collections::HashMap;

/// A call that a thread made, such as `aclmdlExecute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiCall {
    /// How the tables call it.
    pub name: &'static str,
    /// The operating system's id of the thread.
    pub thread_id: u32,
    /// When it began, monotonic ns.
    pub start_ns: u64,
    /// When it returned, monotonic ns.
    pub end_ns: u64,
}

/// Groups of calls, in the high half of their type.
const GROUPS: [(&str, u32); 2] = [("aclmdl", 2), ("aclrt", 3)];
const OTHERS: u32 = 4;

/// Types of the calls seen so far.
#[derive(Debug, Default)]
pub(crate) struct CallTypes(HashMap<&'static str, u32>);

impl CallTypes {
    /// The type of a name, and whether it is new.
    pub(crate) fn get(&mut self, name: &'static str) -> (u32, bool) {
        if let Some(&known) = self.0.get(name) {
            return (known, false);
        }
        let group = GROUPS.iter().find(|(prefix, _)| name.starts_with(prefix));
        let group = group.map_or(OTHERS, |&(_, group)| group);
        let kind = group << 16 | (self.0.len() as u32 + 1);
        self.0.insert(name, kind);
        (kind, true)
    }
}
