//! Sums of operators by key.

use std::sync::Arc;

use optap_record::{Kind, OpLease, OpRecord};

use crate::by::By;
use crate::key::Key;
use crate::labels::Labels;
use crate::ranges::Ranges;
use crate::recent::Recent;
use crate::rows::Rows;
use crate::steps::Steps;
use crate::sum::Sum;

/// Count, total, extremes and quantiles of operators, by key, in memory that does not grow with their number.
///
/// ```
/// use optap_record::OpRecord;
/// use optap_summary::{By, Summary};
/// let op = |start_ns, end_ns| OpRecord { start_ns, end_ns, stream_id: 7, ..OpRecord::default() };
/// let mut summary = Summary::new(By::Stream, 1_000);
/// summary.add(&[op(10, 30), op(30, 70), op(0, 5)], &[]);
/// let rows = summary.rows();
/// assert_eq!((rows[0].1.count, rows[0].1.untimed, rows[0].1.total_ns), (3, 1, 60));
/// ```
#[derive(Debug)]
pub struct Summary {
    records: u64,
    rows: Rows,
    finder: Finder,
    knows_spans: bool,
}

/// What finds the row of an operator.
#[derive(Debug)]
enum Finder {
    Labels(Labels),
    Streams(Box<Recent>),
    Ranges(Box<Ranges>),
    Steps(Steps),
}

impl Finder {
    fn new(by: By) -> Self {
        match by {
            By::Type | By::Name => Self::Labels(Labels::new(by)),
            By::Stream => Self::Streams(Box::default()),
            By::Range => Self::Ranges(Box::default()),
            By::Step => Self::Steps(Steps::default()),
        }
    }
}

impl Summary {
    /// An empty summary of at most `max_rows` keys; what comes beyond is summed up as [`Key::Others`].
    #[must_use]
    pub fn new(by: By, max_rows: usize) -> Self {
        Self {
            records: 0,
            rows: Rows::new(max_rows),
            finder: Finder::new(by),
            knows_spans: false,
        }
    }

    /// Operators counted.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Counts the operators of `records`, which `leases` name. Ranges and steps name the rows by range and by step,
    /// and are no operators; marks are left out.
    ///
    /// An operator arrives before the end of its range or step. By range it is counted at once, under
    /// [`Key::Open`] until the range is told. By step it waits, for as long as 262,144 operators do; then
    /// it counts as outside. [`know_spans`](Self::know_spans) avoids both.
    pub fn add(&mut self, records: &[OpRecord], leases: &[Arc<OpLease>]) {
        if !self.knows_spans {
            self.tell_spans(records, leases);
        }
        let (rows, may_wait) = (&mut self.rows, !self.knows_spans);
        self.records += match &mut self.finder {
            Finder::Labels(labels) => {
                labels.begin();
                count(records, rows, |op, rows| {
                    Some(labels.slot(op.op_id, leases, rows))
                })
            }
            Finder::Streams(recent) => count(records, rows, |op, rows| {
                Some(recent.get(stream(op), || rows.slot(key_of_stream(op))))
            }),
            Finder::Ranges(ranges) => count(records, rows, |op, rows| {
                Some(ranges.slot(op.range_id, rows))
            }),
            Finder::Steps(steps) => count(records, rows, |op, rows| steps.slot(op, rows, may_wait)),
        };
    }

    /// Takes the ranges and steps of `records` alone, ahead of the operators: then [`add`](Self::add) takes operators
    /// alone, and each finds its row.
    pub fn know_spans(&mut self, records: &[OpRecord], leases: &[Arc<OpLease>]) {
        self.knows_spans = true;
        self.tell_spans(records, leases);
    }

    /// All rows in no particular order.
    #[must_use]
    pub fn rows(&self) -> Vec<(Key, Sum)> {
        let mut rows: Vec<_> = self
            .rows
            .iter()
            .map(|(key, sum)| (key.clone(), sum.clone()))
            .collect();
        match &self.finder {
            Finder::Ranges(ranges) => put(&mut rows, Key::Open, ranges.waiting(&self.rows)),
            Finder::Steps(steps) => put(&mut rows, Key::None, steps.waiting()),
            Finder::Labels(_) | Finder::Streams(_) => {}
        }
        rows.retain(|(_, sum)| !sum.is_empty());
        rows
    }

    fn tell_spans(&mut self, records: &[OpRecord], leases: &[Arc<OpLease>]) {
        let of_kind = |kind| records.iter().filter(move |record| record.kind == kind);
        let rows = &mut self.rows;
        match &mut self.finder {
            Finder::Ranges(ranges) => {
                of_kind(Kind::RANGE).for_each(|record| ranges.tell(record, leases, rows));
            }
            Finder::Steps(steps) => of_kind(Kind::STEP).for_each(|record| steps.tell(record, rows)),
            Finder::Labels(_) | Finder::Streams(_) => {}
        }
    }
}

/// Counts the operators of `records`, each in the slot that `slot_of` gives, if any.
#[inline]
fn count(
    records: &[OpRecord],
    rows: &mut Rows,
    mut slot_of: impl FnMut(&OpRecord, &mut Rows) -> Option<u32>,
) -> u64 {
    let mut counted = 0;
    for op in records.iter().filter(|record| record.kind == Kind::OP) {
        counted += 1;
        if let Some(slot) = slot_of(op, rows) {
            rows.sum(slot).add(op.duration_ns());
        }
    }
    counted
}

#[inline]
fn stream(op: &OpRecord) -> u64 {
    u64::from(op.device_id) << 32 | u64::from(op.stream_id)
}

fn key_of_stream(op: &OpRecord) -> Key {
    Key::Stream {
        device_id: op.device_id,
        stream_id: op.stream_id,
    }
}

/// Adds `sum` to the row of `key`.
fn put(rows: &mut Vec<(Key, Sum)>, key: Key, sum: Sum) {
    match rows.iter_mut().find(|(known, _)| *known == key) {
        Some((_, known)) => known.merge(&sum),
        None => rows.push((key, sum)),
    }
}
