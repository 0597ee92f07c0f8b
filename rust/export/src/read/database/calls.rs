//! Which thread launched a task, and within which run of a model.

use std::collections::HashMap;
use std::io;

use super::file::File;
use super::table::each_row;
use crate::database::schema::api;
use crate::read::calls::{Call, Calls};
use crate::read::damage::Damages;

/// `CANN_API`.
#[derive(Debug, Default)]
pub(crate) struct Launches {
    /// Thread and an instant of the call, by its connection.
    calls: HashMap<i64, (u32, u64)>,
    runs: Calls,
    pub(crate) pid: u32,
}

impl Launches {
    pub(crate) fn read(file: &File, damages: &mut Damages) -> io::Result<Self> {
        let mut launches = Self::default();
        let mut runs: Vec<(u32, Call)> = Vec::new();
        let columns = ["startNs", "endNs", "type", "globalTid", "connectionId"];
        each_row(file, "CANN_API", &columns, damages, |cells| {
            let (Some(begin), Some(end)) = (cells.time(0), cells.time(1)) else {
                return Ok(Err("no times"));
            };
            let thread = cells.integer(3).unwrap_or(0) as u64;
            let (pid, thread) = ((thread >> 32) as u32, thread as u32);
            if launches.pid == 0 {
                launches.pid = pid;
            }
            if cells.integer(2) == Some(api::MODEL) {
                let run = Call {
                    begin,
                    end,
                    ..Call::default()
                };
                runs.push((thread, run));
            } else if let Some(connection) = cells.integer(4) {
                let instant = begin.midpoint(end);
                launches.calls.insert(connection, (thread, instant));
            }
            Ok(Ok(()))
        })?;
        runs.sort_by_key(|(_, run)| (run.begin, run.end));
        for (number, (thread, run)) in (1..).zip(runs) {
            launches.runs.add(
                thread,
                Call {
                    detail: number,
                    ..run
                },
            );
        }
        launches.runs.sort();
        Ok(launches)
    }

    /// The thread that launched a task and the number of the run, counted from 1; 0 for none.
    pub(crate) fn of(&mut self, connection: Option<i64>) -> (u32, u64) {
        let call = connection.and_then(|connection| self.calls.get(&connection));
        let Some(&(thread, instant)) = call else {
            return (0, 0);
        };
        let run = self.runs.at(thread, instant);
        (thread, run.map_or(0, |run| run.detail))
    }
}
