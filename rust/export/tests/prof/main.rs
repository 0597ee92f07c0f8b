//! The laws of `PROF_*` directories: what was written can be found again, and always parses.

mod asked;
#[path = "../support/base.rs"]
mod base;
mod files;
#[path = "../support/raw.rs"]
mod raw;
#[path = "../support/scenario.rs"]
mod scenario;
#[path = "../support/mod.rs"]
mod support;
mod tables;

use base::Base;
use optap_export::{ProfDir, Settings};
use optap_record::{Kind, OpInfo, OpRecord};
use proptest::prelude::*;
use raw::{Raw, Row};

fn op(name: &[u8]) -> OpInfo {
    support::op(name, name)
}

fn timed(op_id: u32, start_ns: u64, end_ns: u64) -> OpRecord {
    OpRecord {
        thread_id: 7,
        ..support::timed(op_id, start_ns, end_ns)
    }
}

fn by_id<'a>(ops: &'a [OpInfo]) -> impl Fn(u32) -> Option<&'a OpInfo> {
    move |op_id| ops.get((op_id as usize).checked_sub(1)?)
}

fn scenario(base: &Base) -> Raw {
    let mut prof = ProfDir::create(&base.0, &[0], &scenario::settings()).unwrap();
    for records in scenario::runs(2) {
        prof.write(&records, by_id(&scenario::ops())).unwrap();
    }
    let report = prof.finish().unwrap();
    assert_eq!((report.records, report.skipped), (12, 0));
    Raw(report.path)
}

#[test]
fn task_numbers_wrap_on_both_sides() {
    let base = Base::new("wrap");
    let records: Vec<OpRecord> = (1..=66_000)
        .map(|at| timed(1, at * 10, at * 10 + 5))
        .collect();
    let mut prof = ProfDir::create(&base.0, &[0], &Settings::default()).unwrap();
    prof.write(&records, |_| None).unwrap();
    let raw = Raw(prof.finish().unwrap().path);
    let [flip] = &raw.track(0, 0x0E)[..] else {
        panic!("the device tells one wrap");
    };
    assert_eq!(flip[8..16], 655_360_u64.to_le_bytes());
    assert_eq!(raw.types()["5000_98"], "FLIP_TASK");
    let tracks = raw.records("host/data/aging.compact.task_track", 64);
    let flips: Vec<usize> = (0..tracks.len())
        .filter(|&at| tracks[at][4] == 98)
        .collect();
    assert_eq!((flips, tracks.len()), (vec![65_535], 66_001));
    assert!(raw.slices("host/data/aging.compact.task_track").len() > 1);
}

#[test]
fn p8_no_name_breaks_a_file() {
    let mut names = [0, 64, 155, 156, 310, 10_000]
        .map(|bytes| vec![b'x'; bytes])
        .to_vec();
    names.extend([b"\"", b"\\", b"\n", b"\r", b"\0", b":"].map(|bytes| bytes.to_vec()));
    names.extend([b"bad\xffbyte".to_vec(), "算".repeat(100).into_bytes()]);
    let ops: Vec<OpInfo> = names.iter().map(|name| op(name)).collect();
    let ids = || 1..=ops.len() as u32;
    let mut records: Vec<OpRecord> = ids()
        .map(|id| timed(id, u64::from(id) * 10, u64::from(id) * 10 + 9))
        .collect();
    records.extend(ids().map(|id| OpRecord {
        kind: Kind::RANGE,
        ..timed(id, 5, 6)
    }));
    let base = Base::new("names");
    let mut prof = ProfDir::create(&base.0, &[0], &Settings::default()).unwrap();
    prof.write(&records, by_id(&ops)).unwrap();
    let raw = Raw(prof.finish().unwrap().path);
    let spelled = |name: &Vec<u8>| {
        let text = String::from_utf8_lossy(name);
        text.replace('\n', "\\x0a")
            .replace('\r', "\\x0d")
            .replace('\0', "\\x00")
    };
    let texts: Vec<String> = names.iter().map(spelled).collect();
    let tx: Vec<String> = raw.tx().into_iter().map(|tx| tx.0).collect();
    assert_eq!(tx, texts);
    let rows: Vec<String> = raw.rows(0).into_iter().map(|row| row.name).collect();
    assert_eq!((rows[0].as_str(), &rows[1..]), ("op 1", &texts[1..]));
}

#[test]
fn a_reused_id_takes_its_new_name() {
    let (old, new) = (op(b"old"), op(b"new"));
    let base = Base::new("reused");
    let mut prof = ProfDir::create(&base.0, &[0], &Settings::default()).unwrap();
    for (at, info) in (1..).zip([Some(&old), Some(&new), None]) {
        prof.write(&[timed(1, at * 10, at * 10 + 5)], |_| info)
            .unwrap();
    }
    let rows = Raw(prof.finish().unwrap().path).rows(0);
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["old", "new", "op 1"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn tasks_are_joined_with_their_own_operators(
        ops in prop::collection::vec((0..4_u64, 0..3_u64, 1..5_u32, 0..3_u32), 1..60),
    ) {
        let infos: Vec<OpInfo> = ["a", "b", "c", "d"].map(|name| op(name.as_bytes())).into();
        let mut at_ns = 1_000;
        let records: Vec<OpRecord> = (1..).zip(&ops).map(|(run_id, &(took, pause, op_id, model_id))| {
            at_ns += pause;
            let record = timed(op_id, at_ns, at_ns + took);
            at_ns += took;
            OpRecord { model_id, run_id, ..record }
        }).collect();
        let base = Base::new("joined");
        let mut prof = ProfDir::create(&base.0, &[0], &Settings::default()).unwrap();
        prof.write(&records, by_id(&infos)).unwrap();
        let rows = Raw(prof.finish().unwrap().path).rows(0);
        let expected: Vec<Row> = (1..).zip(&records).map(|(task, record)| {
            let name = infos[record.op_id as usize - 1].name.to_string();
            let (type_, kernel) = (name.clone(), "kernel".to_owned());
            let model_id = Some(record.model_id.into()).filter(|&model_id: &u64| model_id != 0);
            Row {
                name, type_, kernel, stream: 0, task, start_ns: record.start_ns,
                end_ns: record.end_ns, thread_id: 7, model_id,
            }
        }).collect();
        prop_assert_eq!(rows, expected);
    }
}
