//! The writer of a trace.

use std::fmt;
use std::io::{self, Write};

use optap_record::{Kind, OpInfo, OpRecord};

use super::event::{self, Type, annotations, field};
use super::labels::Labels;
use super::lanes::Lanes;
use super::launches::{Launch, Launches};
use super::proto::Proto;
use super::tracks::{Track, Tracks};
use crate::moment::Moment;

/// The output gets blocks of about this size.
const BLOCK_BYTES: usize = 64 * 1024;

/// Streams records into a Perfetto trace.
///
/// Each stream of a device is a track below its device. What a run executes of a stream is a slice
/// below its thread, from which an arrow leads to the first operator; another leads there from the
/// range in which the run was launched. Ranges and steps have tracks of their own, as many as it
/// takes for none to cross another; marks share one. A record whose times give no
/// duration becomes an instant at the time that is usable, with the raw times and the reason in its
/// annotations; one that has no usable time at all is left out and counted by
/// [`skipped`](PerfettoWriter::skipped).
///
/// Names are shown as [`Name::to_text`](optap_record::Name::to_text) gives them, each told once. An
/// operator without names is called by its kind and id, such as `op 7`.
///
/// Memory does not grow with the number of records. A file that a crash cut short shows all events
/// up to the last block. Each call that returns an error has left the output at an unknown place:
/// write no more to it.
///
/// ```
/// use optap_export::PerfettoWriter;
/// use optap_record::OpRecord;
/// let relu = OpRecord { op_id: 7, start_ns: 1_000_250, end_ns: 1_000_750, ..OpRecord::default() };
/// let mut trace = PerfettoWriter::new(Vec::new());
/// trace.write(&[relu], |_| None)?;
/// trace.counter("queue depth", 1_000_300, 3.0)?;
/// assert!(trace.finish()?.starts_with(b"\x0a"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct PerfettoWriter<W> {
    out: W,
    block: Proto,
    labels: Labels,
    tracks: Tracks,
    ranges: Lanes,
    steps: Lanes,
    launches: Launches,
    next_flow: u64,
    skipped: u64,
}

impl<W: Write> PerfettoWriter<W> {
    /// A trace without events. Nothing is written yet.
    #[must_use]
    pub fn new(out: W) -> Self {
        let mut block = Proto::with_capacity(BLOCK_BYTES + BLOCK_BYTES / 8);
        event::first(&mut block);
        Self {
            out,
            block,
            labels: Labels::new(),
            tracks: Tracks::default(),
            ranges: Lanes::default(),
            steps: Lanes::default(),
            launches: Launches::default(),
            next_flow: 1,
            skipped: 0,
        }
    }

    /// Names a device. Must come before its first record.
    ///
    /// # Errors
    ///
    /// What the output's `write` gives.
    pub fn name_process(&mut self, device_id: u32, name: &str) -> io::Result<()> {
        let track = Track::Device(device_id);
        self.tracks.tell(name.to_owned(), track, &mut self.block);
        self.spill()
    }

    /// Names a stream of a device. Must come before its first record.
    ///
    /// # Errors
    ///
    /// What the output's `write` gives.
    pub fn name_track(&mut self, device_id: u32, stream_id: u32, name: &str) -> io::Result<()> {
        let track = Track::Stream(device_id, stream_id);
        self.tracks.tell(name.to_owned(), track, &mut self.block);
        self.spill()
    }

