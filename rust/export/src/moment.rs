//! Where a record lies on the time line.

use optap_record::{Flags, Kind, OpRecord};

/// How a record with some usable time is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// From a start, for a while.
    Slice { start_ns: u64, duration_ns: u64 },
    /// At an instant, by its nature.
    Mark { at_ns: u64 },
    /// At an instant, because its times give no duration.
    Impossible { at_ns: u64, reason: &'static str },
}

impl Moment {
    /// `None` if no time of the record is usable, or if the record only steers the line.
    #[inline]
    pub(crate) fn of(record: &OpRecord) -> Option<Self> {
        match record.duration_ns() {
            _ if record.kind.is_control() => None,
            Some(_) if record.kind == Kind::MARK => Some(Self::Mark {
                at_ns: record.start_ns,
            }),
            Some(duration_ns) => Some(Self::Slice {
                start_ns: record.start_ns,
                duration_ns,
            }),
            None => Self::impossible(record),
        }
    }

    #[cold]
    fn impossible(record: &OpRecord) -> Option<Self> {
        if record.flags.contains(Flags::TICKS) {
            return None;
        }
        let (at_ns, reason) = match (record.start_ns, record.end_ns) {
            (0, 0) => return None,
            (0, end_ns) => (end_ns, "time_zero"),
            (start_ns, 0) => (start_ns, "time_zero"),
            (start_ns, _) => (start_ns, "time_reversed"),
        };
        Some(Self::Impossible { at_ns, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(start_ns: u64, end_ns: u64) -> Option<Moment> {
        Moment::of(&OpRecord {
            start_ns,
            end_ns,
            ..OpRecord::default()
        })
    }

    #[test]
    fn impossible_times_are_instants_with_a_reason() {
        for (start_ns, end_ns, at_ns, reason) in [
            (5, 0, 5, "time_zero"),
            (0, 5, 5, "time_zero"),
            (u64::MAX, 0, u64::MAX, "time_zero"),
            (10, 4, 10, "time_reversed"),
        ] {
            let impossible = Moment::Impossible { at_ns, reason };
            assert_eq!(moment(start_ns, end_ns), Some(impossible));
        }
    }

    #[test]
    fn a_record_without_any_time_lies_nowhere() {
        let ticks = OpRecord {
            flags: Flags::TICKS,
            start_ns: 5,
            end_ns: 9,
            ..OpRecord::default()
        };
        assert_eq!((moment(0, 0), Moment::of(&ticks)), (None, None));
    }

    #[test]
    fn a_record_that_steers_the_line_lies_nowhere() {
        let fence = OpRecord {
            end_ns: 9,
            ..OpRecord::fence(1, 5)
        };
        assert_eq!(Moment::of(&fence), None);
    }

    #[test]
    fn possible_times_are_slices() {
        for (start_ns, end_ns) in [(7, 7), (1 << 63, (1 << 63) + 5)] {
            let duration_ns = end_ns - start_ns;
            let slice = Moment::Slice {
                start_ns,
                duration_ns,
            };
            assert_eq!(moment(start_ns, end_ns), Some(slice));
        }
    }
}
