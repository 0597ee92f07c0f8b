//! Times by type of operator.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, Write};

use optap_record::{Kind, Name, OpInfo, OpRecord};

use super::cells::Cells;

const HEADER: &str = "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),\
                      Max Time(us),Ratio(%)";

/// Sums up operators by device and type, for the `op_statistic` table of `msprof`.
///
/// Memory grows with the number of types alone. Records that are no operators, or have no duration,
/// do not count.
///
/// ```
/// use optap_export::OpStatistic;
/// use optap_record::OpRecord;
/// let relu = OpRecord { op_id: 7, start_ns: 1_250, end_ns: 2_000, ..OpRecord::default() };
/// let mut statistic = OpStatistic::default();
/// statistic.add(&[relu], |_| None);
/// let text = String::from_utf8(statistic.write_to(Vec::new())?).unwrap();
/// assert!(text.ends_with("0,op,AI_CPU,1,0.75,0.75,0.75,0.75,100.0\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct OpStatistic {
    sums: HashMap<(u32, Option<Name>), Sum>,
    skipped: u64,
}

#[derive(Clone, Copy, Debug)]
struct Sum {
    count: u64,
    total_ns: u64,
    min_ns: u64,
    max_ns: u64,
}

impl OpStatistic {
    /// Adds operators; `names` gives the operator of an `op_id`.
    pub fn add<'a>(&mut self, records: &[OpRecord], names: impl Fn(u32) -> Option<&'a OpInfo>) {
        for record in records {
            let is_op = record.kind == Kind::OP;
            let Some(duration_ns) = record.duration_ns().filter(|_| is_op) else {
                self.skipped += 1;
                continue;
            };
            let type_ = names(record.op_id).map(|info| info.type_.clone());
            let sum = self.sums.entry((record.device_id, type_));
            sum.or_insert(Sum::NONE).add(duration_ns);
        }
    }

    /// Number of records that did not count.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Writes the table: by device, the longest total first. Gives the output back, flushed.
    ///
    /// # Errors
    ///
    /// What the output's `write` or `flush` gives.
    pub fn write_to<W: Write>(&self, mut out: W) -> io::Result<W> {
        let mut rows: Vec<_> = self.sums.iter().collect();
        rows.sort_by_key(|((device_id, type_), sum)| {
            let type_ = type_.as_ref().map(Name::as_bytes);
            (*device_id, Reverse(sum.total_ns), type_)
        });
        let mut cells = Cells::default();
        cells.raw(HEADER).end_row();
        for ((device_id, type_), sum) in rows {
            let type_ = type_.as_ref().map(Name::to_text);
            cells.integer((*device_id).into());
            cells.name(type_.as_deref().unwrap_or(Kind::OP.name()));
            cells.raw("AI_CPU");
            sum.row(self.total_ns(*device_id), &mut cells);
        }
        out.write_all(cells.bytes())?;
        out.flush()?;
        Ok(out)
    }

    fn total_ns(&self, device_id: u32) -> u64 {
        let sums = self.sums.iter().filter(|((id, _), _)| *id == device_id);
        sums.fold(0, |total, (_, sum)| total.saturating_add(sum.total_ns))
    }
}

impl Sum {
    const NONE: Self = Self {
        count: 0,
        total_ns: 0,
        min_ns: u64::MAX,
        max_ns: 0,
    };

    fn add(&mut self, duration_ns: u64) {
        self.count += 1;
        self.total_ns = self.total_ns.saturating_add(duration_ns);
        self.min_ns = self.min_ns.min(duration_ns);
        self.max_ns = self.max_ns.max(duration_ns);
    }

    fn row(&self, device_ns: u64, cells: &mut Cells) {
        let mean_ns = self.total_ns as f64 / self.count as f64;
        let thousandths = self.total_ns as f64 / device_ns.max(1) as f64 * 1e5;
        cells.integer(self.count).duration(self.total_ns);
        cells.duration(self.min_ns);
        cells.duration(mean_ns.round_ties_even() as u64);
        cells.duration(self.max_ns);
        cells.duration(thousandths.round_ties_even() as u64);
        cells.end_row();
    }
}