    /// Appends the events of each record; `names` gives the operator of an `op_id`.
    ///
    /// Within one call an id must keep its meaning; between two it may change.
    ///
    /// # Errors
    ///
    /// What the output's `write` gives.
    pub fn write<'a>(
        &mut self,
        records: &[OpRecord],
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) -> io::Result<()> {
        self.labels.begin_round();
        for record in records {
            match Moment::of(record) {
                Some(moment) => self.tell(record, moment, &names),
                None => self.skipped += 1,
            }
            self.spill()?;
        }
        Ok(())
    }

    #[inline]
    fn tell<'a>(
        &mut self,
        record: &OpRecord,
        moment: Moment,
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) {
        let track = self.track(record, moment);
        let flow = match (record.kind, moment) {
            (Kind::OP, Moment::Slice { .. }) => self.launch(record),
            (Kind::RANGE, Moment::Slice { .. }) if record.range_id != 0 => {
                Some(range_flow(record.range_id))
            }
            _ => None,
        };
        let (op_id, block) = (record.op_id, &mut self.block);
        let label = self.labels.get(op_id, record.kind, names, block);
        let (at_ns, type_) = match moment {
            Moment::Slice { start_ns, .. } => (start_ns, Type::Begin),
            Moment::Mark { at_ns } | Moment::Impossible { at_ns, .. } => (at_ns, Type::Instant),
        };
        event::event(block, at_ns, type_, track, |event| {
            event.raw(label);
            annotations(event, record);
            if let Some(flow) = flow {
                event.fixed(field::FLOW_IDS, flow);
            }
            if let Moment::Impossible { reason, .. } = moment {
                event::impossible(event, record, reason);
            }
        });
        if matches!(moment, Moment::Slice { .. }) {
            event::event(block, record.end_ns, Type::End, track, |_| ());
        }
    }

    /// Tells the run that an operator is the first of, and gives the arrow between both.
    #[inline]
    fn launch(&mut self, record: &OpRecord) -> Option<u64> {
        let (ended, is_run) = self.launches.add(record)?;
        if let Some(ended) = ended {
            self.end(ended);
        }
        if !is_run {
            return None;
        }
        let flow = self.next_flow;
        self.next_flow += 1;
        let place = [record.device_id, record.stream_id, record.thread_id];
        let block = &mut self.block;
        let track = self.tracks.get(Track::Launches(place), block);
        event::event(block, record.start_ns, Type::Begin, track, |event| {
            event.string(field::NAME, &format!("run {}", record.run_id));
            event::run(event, record);
            event.fixed(field::FLOW_IDS, flow);
            if record.range_id != 0 {
                event.fixed(field::FLOW_IDS, range_flow(record.range_id));
            }
        });
        Some(flow)
    }

    fn end(&mut self, launch: Launch) {
        let block = &mut self.block;
        let track = self.tracks.get(Track::Launches(launch.place), block);
        event::event(block, launch.end_ns, Type::End, track, |_| ());
    }

    #[inline]
    fn track(&mut self, record: &OpRecord, moment: Moment) -> u64 {
        let block = &mut self.block;
        let track = match (record.kind, moment) {
            (Kind::RANGE, Moment::Slice { .. }) => {
                Track::RangeLane(self.ranges.place(record.start_ns, record.end_ns))
            }
            (Kind::STEP, Moment::Slice { .. }) => {
                Track::StepLane(self.steps.place(record.start_ns, record.end_ns))
            }
            (Kind::MARK, _) => Track::Marks,
            _ => {
                return self
                    .tracks
                    .stream(record.device_id, record.stream_id, block);
            }
        };
        self.tracks.get(track, block)
    }

    /// Tells the value that a counter has from an instant on.
    ///
    /// # Errors
    ///
    /// What the output's `write` gives.
    pub fn counter(&mut self, name: &str, at_ns: u64, value: f64) -> io::Result<()> {
        let block = &mut self.block;
        let track = self.tracks.get(Track::Counter(name.to_owned()), block);
        event::event(block, at_ns, Type::Counter, track, |event| {
            event.double(field::DOUBLE_COUNTER_VALUE, value);
        });
        self.spill()
    }

    /// Tells that `count` records of a stream were lost before `at_ns`.
    ///
    /// # Errors
    ///
    /// What the output's `write` gives.
    pub fn gap(
        &mut self,
        at_ns: u64,
        device_id: u32,
        stream_id: u32,
        count: u64,
    ) -> io::Result<()> {
        let block = &mut self.block;
        let track = self.tracks.stream(device_id, stream_id, block);
        let ops = if count == 1 { "op" } else { "ops" };
        event::event(block, at_ns, Type::Instant, track, |event| {
            event.string(field::NAME, &format!("lost {count} {ops}"));
        });
        self.spill()
    }

    /// Number of records left out so far because they had no usable time.
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

    /// Ends all runs and the trace, and gives the output back, flushed. A writer that is dropped instead leaves
    /// off the last block.
    ///
    /// # Errors
    ///
    /// What the output's `write` or `flush` gives.
    pub fn finish(mut self) -> io::Result<W> {
        for launch in self.launches.drain() {
            self.end(launch);
        }
        self.flush()?;
        Ok(self.out)
    }

    #[inline]
    fn spill(&mut self) -> io::Result<()> {
        if self.block.bytes().len() < BLOCK_BYTES {
            return Ok(());
        }
        self.write_block()
    }

    fn write_block(&mut self) -> io::Result<()> {
        self.out.write_all(self.block.bytes())?;
        self.block.clear();
        Ok(())
    }
}

/// The arrow that leaves a range; those of runs are counted from 1.
fn range_flow(range_id: u32) -> u64 {
    1 << 63 | u64::from(range_id)
}

impl<W> fmt::Debug for PerfettoWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerfettoWriter")
            .field("skipped", &self.skipped)
            .finish_non_exhaustive()
    }
}
