//! Records as rows.

use std::collections::{BTreeSet, HashMap};

use optap_record::{Kind, OpInfo, OpRecord};
use rusqlite::{Connection, params};

use super::names::{Names, fixed};
use super::rows::Rows;
use super::schema::{self, NONE};
use crate::prof::{Anchor, Call, Calls, Run};

/// What the rows written so far leave behind.
pub(crate) struct State {
    anchor: Anchor,
    pid: u32,
    pub(crate) names: Names,
    calls: Calls,
    tasks: HashMap<(u32, u32), u64>,
    devices: BTreeSet<u32>,
    next_task: i64,
    next_connection: i64,
    times: Option<(i64, i64)>,
    pub(crate) uncommitted: u64,
}

impl State {
    pub(crate) fn new(anchor: Anchor, pid: u32, names: Names) -> Self {
        Self {
            anchor,
            pid,
            names,
            calls: Calls::default(),
            tasks: HashMap::new(),
            devices: BTreeSet::new(),
            next_task: 0,
            next_connection: 1,
            times: None,
            uncommitted: 0,
        }
    }

    /// Writes a record's rows; whether it has any.
    pub(crate) fn tell<'a>(
        &mut self,
        record: &OpRecord,
        names: impl Fn(u32) -> Option<&'a OpInfo>,
        rows: &mut Rows<'_>,
    ) -> rusqlite::Result<bool> {
        let Some((start_ns, end_ns)) = self.wall(record) else {
            return Ok(false);
        };
        match record.kind {
            Kind::OP => self.op(record, (start_ns, end_ns), names, rows)?,
            Kind::STEP => {
                let step = record.run_id as i64;
                rows.step.execute(params![step, start_ns, end_ns])?;
            }
            Kind::RANGE | Kind::MARK => {
                let event = match record.kind {
                    Kind::RANGE => schema::event::START_END,
                    _ => schema::event::MARKER,
                };
                let numbers = self.names.op(record, names, &mut rows.text)?;
                let range = Some(record.range_id.into()).filter(|&id: &i64| id != 0);
                let (range, thread) = (range.unwrap_or(NONE), self.thread(record.thread_id));
                rows.mark.execute(params![
                    start_ns,
                    end_ns,
                    event,
                    range,
                    numbers.name,
                    thread,
                    numbers.type_
                ])?;
            }
            _ => return Ok(false),
        }
        let (first, last) = self.times.unwrap_or((start_ns, end_ns));
        self.times = Some((first.min(start_ns), last.max(end_ns)));
        self.uncommitted += 1;
        Ok(true)
    }

    fn op<'a>(
        &mut self,
        record: &OpRecord,
        (start_ns, end_ns): (i64, i64),
        names: impl Fn(u32) -> Option<&'a OpInfo>,
        rows: &mut Rows<'_>,
    ) -> rusqlite::Result<()> {
        let numbers = self.names.op(record, names, &mut rows.text)?;
        let (call, ended) = self.calls.add(record);
        if let Some(run) = ended {
            self.run(run, rows)?;
        }
        let stream = (record.device_id, record.stream_id);
        let number = self.tasks.entry(stream).or_default();
        *number += 1;
        let (task, connection) = (self.next_task, self.next_connection);
        self.next_task += 1;
        self.next_connection += 1;
        let model = if record.model_id == 0 {
            u32::MAX
        } else {
            record.model_id
        };
        rows.task.execute(params![
            start_ns,
            end_ns,
            record.device_id,
            connection,
            task,
            self.pid,
            record.stream_id,
            *number as i64,
            model
        ])?;
        rows.info
            .execute(params![numbers.name, task, numbers.type_])?;
        self.devices.insert(record.device_id);
        let level = (schema::api::NODE, fixed::LAUNCH);
        self.call(call, level, record.thread_id, connection, rows)
    }

    /// Tells a run, if it is one of a model.
    fn run(&mut self, run: Run, rows: &mut Rows<'_>) -> rusqlite::Result<()> {
        if run.model_id == 0 {
            return Ok(());
        }
        let connection = self.next_connection;
        self.next_connection += 1;
        let call = Call {
            begin_ns: run.begin_ns,
            end_ns: run.end_ns,
        };
        let level = (schema::api::MODEL, fixed::MODEL_EXECUTE);
        self.call(call, level, run.thread_id, connection, rows)
    }

    fn call(
        &self,
        call: Call,
        (level, name): (i64, i64),
        thread_id: u32,
        connection: i64,
        rows: &mut Rows<'_>,
    ) -> rusqlite::Result<()> {
        let time = |ns| i64::try_from(self.anchor.wall_ns(ns)).unwrap_or(i64::MAX);
        let (begin, end, thread) = (
            time(call.begin_ns),
            time(call.end_ns),
            self.thread(thread_id),
        );
        rows.api
            .execute(params![begin, end, level, thread, connection, name])?;
        Ok(())
    }

    /// A thread and its process in one number.
    fn thread(&self, thread_id: u32) -> i64 {
        (u64::from(self.pid) << 32 | u64::from(thread_id)) as i64
    }

    /// The wall clock at the record's times, if it has both and SQLite can hold them.
    fn wall(&self, record: &OpRecord) -> Option<(i64, i64)> {
        record.duration_ns()?;
        let time = |ns| i64::try_from(self.anchor.wall_ns(ns)).ok();
        let times = (time(record.start_ns)?, time(record.end_ns)?);
        Some(times).filter(|(start_ns, end_ns)| start_ns <= end_ns)
    }

    /// Writes what is known at the end.
    pub(crate) fn end(&mut self, db: &Connection) -> rusqlite::Result<()> {
        let mut rows = Rows::prepare(db)?;
        let ended: Vec<Run> = self.calls.drain().collect();
        for run in ended {
            self.run(run, &mut rows)?;
        }
        drop(rows);
        let begin = i64::try_from(self.anchor.unix_ns).unwrap_or(0);
        let (first, last) = self.times.unwrap_or((begin, begin));
        let first = if begin == 0 { first } else { first.min(begin) };
        db.execute("INSERT INTO SESSION_TIME_INFO VALUES (?, ?)", [first, last])?;
        for id in &self.devices {
            db.execute("INSERT INTO NPU_INFO VALUES (?, 'CPU')", [id])?;
            db.execute("INSERT INTO RANK_DEVICE_MAP VALUES (-1, ?)", [id])?;
        }
        db.execute_batch("COMMIT")?;
        db.execute_batch(schema::INDEX)
    }
}
