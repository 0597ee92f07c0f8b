//! The writer of a trace.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

use optap_record::{Kind, OpInfo, OpRecord};

use super::event::{self, Spot, number, text};
use super::places::{Place, Places, STEPS};
use crate::json::Json;
use crate::process::Process;
use crate::prof::{Anchor, Call, Calls, NO_DEVICE, Run};

/// The output gets blocks of about this size.
const BLOCK_BYTES: usize = 64 * 1024;

/// Streams records into a Chrome trace in the layout of `msprof_*.json`: a second style beside
/// [`ChromeWriter`](crate::ChromeWriter), for viewers that know that layout.
///
/// An operator is a task on a stream of a device, with an arrow from the call of its thread; what a
/// run did on a stream and thread is a call around those. Ranges and marks lie in the process, steps
/// on a thread of their device. Times are wall clock, microseconds with three decimals.
///
/// Records that have no duration are left out and counted by [`skipped`](MsprofTraceWriter::skipped).
/// Device ids are told modulo 32. Memory does not grow with the number of records. After an error,
/// write no more to the output.
///
/// ```
/// use optap_export::{Anchor, MsprofTraceWriter, Process};
/// use optap_record::OpRecord;
/// let anchor = Anchor { monotonic_ns: 0, unix_ns: 1_767_225_600_000_000_000 };
/// let relu = OpRecord { op_id: 7, start_ns: 1_250, end_ns: 2_000, ..OpRecord::default() };
/// let mut trace = MsprofTraceWriter::new(Vec::new(), anchor, Process::current());
/// trace.write(&[relu], |_| None)?;
/// let json = String::from_utf8(trace.finish()?).unwrap();
/// assert!(json.contains(r#""ts":"1767225600000001.250","dur":0.750"#));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct MsprofTraceWriter<W> {
    out: W,
    block: Json,
    anchor: Anchor,
    places: Places,
    calls: Calls,
    tasks: HashMap<(u32, u32), u32>,
    next_connection: u64,
    skipped: u64,
}

impl<W: Write> MsprofTraceWriter<W> {
    /// A trace of a process without events, whose times are told by the wall clock of `anchor`.
    /// Nothing is written yet.
    #[must_use]
    pub fn new(out: W, anchor: Anchor, process: Process) -> Self {
        let mut block = Json::with_capacity(BLOCK_BYTES + BLOCK_BYTES / 8);
        block.raw(b"[\n");
        Self {
            out,
            block,
            anchor,
            places: Places::new(process),
            calls: Calls::default(),
            tasks: HashMap::new(),
            next_connection: 1,
            skipped: 0,
        }
    }

