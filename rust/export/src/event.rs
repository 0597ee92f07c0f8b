//! The part of an event that differs from record to record.

use optap_record::{Flags, OpRecord};

use crate::json::Json;
use crate::moment::Moment;
use crate::origin::Origin;

/// Appends what follows the head of a record's event.
#[inline]
pub(crate) fn rest(json: &mut Json, record: &OpRecord, moment: Moment, origin: &mut Origin) {
    json.raw(b",\"sequence\":");
    json.integer(record.sequence);
    if !record.flags.is_empty() {
        words(json, record.flags);
    }
    if let Moment::Impossible { reason, .. } = moment {
        raw_times(json, record, reason);
    }
    json.raw(origin.get(record));
    match moment {
        Moment::Slice {
            start_ns,
            duration_ns,
        } => slice(json, start_ns, duration_ns),
        Moment::Mark { at_ns } | Moment::Impossible { at_ns, .. } => instant(json, at_ns),
    }
    json.raw(b"}");
}

/// Appends the place of an event: its device and stream.
#[inline]
pub(crate) fn track(json: &mut Json, device_id: u32, stream_id: u32) {
    json.raw(b",\"pid\":");
    json.integer(device_id);
    json.raw(b",\"tid\":");
    json.integer(stream_id);
}

/// Appends the phase and time of an event that takes none.
pub(crate) fn instant(json: &mut Json, at_ns: u64) {
    json.raw(b",\"ph\":\"i\",\"s\":\"t\",\"ts\":");
    json.micros(at_ns);
}

#[inline]
fn slice(json: &mut Json, start_ns: u64, duration_ns: u64) {
    json.raw(b",\"ph\":\"X\",\"ts\":");
    json.micros(start_ns);
    json.raw(b",\"dur\":");
    json.micros(duration_ns);
}

fn words(json: &mut Json, flags: Flags) {
    json.raw(b",\"flags\":\"");
    for (index, name) in flags.names().enumerate() {
        json.raw(if index == 0 { b"".as_slice() } else { b" " });
        json.raw(name.as_bytes());
    }
    json.raw(b"\"");
}

fn raw_times(json: &mut Json, record: &OpRecord, reason: &str) {
    json.raw(b",\"reason\":");
    json.string(reason);
    json.raw(b",\"start_ns\":");
    json.integer(record.start_ns);
    json.raw(b",\"end_ns\":");
    json.integer(record.end_ns);
}
