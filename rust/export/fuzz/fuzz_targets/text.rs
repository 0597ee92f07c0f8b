//! Random text as a table or as a trace.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use optap_export::read;
use optap_record::NameTable;

/// What a file may begin with: the headers of tables, and the beginnings of traces.
const HEADS: [&str; 6] = [
    "Op Name,OP Type,Task Type,Stream ID,Task Start Time(us),Task Duration(us)\n",
    "tid,event_type,Start_time(us),End_time(us),message,domain\n",
    "Iteration ID,Iteration End(us),Iteration Time(us)\n",
    "[",
    r#"{"traceEvents":[{"ph":"X","name":"a","ts":"1.5","dur":2,"args":{"Task Type":"AI_CORE"}},"#,
    "",
];

static PATH: LazyLock<PathBuf> = LazyLock::new(|| {
    let name = format!("optap-fuzz-{}.txt", std::process::id());
    std::env::temp_dir().join(name)
});

fuzz_target!(|input: (u8, &[u8])| {
    let head = HEADS[usize::from(input.0) % HEADS.len()];
    let bytes = [head.as_bytes(), input.1].concat();
    fs::write(&*PATH, &bytes).unwrap();
    let Ok(profile) = read(&PATH, &NameTable::new()) else {
        return;
    };
    assert!(profile.records.len() <= bytes.len());
    for record in &profile.records {
        assert!(record.op_id == 0 || profile.op(record.op_id).is_some());
    }
    for damage in &profile.damages {
        assert!(damage.offset_bytes + damage.bytes <= bytes.len() as u64);
    }
});
