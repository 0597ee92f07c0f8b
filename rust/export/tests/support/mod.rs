//! Operators and records for the tests of the writers.

use optap_record::{Flags, NameTable, OpInfo, OpRecord};

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
