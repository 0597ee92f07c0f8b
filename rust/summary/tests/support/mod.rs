//! Words that the tests share.
#![allow(dead_code, reason = "each test uses its part")]

use std::sync::Arc;

use optap_record::{Flags, NameTable, OpInfo, OpLease, OpRecord, OpTable};
use optap_summary::Key;

/// A plan of operators with these names and types, in a table of its own.
pub fn lease(ops: &[(&str, &str)]) -> Arc<OpLease> {
    let intern = |text: &str| NameTable::global().intern(text.as_bytes()).unwrap();
    let info = |&(name, type_): &(&str, &str)| OpInfo {
        name: intern(name),
        type_: intern(type_),
        kernel: intern("kernel"),
        flags: Flags::NONE,
        sources: Box::new([]),
    };
    thread_local! {
        static TABLE: OpTable = OpTable::new();
    }
    TABLE.with(|table| table.register(ops.iter().map(info).collect()))
}

pub fn op(op_id: u32, start_ns: u64, end_ns: u64) -> OpRecord {
    OpRecord {
        op_id,
        start_ns,
        end_ns,
        ..OpRecord::default()
    }
}

/// A key in words.
pub fn text(key: &Key) -> String {
    match key {
        Key::Type(name) => name.to_text().into_owned(),
        Key::Name { name, type_, .. } => format!("{}:{}", name.to_text(), type_.to_text()),
        Key::Step(number) => format!("step {number}"),
        Key::Stream {
            device_id,
            stream_id,
        } => format!("stream {device_id}.{stream_id}"),
        Key::None => "none".into(),
        Key::Open => "open".into(),
        Key::Others => "others".into(),
    }
}
