//! The records of the raw files, little-endian and of fixed size.

use optap_record::OpRecord;

/// Begins every record of the host.
const HOST_MAGIC: u16 = 0x5A5A;
/// Begins, after its head word, every record of a device's scheduler.
const STARS_MAGIC: u16 = 0x6BD3;
/// Stands in place of the end in the record of an event.
const EVENT: u64 = u64::MAX;

/// Levels of the software stack, as host records name them.
pub(crate) mod level {
    pub(crate) const TX: u16 = 20_500;
    pub(crate) const ACL: u16 = 20_000;
    pub(crate) const MODEL: u16 = 15_000;
    pub(crate) const NODE: u16 = 10_000;
    pub(crate) const RUNTIME: u16 = 5_000;
}

/// Types of host records; their names stand in the type dictionary.
pub(crate) mod kind {
    pub(crate) const TX: u32 = 0;
    pub(crate) const MODEL_EXECUTE: u32 = 1;
    pub(crate) const NODE_BASIC_INFO: u32 = 0;
    pub(crate) const LAUNCH: u32 = 5;
    pub(crate) const KERNEL_AICPU: u32 = 1;
    pub(crate) const FLIP_TASK: u32 = 98;
}

/// The type of an operator on a processor core, among the types of nodes and of scheduled tasks.
const AI_CPU: u32 = 1;

/// Tags of a step's beginning and end; its model is `u32::MAX`.
pub(crate) const STEP_TAGS: [u16; 2] = [60_000, 60_001];

/// Bytes of the longest piece of a message that one record holds.
pub(crate) const MESSAGE_BYTES: usize = 155;

/// A record of `N` bytes, filled from its start; what is not filled is zero.
struct Fields<const N: usize> {
    bytes: [u8; N],
    at: usize,
}

impl<const N: usize> Fields<N> {
    fn new() -> Self {
        Self {
            bytes: [0; N],
            at: 0,
        }
    }

    fn put(mut self, value: &[u8]) -> Self {
        self.bytes[self.at..self.at + value.len()].copy_from_slice(value);
        self.at += value.len();
        self
    }

    fn u16(self, value: u16) -> Self {
        self.put(&value.to_le_bytes())
    }

    fn u32(self, value: u32) -> Self {
        self.put(&value.to_le_bytes())
    }

    fn u64(self, value: u64) -> Self {
        self.put(&value.to_le_bytes())
    }

    fn skip(mut self, bytes: usize) -> Self {
        self.at += bytes;
        self
    }
}

/// What begins a host record: level, type, thread and a length or request.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub(crate) level: u16,
    pub(crate) kind: u32,
    pub(crate) thread_id: u32,
}

impl Head {
    fn fields<const N: usize>(self, length: u32, at_ns: u64) -> Fields<N> {
        Fields::new()
            .u16(HOST_MAGIC)
            .u16(self.level)
            .u32(self.kind)
            .u32(self.thread_id)
            .u32(length)
            .u64(at_ns)
    }
}

/// A call that began and ended on one thread.
pub(crate) fn api(head: Head, begin_ns: u64, end_ns: u64, item: u64) -> [u8; 40] {
    head.fields(0, begin_ns).u64(end_ns).u64(item).bytes
}

/// The beginning or the end of what spans several calls.
pub(crate) fn event(head: Head, request: u32, at_ns: u64, item: u64) -> [u8; 40] {
    head.fields(request, at_ns).u64(EVENT).u64(item).bytes
}

/// Where a task runs: its device, stream, and its number there, which wraps `flip` times.
#[derive(Clone, Copy)]
pub(crate) struct Task {
    pub(crate) device: u16,
    pub(crate) stream: u16,
    pub(crate) number: u16,
    pub(crate) flip: u16,
}

/// That a call launched a task.
pub(crate) fn task_track(
    kind: u32,
    thread_id: u32,
    at_ns: u64,
    task: Task,
    kernel: u64,
) -> [u8; 64] {
    let head = Head {
        level: level::RUNTIME,
        kind,
        thread_id,
    };
    head.fields(24, at_ns)
        .u16(task.device)
        .u16(task.stream)
        .u16(task.number)
        .u16(task.flip)
        .u64(kind.into())
        .u64(kernel)
        .bytes
}

/// What operator a call launched.
pub(crate) fn node_basic_info(thread_id: u32, at_ns: u64, name: u64, type_: u64) -> [u8; 64] {
    let head = Head {
        level: level::NODE,
        kind: kind::NODE_BASIC_INFO,
        thread_id,
    };
    let body = head.fields(28, at_ns).u64(name).u32(AI_CPU);
    body.u64(type_).bytes
}

/// What a record of the user's own marks and ranges tells.
#[derive(Clone, Copy)]
pub(crate) struct Tx<'a> {
    pub(crate) thread_id: u32,
    pub(crate) pid: u32,
    pub(crate) is_range: bool,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) id: u64,
    pub(crate) domain: u64,
    pub(crate) segment: u16,
    pub(crate) message: &'a [u8],
}

/// One piece, at most [`MESSAGE_BYTES`] long, of a mark or range.
pub(crate) fn tx(tx: Tx<'_>) -> [u8; 256] {
    let head = Head {
        level: level::TX,
        kind: kind::TX,
        thread_id: tx.thread_id,
    };
    let stamp = head.fields(232, tx.start_ns).u16(1).u16(tx.segment).skip(4);
    let who = stamp.u16(HOST_MAGIC).skip(2).u32(tx.pid).u32(tx.thread_id);
    let what = who.skip(4).u32(if tx.is_range { 2 } else { 0 });
    let when = what.skip(12).u64(tx.start_ns).u64(tx.end_ns);
    when.u64(tx.id).u64(tx.domain).skip(4).put(tx.message).bytes
}

/// That a task began or ended, `count` records after the first.
pub(crate) fn stars(is_end: bool, count: u64, task: Task, at_ns: u64) -> [u8; 64] {
    let count = (count & 0xF) as u16;
    let head = u16::from(is_end) | count << 6 | (AI_CPU as u16) << 10;
    let place = Fields::new().u16(head).u16(STARS_MAGIC);
    place.u16(task.stream).u16(task.number).u64(at_ns).bytes
}

/// That a step began or ended on a device.
pub(crate) fn step_trace(at_ns: u64, step: u64, stream: u16, tag: u16) -> [u8; 40] {
    let fields = Fields::new().put(&[0, 0x0A]).skip(6).u64(at_ns).u64(step);
    fields
        .u64(u32::MAX.into())
        .u16(stream)
        .u16(0)
        .u16(tag)
        .bytes
}

/// That the task numbers of a stream wrapped.
pub(crate) fn task_flip(at_ns: u64, task: Task) -> [u8; 40] {
    let fields = Fields::new().put(&[0, 0x0E]).skip(6).u64(at_ns);
    fields
        .u16(task.stream)
        .u16(task.flip)
        .skip(2)
        .u16(task.number)
        .bytes
}

/// A record of ours as it lies in memory, field by field.
pub(crate) fn record(record: &OpRecord) -> [u8; 64] {
    let times = Fields::new().u64(record.start_ns).u64(record.end_ns);
    let run = times.u64(record.run_id).u64(record.sequence);
    let ids = run.u32(record.op_id).u32(record.model_id);
    let place = ids.u32(record.stream_id).u32(record.thread_id);
    let more = place.u32(record.range_id).u32(record.flags.bits());
    more.u32(record.device_id)
        .u16(record.kind.0)
        .u16(record.reserved)
        .bytes
}
