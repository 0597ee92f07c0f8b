//! Packets of a trace, and the numbers of their fields.

use optap_record::{Flags, OpRecord};

use super::proto::{EVENT, LONG, Proto, SHORT};

/// The packets of this writer are one sequence, with one set of names.
const SEQUENCE: u64 = 1;

/// Fields of a track event.
pub(crate) mod field {
    pub(crate) const CATEGORY_IIDS: u32 = 3;
    pub(crate) const DEBUG_ANNOTATIONS: u32 = 4;
    pub(crate) const TYPE: u32 = 9;
    pub(crate) const NAME_IID: u32 = 10;
    pub(crate) const TRACK_UUID: u32 = 11;
    pub(crate) const NAME: u32 = 23;
    pub(crate) const DOUBLE_COUNTER_VALUE: u32 = 44;
    pub(crate) const FLOW_IDS: u32 = 47;
}

/// Numbers of the names of annotations.
pub(crate) mod annotation {
    pub(crate) const KERNEL: u64 = 1;
    pub(crate) const RUN_ID: u64 = 2;
    pub(crate) const SEQUENCE: u64 = 3;
    pub(crate) const MODEL_ID: u64 = 4;
    pub(crate) const THREAD_ID: u64 = 5;
    pub(crate) const RANGE_ID: u64 = 6;
    pub(crate) const FLAGS: u64 = 7;
    pub(crate) const REASON: u64 = 8;
    pub(crate) const START_NS: u64 = 9;
    pub(crate) const END_NS: u64 = 10;
    pub(crate) const NAMES: [&str; 10] = [
        "kernel",
        "run_id",
        "sequence",
        "model_id",
        "thread_id",
        "range_id",
        "flags",
        "reason",
        "start_ns",
        "end_ns",
    ];
}

/// What an event does to its track.
#[derive(Clone, Copy)]
pub(crate) enum Type {
    Begin = 1,
    End = 2,
    Instant = 3,
    Counter = 4,
}

/// Appends a packet of one event, whose further fields `fill` appends.
#[inline]
pub(crate) fn event(
    out: &mut Proto,
    at_ns: u64,
    type_: Type,
    track: u64,
    fill: impl FnOnce(&mut Proto),
) {
    let packet = out.begin::<EVENT>(1);
    out.uint(8, at_ns);
    out.uint(10, SEQUENCE);
    out.uint(13, 2);
    let event = out.begin::<EVENT>(11);
    out.uint(field::TYPE, type_ as u64);
    out.uint(field::TRACK_UUID, track);
    fill(out);
    out.end(event);
    out.end(packet);
}

/// Appends a packet that begins the sequence: what was told before does not hold.
pub(crate) fn first(out: &mut Proto) {
    let packet = out.begin::<LONG>(1);
    out.uint(10, SEQUENCE);
    out.uint(13, 1);
    let names = out.begin::<LONG>(12);
    for (iid, name) in (1..).zip(annotation::NAMES) {
        entry(out, 3, iid, name);
    }
    out.end(names);
    out.end(packet);
}

/// Appends a packet that gives a name, a category and a kernel their number.
pub(crate) fn interned(out: &mut Proto, iid: u64, [name, type_, kernel]: [&str; 3]) {
    let packet = out.begin::<LONG>(1);
    out.uint(10, SEQUENCE);
    out.uint(13, 2);
    let names = out.begin::<LONG>(12);
    entry(out, 1, iid, type_);
    entry(out, 2, iid, name);
    entry(out, 29, iid, kernel);
    out.end(names);
    out.end(packet);
}

fn entry(out: &mut Proto, field: u32, iid: u64, text: &str) {
    let open = out.begin::<LONG>(field);
    out.uint(1, iid);
    out.string(2, text);
    out.end(open);
}

/// Appends what differs from record to record.
#[inline]
pub(crate) fn annotations(out: &mut Proto, record: &OpRecord) {
    number(out, annotation::SEQUENCE, record.sequence);
    number(out, annotation::RUN_ID, record.run_id);
    number(out, annotation::MODEL_ID, record.model_id.into());
    number(out, annotation::THREAD_ID, record.thread_id.into());
    if record.range_id != 0 {
        number(out, annotation::RANGE_ID, record.range_id.into());
    }
    if !record.flags.is_empty() {
        words(out, record.flags);
    }
}

/// Appends which run of which model a record is of.
pub(crate) fn run(out: &mut Proto, record: &OpRecord) {
    number(out, annotation::RUN_ID, record.run_id);
    number(out, annotation::MODEL_ID, record.model_id.into());
}

/// Appends why a record has no duration, and its times as they are.
pub(crate) fn impossible(out: &mut Proto, record: &OpRecord, reason: &str) {
    text(out, annotation::REASON, reason);
    number(out, annotation::START_NS, record.start_ns);
    number(out, annotation::END_NS, record.end_ns);
}

#[inline]
fn number(out: &mut Proto, name: u64, value: u64) {
    let open = out.begin::<SHORT>(field::DEBUG_ANNOTATIONS);
    out.uint(1, name);
    out.uint(3, value);
    out.end(open);
}

fn text(out: &mut Proto, name: u64, value: &str) {
    let open = out.begin::<EVENT>(field::DEBUG_ANNOTATIONS);
    out.uint(1, name);
    out.string(6, value);
    out.end(open);
}

#[cold]
fn words(out: &mut Proto, flags: Flags) {
    let names: Vec<&str> = flags.names().collect();
    text(out, annotation::FLAGS, &names.join(" "));
}
