//! Chrome traces: JSON that chrome://tracing and the Perfetto UI open.

use std::fmt;
use std::io::{self, Write};

use optap_record::{OpInfo, OpRecord};

use crate::event;
use crate::head::Heads;
use crate::json::Json;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::tracks::Tracks;

/// The output gets blocks of about this size.
const BLOCK_BYTES: usize = 64 * 1024;

/// Streams op records into a Chrome trace.
///
/// The trace is the array form of the format, the one that viewers also open when its end is
/// missing: a file that a crash cut short shows all events up to the last block. Devices are
/// processes, streams their threads; those without a name of yours are called `optap device 0` and
/// `stream 3` where they first appear. Times are microseconds with exactly three decimals, so that no
/// nanosecond is rounded away.
///
/// A record with a duration becomes a slice, a [mark](optap_record::Kind::MARK) an instant. A record
/// whose times give no duration becomes an instant at the time that is usable, with the raw times
/// and the reason, `time_zero` or `time_reversed`, in its `args`; one that has no usable time at all
/// is left out and counted by [`skipped`](ChromeWriter::skipped).
///
/// Names are shown as [`Name::to_text`](optap_record::Name::to_text) gives them: bytes that are not
/// UTF-8 become U+FFFD. An operator without names is called by its kind and id, such as `op 7`.
///
/// Memory does not grow with the number of records, only with that of streams. The names of operators written before may be
/// kept alive until the writer is dropped.
///
/// Each call that returns an error has left the output at an unknown place: write no more to it.
///
/// ```
/// use optap_export::ChromeWriter;
/// use optap_record::OpRecord;
/// let relu = OpRecord { op_id: 7, start_ns: 1_000_250, end_ns: 1_000_750, ..OpRecord::default() };
/// let mut trace = ChromeWriter::new(Vec::new());
/// trace.name_process(0, "device 0")?;
/// trace.write(&[relu], |_| None)?;
/// let json = String::from_utf8(trace.finish()?).unwrap();
/// assert!(json.contains(r#""ts":1000.250,"dur":0.500"#));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ChromeWriter<W> {
    out: W,
    block: Json,
    separator: &'static [u8],
    heads: Heads,
    origin: Origin,
    tracks: Tracks,
    skipped: u64,
}

impl<W: Write> ChromeWriter<W> {
    /// A trace without events. Nothing is written yet.
    #[must_use]
    pub fn new(out: W) -> Self {
        Self {
            out,
            block: Json::with_capacity(BLOCK_BYTES + BLOCK_BYTES / 8),
            separator: b"[\n",
            heads: Heads::new(),
            origin: Origin::default(),
            tracks: Tracks::default(),
            skipped: 0,
        }
    }

    /// Names a device.
    ///
    /// # Errors
    ///
    /// What the output's `write` gives.
    pub fn name_process(&mut self, device_id: u32, name: &str) -> io::Result<()> {
        self.tracks.name_device(device_id);
        let json = self.begin();
        json.raw(b"{\"name\":\"process_name\",\"ph\":\"M\",\"args\":{\"name\":");
        json.string(name);
        json.raw(b"},\"pid\":");
        json.integer(device_id);
        json.raw(b"}");
        self.spill()
    }

    /// Names a stream of a device.
    ///
    /// # Errors
    ///
    /// What the output's `write` gives.
    pub fn name_track(&mut self, device_id: u32, stream_id: u32, name: &str) -> io::Result<()> {
        self.tracks.name_stream(device_id, stream_id);
        let json = self.begin();
        json.raw(b"{\"name\":\"thread_name\",\"ph\":\"M\",\"args\":{\"name\":");
        json.string(name);
        json.raw(b"}");
        event::track(json, device_id, stream_id);
        json.raw(b"}");
        self.spill()
    }

    /// Appends one event for each record; `names` gives the operator of an `op_id`.
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
        self.heads.begin_round();
        for record in records {
            let Some(moment) = Moment::of(record) else {
                self.skipped += 1;
                continue;
            };
            self.introduce(record.device_id, record.stream_id)?;
            self.begin();
            let head = self.heads.get(record.op_id, record.kind, &names);
            self.block.raw(head);
            event::rest(&mut self.block, record, moment, &mut self.origin);
            self.spill()?;
        }
        Ok(())
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
        self.introduce(device_id, stream_id)?;
        let json = self.begin();
        json.raw(b"{\"name\":\"lost ");
        json.integer(count);
        json.raw(if count == 1 {
            b" op".as_slice()
        } else {
            b" ops"
        });
        json.raw(b"\",\"cat\":\"gap\",\"args\":{\"count\":");
        json.integer(count);
        json.raw(b"}");
        event::track(json, device_id, stream_id);
        event::instant(json, at_ns);
        json.raw(b"}");
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

    /// Ends the trace and gives the output back, flushed. A writer that is dropped instead leaves
    /// off the last block and the closing bracket.
    ///
    /// # Errors
    ///
    /// What the output's `write` or `flush` gives.
    pub fn finish(mut self) -> io::Result<W> {
        if self.separator == b"[\n" {
            self.block.raw(b"[");
        }
        self.block.raw(b"\n]\n");
        self.flush()?;
        Ok(self.out)
    }

    #[inline]
    fn introduce(&mut self, device_id: u32, stream_id: u32) -> io::Result<()> {
        if self.tracks.is_latest(device_id, stream_id) {
            return Ok(());
        }
        self.name_new(device_id, stream_id)
    }

    #[cold]
    fn name_new(&mut self, device_id: u32, stream_id: u32) -> io::Result<()> {
        self.tracks.enter(device_id, stream_id);
        if self.tracks.name_device(device_id) {
            self.name_process(device_id, &format!("optap device {device_id}"))?;
        }
        if self.tracks.name_stream(device_id, stream_id) {
            self.name_track(device_id, stream_id, &format!("stream {stream_id}"))?;
        }
        Ok(())
    }

    #[inline]
    fn begin(&mut self) -> &mut Json {
        self.block.raw(self.separator);
        self.separator = b",\n";
        &mut self.block
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

impl<W> fmt::Debug for ChromeWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChromeWriter")
            .field("skipped", &self.skipped)
            .finish_non_exhaustive()
    }
}
