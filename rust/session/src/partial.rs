//! Which runs a round saw in part.

use std::collections::BTreeSet;

use optap_record::{Kind, OpRecord};

/// Runs that may go on when the round stops; older ones have ended.
const RECENT_RUNS: usize = 4_096;

/// The runs of which a round wrote operators, as far as they may be incomplete.
#[derive(Debug)]
pub(crate) struct PartialRuns {
    /// Runs that had begun before the round, by rising id.
    early: Vec<u64>,
    seen: BTreeSet<u64>,
    recent: BTreeSet<u64>,
    last: u64,
}

impl PartialRuns {
    pub(crate) fn new(early: Vec<u64>) -> Self {
        Self {
            early,
            seen: BTreeSet::new(),
            recent: BTreeSet::new(),
            last: 0,
        }
    }

    pub(crate) fn see(&mut self, records: &[OpRecord]) {
        for record in records {
            if record.run_id != self.last && record.kind == Kind::OP {
                self.see_run(record.run_id);
            }
        }
    }

    fn see_run(&mut self, run_id: u64) {
        self.last = run_id;
        if self.early.binary_search(&run_id).is_ok() {
            self.seen.insert(run_id);
        }
        self.recent.insert(run_id);
        if self.recent.len() > RECENT_RUNS {
            self.recent.pop_first();
        }
    }

    /// How many were seen in part, given those that go on at the end.
    pub(crate) fn count(&self, late: &[u64]) -> u64 {
        let late = late.iter().filter(|run_id| self.recent.contains(run_id));
        let partial: BTreeSet<&u64> = self.seen.iter().chain(late).collect();
        partial.len() as u64
    }
}
