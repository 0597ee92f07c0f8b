//! The laws of reading: what was written comes back, and damage stays where it is.

#[path = "../support/base.rs"]
mod base;
mod damage;
mod kept;
#[path = "../support/scenario.rs"]
mod scenario;
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};

use base::Base;
use optap_export::{ProfDir, Profile, Settings, read_prof};
use optap_record::{Kind, NameTable, OpInfo, OpRecord};
use support::{op, timed};

fn write(base: &Base, records: &[OpRecord], ops: &[OpInfo], settings: &Settings) -> PathBuf {
    let mut prof = ProfDir::create(&base.0, &[0, 1], settings).unwrap();
    let names = |op_id: u32| ops.get((op_id as usize).checked_sub(1)?);
    prof.write(records, names).unwrap();
    prof.finish().unwrap().path
}

fn read(path: &Path) -> Profile {
    read_prof(path, NameTable::global()).unwrap()
}

fn name(profile: &Profile, record: &OpRecord) -> String {
    profile.op(record.op_id).unwrap().name.to_string()
}

#[test]
fn what_was_written_comes_back() {
    let base = Base::new("read-written");
    let (records, ops) = (
        scenario::runs(3).flatten().collect::<Vec<_>>(),
        scenario::ops(),
    );
    let profile = read(&write(&base, &records, &ops, &scenario::settings()));
    assert_eq!(
        (&profile.damages[..], profile.anchor),
        (&[][..], scenario::settings().anchor)
    );
    assert_eq!(profile.records.len(), records.len());
    for (found, record) in profile.records.iter().zip(&records) {
        let info = record.op_id.checked_sub(1).map(|at| &ops[at as usize]);
        let found_info = profile.op(found.op_id);
        assert_eq!(
            found_info.map(|info| &info.name),
            info.map(|info| &info.name)
        );
        assert_eq!(
            found_info.map(|info| &info.type_),
            info.map(|info| &info.type_)
        );
        assert_eq!(
            (found.start_ns, found.end_ns),
            (record.start_ns, record.end_ns)
        );
        assert_eq!((found.kind, found.model_id), (record.kind, record.model_id));
        if record.kind == Kind::OP {
            assert_eq!(found_info.unwrap().kernel, info.unwrap().kernel);
            assert_eq!(
                (found.thread_id, found.run_id),
                (record.thread_id, record.run_id)
            );
            assert_eq!(
                (found.device_id, found.stream_id),
                (record.device_id, record.stream_id)
            );
        }
    }
}

#[test]
fn processors_of_every_layout_are_read() {
    for platform in [2, 5, 15] {
        let path = format!(
            "{}/tests/golden/prof/platform_{platform}",
            env!("CARGO_MANIFEST_DIR")
        );
        let profile = read(Path::new(&path));
        assert_eq!(profile.damages, []);
        let begin_ns = profile.anchor.monotonic_ns;
        let of = |kind| {
            profile
                .records
                .iter()
                .filter(move |record| record.kind == kind)
        };
        let ops: Vec<_> = of(Kind::OP)
            .map(|record| {
                let op = profile.op(record.op_id).unwrap();
                let start_ns = record.start_ns - begin_ns;
                let names = (
                    op.name.to_string(),
                    op.type_.to_string(),
                    op.kernel.to_string(),
                );
                (
                    names,
                    start_ns,
                    record.duration_ns().unwrap(),
                    record.stream_id,
                )
            })
            .collect();
        let row = |name: &str, type_: &str, kernel: &str, start_ns, took_ns| {
            let names = (name.to_owned(), type_.to_owned(), kernel.to_owned());
            (names, start_ns, took_ns, 2)
        };
        let expected = [
            row("MatMulV2_1", "MatMulV2", "KERNEL_AICORE", 150_000, 40_000),
            row("Add_2", "Add", "KERNEL_AIVEC", 250_000, 12_500),
            row("MatMulV2_3", "MatMulV2", "KERNEL_AICORE", 350_000, 41_000),
        ];
        assert_eq!(ops, expected, "platform {platform}");
        let model_id = u32::from(platform == 5);
        assert!(
            of(Kind::OP).all(|record| record.model_id == model_id && record.thread_id == 4_243)
        );
        let ranges: Vec<_> = of(Kind::RANGE)
            .map(|record| {
                (
                    name(&profile, record),
                    record.start_ns - begin_ns,
                    record.duration_ns(),
                )
            })
            .collect();
        let range = |name: &str, start_ns, took_ns| (name.to_owned(), start_ns, Some(took_ns));
        assert_eq!(
            ranges,
            [
                range("matmul block", 95_000, 85_000),
                range("forward", 80_000, 340_000)
            ]
        );
        let marks: Vec<_> = of(Kind::MARK)
            .map(|record| name(&profile, record))
            .collect();
        assert_eq!(marks, ["checkpoint"]);
        let steps: Vec<_> = of(Kind::STEP)
            .map(|record| (record.run_id, record.duration_ns()))
            .collect();
        assert_eq!(steps, [(1, Some(260_000))], "platform {platform}");
    }
}

#[test]
fn task_numbers_that_wrap_are_told_apart() {
    let base = Base::new("read-wrap");
    let ops = scenario::ops();
    let records: Vec<OpRecord> = (1..=70_000)
        .map(|at| timed(1 + (at % 3) as u32, at * 10, at * 10 + 5))
        .collect();
    let profile = read(&write(&base, &records, &ops, &Settings::default()));
    assert_eq!(profile.records.len(), records.len());
    let found = profile
        .records
        .iter()
        .map(|record| (record.start_ns, name(&profile, record)));
    let written = records.iter().map(|record| {
        let op = &ops[record.op_id as usize - 1];
        (record.start_ns, op.name.to_string())
    });
    assert!(found.eq(written));
}

#[test]
fn p8_names_come_back_on_one_line() {
    let base = Base::new("read-names");
    let names = ["", "a:b", "two\nlines", "算子🚀", "bad\u{fffd}byte"];
    let ops = names.map(|name| op(name.as_bytes(), b"Conv"));
    let records: Vec<OpRecord> = (1..=5)
        .map(|id| timed(id, u64::from(id) * 10, u64::from(id) * 10 + 5))
        .collect();
    let profile = read(&write(&base, &records, &ops, &Settings::default()));
    let found: Vec<String> = profile
        .records
        .iter()
        .map(|record| name(&profile, record))
        .collect();
    assert_eq!(
        found,
        ["op 1", "a:b", "two\\x0alines", "算子🚀", "bad\u{fffd}byte"]
    );
}

#[test]
fn names_beyond_the_cap_are_an_error() {
    let base = Base::new("read-cap");
    let records: Vec<OpRecord> = scenario::runs(1).flatten().collect();
    let path = write(&base, &records, &scenario::ops(), &Settings::default());
    let names = NameTable::new();
    names.set_capacity_bytes(Some(8));
    assert!(read_prof(&path, &names).is_err());
}
