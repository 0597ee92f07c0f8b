//! A small database with random bytes in random places.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use optap_export::{Anchor, DatabaseWriter, Process, read};
use optap_record::{Kind, NameTable, OpRecord};

/// Where the database lies, and its bytes.
static WHOLE: LazyLock<(PathBuf, Vec<u8>)> = LazyLock::new(|| {
    let name = format!("optap-fuzz-{}.db", std::process::id());
    let path = std::env::temp_dir().join(name);
    let anchor = Anchor {
        monotonic_ns: 5,
        unix_ns: 5,
    };
    let mut database = DatabaseWriter::create(&path, anchor, &Process::default()).unwrap();
    for kind in [Kind::OP, Kind::RANGE, Kind::MARK, Kind::STEP] {
        let records = [10, 20, 30].map(|start_ns| OpRecord {
            start_ns,
            end_ns: start_ns + 7,
            kind,
            op_id: start_ns as u32,
            model_id: 1,
            ..OpRecord::default()
        });
        database.write(&records, |_| None).unwrap();
    }
    database.finish().unwrap();
    let bytes = fs::read(&path).unwrap();
    (path, bytes)
});

fuzz_target!(|changes: Vec<(u32, Vec<u8>)>| {
    let (path, whole) = &*WHOLE;
    let mut bytes = whole.clone();
    for (at, change) in changes {
        let at = at as usize % bytes.len();
        let change = &change[..change.len().min(bytes.len() - at)];
        bytes[at..at + change.len()].copy_from_slice(change);
    }
    bytes[..16].copy_from_slice(&whole[..16]);
    fs::write(path, &bytes).unwrap();
    if let Ok(profile) = read(path, &NameTable::new()) {
        assert!(profile.records.len() <= bytes.len());
        for record in &profile.records {
            assert!(record.op_id == 0 || profile.op(record.op_id).is_some());
        }
    }
    assert_eq!(fs::read(path).unwrap(), bytes);
});
