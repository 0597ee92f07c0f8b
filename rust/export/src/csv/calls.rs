//! Times by the call that launched.

use std::collections::BTreeMap;
use std::io::{self, Write};

use optap_record::{Kind, OpRecord};

use super::cells::Cells;
use crate::prof::{Calls, Run};

const HEADER: &str = "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance";

/// Sums up the calls of runs and of operators by device, for the `api_statistic` table of `msprof`.
///
/// A run is a call of level `model` on each stream and thread that it used, an operator one of level
/// `node`, as the raw data tells them; so a call may begin a little later than its operator, where
/// its neighbour ends. Memory grows with the number of streams and threads alone.
///
/// ```
/// use optap_export::ApiStatistic;
/// use optap_record::OpRecord;
/// let relu = OpRecord { op_id: 7, start_ns: 1_250, end_ns: 2_000, ..OpRecord::default() };
/// let mut statistic = ApiStatistic::default();
/// statistic.add(&[relu]);
/// let text = String::from_utf8(statistic.write_to(Vec::new())?).unwrap();
/// assert!(text.ends_with("0,node,launch,0.75,1,0.75,0.75,0.75,0.0\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct ApiStatistic {
    calls: Calls,
    sums: BTreeMap<(u32, Level), Sum>,
}

/// Levels, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Model,
    Node,
}

/// The mean and the squares of the distances to it are kept up as calls come.
#[derive(Clone, Copy, Debug)]
struct Sum {
    count: u64,
    total_ns: u64,
    min_ns: u64,
    max_ns: u64,
    mean_ns: f64,
    squares: f64,
}

impl ApiStatistic {
    /// Adds operators. Records that are no operators, or have no duration, do not count.
    pub fn add(&mut self, records: &[OpRecord]) {
        for record in records {
            if record.kind != Kind::OP || record.duration_ns().is_none() {
                continue;
            }
            let (call, ended) = self.calls.add(record);
            let took_ns = call.end_ns - call.begin_ns;
            self.sum(record.device_id, Level::Node).add(took_ns);
            ended.into_iter().for_each(|run| self.run(run));
        }
    }

    fn run(&mut self, run: Run) {
        if run.model_id != 0 {
            let took_ns = run.end_ns.saturating_sub(run.begin_ns);
            self.sum(run.device_id, Level::Model).add(took_ns);
        }
    }

    fn sum(&mut self, device_id: u32, level: Level) -> &mut Sum {
        self.sums.entry((device_id, level)).or_insert(Sum::NONE)
    }

    /// Ends all runs and writes the table. Gives the output back, flushed.
    ///
    /// # Errors
    ///
    /// What the output's `write` or `flush` gives.
    pub fn write_to<W: Write>(mut self, mut out: W) -> io::Result<W> {
        let ended: Vec<Run> = self.calls.drain().collect();
        ended.into_iter().for_each(|run| self.run(run));
        let mut cells = Cells::default();
        cells.raw(HEADER).end_row();
        for ((device_id, level), sum) in self.sums {
            cells.integer(device_id.into());
            cells.raw(match level {
                Level::Model => "model,ModelExecute",
                Level::Node => "node,launch",
            });
            sum.row(&mut cells);
        }
        out.write_all(cells.bytes())?;
        out.flush()?;
        Ok(out)
    }
}

impl Sum {
    const NONE: Self = Self {
        count: 0,
        total_ns: 0,
        min_ns: u64::MAX,
        max_ns: 0,
        mean_ns: 0.0,
        squares: 0.0,
    };

    fn add(&mut self, took_ns: u64) {
        self.count += 1;
        self.total_ns = self.total_ns.saturating_add(took_ns);
        self.min_ns = self.min_ns.min(took_ns);
        self.max_ns = self.max_ns.max(took_ns);
        let distance = took_ns as f64 - self.mean_ns;
        self.mean_ns += distance / self.count as f64;
        self.squares += distance * (took_ns as f64 - self.mean_ns);
    }

    fn row(&self, cells: &mut Cells) {
        // Two decimals, unlike all else.
        let variance_us2 = self.squares / self.count as f64 / 1e6;
        cells.duration(self.total_ns).integer(self.count);
        cells.duration(self.mean_ns.round_ties_even() as u64);
        cells.duration(self.min_ns).duration(self.max_ns);
        cells.duration((variance_us2 * 1e2).round_ties_even() as u64 * 10);
        cells.end_row();
    }
}
