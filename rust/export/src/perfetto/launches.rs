//! Which run a thread executes on a stream: what launched the operators there.

use std::collections::HashMap;

use optap_record::OpRecord;

/// A device, a stream and a thread.
pub(crate) type Place = [u32; 3];

/// A run on one place, so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) place: Place,
    pub(crate) run_id: u64,
    pub(crate) model_id: u32,
    pub(crate) end_ns: u64,
}

/// The latest run of each place.
#[derive(Debug, Default)]
pub(crate) struct Launches {
    latest: Option<Launch>,
    others: HashMap<Place, Launch>,
}

impl Launches {
    /// Adds an operator. Where it is the first of its run on its place: the run that ended there
    /// before, if any, and `true` if the operator belongs to a run at all.
    #[inline]
    pub(crate) fn add(&mut self, record: &OpRecord) -> Option<(Option<Launch>, bool)> {
        let place = [record.device_id, record.stream_id, record.thread_id];
        if let Some(latest) = &mut self.latest
            && latest.place == place
            && (latest.run_id, latest.model_id) == (record.run_id, record.model_id)
        {
            latest.end_ns = latest.end_ns.max(record.end_ns);
            return None;
        }
        self.change(place, record)
    }

    fn change(&mut self, place: Place, record: &OpRecord) -> Option<(Option<Launch>, bool)> {
        let next = Launch {
            place,
            run_id: record.run_id,
            model_id: record.model_id,
            end_ns: record.end_ns,
        };
        if let Some(latest) = self.latest.take() {
            self.others.insert(latest.place, latest);
        }
        let before = self.others.remove(&place);
        if let Some(launch) = before
            && (launch.run_id, launch.model_id) == (next.run_id, next.model_id)
        {
            let end_ns = launch.end_ns.max(next.end_ns);
            self.latest = Some(Launch { end_ns, ..launch });
            return None;
        }
        self.latest = Some(next);
        Some((before.filter(Launch::is_run), next.is_run()))
    }

    /// Ends all runs.
    pub(crate) fn drain(&mut self) -> Vec<Launch> {
        let others = self.others.drain().map(|(_, launch)| launch);
        let mut runs: Vec<Launch> = self.latest.take().into_iter().chain(others).collect();
        runs.retain(Launch::is_run);
        runs.sort_by_key(|launch| (launch.end_ns, launch.place));
        runs
    }
}

impl Launch {
    fn is_run(&self) -> bool {
        (self.run_id, self.model_id) != (0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_of_a_place_begins_and_ends_once() {
        let op = |stream_id, run_id, end_ns| OpRecord {
            stream_id,
            run_id,
            end_ns,
            ..OpRecord::default()
        };
        let mut launches = Launches::default();
        let ended = |launch: Option<Launch>| launch.map(|launch| (launch.run_id, launch.end_ns));
        let mut told = Vec::new();
        for record in [
            op(1, 7, 10),
            op(2, 8, 11),
            op(1, 7, 12),
            op(1, 9, 13),
            op(2, 8, 14),
            op(1, 0, 15),
        ] {
            told.push(
                launches
                    .add(&record)
                    .map(|(before, is_run)| (ended(before), is_run)),
            );
        }
        let first = Some((None, true));
        let expected = [
            first,
            first,
            None,
            Some((Some((7, 12)), true)),
            None,
            Some((Some((9, 13)), false)),
        ];
        assert_eq!(told, expected);
        let open: Vec<_> = launches
            .drain()
            .into_iter()
            .map(|launch| ended(Some(launch)))
            .collect();
        assert_eq!(open, [Some((8, 14))]);
    }
}