    /// Appends the events of each record; `names` gives the operator of an `op_id`.
    ///
    /// # Errors
    ///
    /// What the output's `write` gives.
    pub fn write<'a>(
        &mut self,
        records: &[OpRecord],
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) -> io::Result<()> {
        for record in records {
            let took_ns = record.duration_ns();
            match (record.kind, took_ns) {
                (Kind::OP, Some(took_ns)) => self.op(record, took_ns, names(record.op_id)),
                (Kind::STEP, Some(took_ns)) => self.step(record, took_ns),
                (Kind::RANGE | Kind::MARK, Some(took_ns)) => {
                    self.mark(record, took_ns, names(record.op_id));
                }
                _ => self.skipped += 1,
            }
            if self.block.bytes().len() >= BLOCK_BYTES {
                self.write_block()?;
            }
        }
        Ok(())
    }

    fn op(&mut self, record: &OpRecord, took_ns: u64, info: Option<&OpInfo>) {
        let (call, ended) = self.calls.add(record);
        if let Some(run) = ended {
            self.run(run);
        }
        let connection = self.next_connection;
        self.next_connection += 1;
        let name = name(record, info);
        let launch = self.call(
            call,
            ["Node@launch", "launch", "node"],
            record.thread_id,
            connection,
        );
        event::arrow(&mut self.block, connection << 32, false, launch);
        let task = self
            .tasks
            .entry((record.device_id, record.stream_id))
            .or_default();
        *task = task.wrapping_add(1);
        let task = *task;
        let place = Place::Device(record.device_id);
        let spot = self.spot(place, record.stream_id, (record.start_ns, took_ns));
        let json = &mut self.block;
        event::slice(json, &name, None, spot, |json| {
            let model = if record.model_id == 0 {
                u32::MAX
            } else {
                record.model_id
            };
            number(json, b"\"Model Id\":", model.into());
            json.raw(b",\"Task Type\":\"AI_CPU\"");
            number(json, b",\"Physic Stream Id\":", record.stream_id.into());
            number(json, b",\"Task Id\":", (task & 0xFFFF).into());
            number(json, b",\"Batch Id\":", (task >> 16).into());
            number(json, b",\"Subtask Id\":", u32::MAX.into());
            number(json, b",\"connection_id\":", connection);
        });
        event::arrow(json, connection << 32, true, spot);
    }

    /// Tells a run, if it is one of a model.
    fn run(&mut self, run: Run) {
        if run.model_id == 0 {
            return;
        }
        let connection = self.next_connection;
        self.next_connection += 1;
        let call = Call {
            begin_ns: run.begin_ns,
            end_ns: run.end_ns,
        };
        let names = ["Model@ModelExecute", "ModelExecute", "model"];
        self.call(call, names, run.thread_id, connection);
    }

    /// Tells a call by its title, its name and its level; gives where it stands.
    fn call(&mut self, call: Call, names: [&str; 3], thread: u32, connection: u64) -> Spot {
        let took_ns = call.end_ns.saturating_sub(call.begin_ns);
        let spot = self.spot(Place::Cann, thread, (call.begin_ns, took_ns));
        let [title, name, level] = names;
        event::slice(&mut self.block, title, None, spot, |json| {
            number(json, b"\"Thread Id\":", thread.into());
            text(json, b",\"Mode\":", name);
            text(json, b",\"level\":", level);
            text(json, b",\"id\":", name);
            json.raw(b",\"item_id\":\"0\"");
            number(json, b",\"connection_id\":", connection);
        });
        spot
    }

    fn mark(&mut self, record: &OpRecord, took_ns: u64, info: Option<&OpInfo>) {
        let spot = self.spot(Place::App, record.thread_id, (record.start_ns, took_ns));
        event::slice(&mut self.block, &name(record, info), None, spot, |json| {
            json.raw(b"\"Category\":\"N/A\",\"Payload_type\":\"N/A\",\"Payload_value\":\"N/A\"");
            json.raw(b",\"Message_type\":\"N/A\",\"event_type\":");
            let is_range = record.kind == Kind::RANGE;
            json.string(if is_range { "start/end" } else { "marker" });
            let domain = info.map_or(Cow::Borrowed(""), |info| info.type_.to_text());
            text(json, b",\"domain\":", &domain);
        });
    }

    fn step(&mut self, record: &OpRecord, took_ns: u64) {
        let device = if record.device_id == NO_DEVICE {
            0
        } else {
            record.device_id
        };
        let place = Place::Device(device);
        let spot = self.spot(place, STEPS, (record.start_ns, took_ns));
        let step = record.run_id;
        let (name, category) = (format!("Iteration {step}"), Some("Iteration Time"));
        event::slice(&mut self.block, &name, category, spot, |json| {
            number(json, b"\"Iteration ID\":", step);
        });
    }

    /// Where an event stands; its thread has its name from then on.
    fn spot(&mut self, place: Place, thread: u32, (start_ns, took_ns): (u64, u64)) -> Spot {
        self.places.name(place, thread, &mut self.block);
        Spot {
            pid: self.places.pid(place),
            thread,
            start_ns: self.anchor.wall_ns(start_ns),
            took_ns,
        }
    }

    /// Number of records left out so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Hands everything written so far to the output, and flushes it.
    ///
    /// # Errors
    ///
    /// What the output's `write` or `flush` gives.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_block()?;
        self.out.flush()
    }

    /// Ends all runs and the trace, and gives the output back, flushed. A writer that is dropped
    /// instead leaves off the last block and the closing bracket.
    ///
    /// # Errors
    ///
    /// What the output's `write` or `flush` gives.
    pub fn finish(mut self) -> io::Result<W> {
        let ended: Vec<Run> = self.calls.drain().collect();
        ended.into_iter().for_each(|run| self.run(run));
        self.block.strip_end(event::SEPARATOR);
        self.block.raw(b"\n]\n");
        self.out.write_all(self.block.bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// The separator after the last event stays: an array must not end with one.
    fn write_block(&mut self) -> io::Result<()> {
        let bytes = self.block.bytes();
        let events = bytes.strip_suffix(event::SEPARATOR).unwrap_or(bytes);
        let written = events.len();
        self.out.write_all(events)?;
        self.block.drop_front(written);
        Ok(())
    }
}

/// How a record is called; one without names by its kind and id.
fn name<'a>(record: &OpRecord, info: Option<&'a OpInfo>) -> Cow<'a, str> {
    match info {
        Some(info) => info.name.to_text(),
        None => Cow::Owned(format!("{} {}", record.kind.name(), record.op_id)),
    }
}

impl<W> fmt::Debug for MsprofTraceWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MsprofTraceWriter")
            .field("skipped", &self.skipped)
            .finish_non_exhaustive()
    }
}
