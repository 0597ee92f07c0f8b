//! Operators, records and parsed traces for the tests of the writers.

use optap_export::ChromeWriter;
use optap_record::{Flags, NameTable, OpInfo, OpRecord};
use serde_json::Value;

/// An operator with these bytes as name and type.
pub fn op(name: &[u8], type_: &[u8]) -> OpInfo {
    let intern = |bytes: &[u8]| NameTable::global().intern(bytes).unwrap();
    OpInfo {
        name: intern(name),
        type_: intern(type_),
        kernel: intern(b"kernel"),
        flags: Flags::NONE,
        sources: Box::new([]),
    }
}

/// A record of the op `op_id`, its times flagged.
pub fn timed(op_id: u32, start_ns: u64, end_ns: u64) -> OpRecord {
    let mut record = OpRecord {
        op_id,
        start_ns,
        end_ns,
        ..OpRecord::default()
    };
    record.flag_times();
    record
}

/// The trace of the records, whose op ids index `ops` from 1, and how many were skipped.
pub fn trace(records: &[OpRecord], ops: &[OpInfo]) -> (Vec<u8>, u64) {
    let mut writer = ChromeWriter::new(Vec::new());
    let names = |op_id: u32| ops.get((op_id as usize).checked_sub(1)?);
    writer.write(records, names).unwrap();
    let skipped = writer.skipped();
    (writer.finish().unwrap(), skipped)
}

/// The events of a whole trace.
pub fn events(json: &[u8]) -> Vec<Value> {
    serde_json::from_slice(json).unwrap()
}

/// The nanoseconds of a time member, read from the file's own digits.
pub fn ns(event: &str, member: &str) -> u64 {
    let at = event.find(&format!("\"{member}\":")).unwrap() + member.len() + 3;
    let digits = event[at..].split([',', '}']).next().unwrap();
    digits.replace('.', "").parse().unwrap()
}
