//! The laws of reading: what was written comes back, and damage stays where it is.

#[path = "support/scenario.rs"]
mod scenario;
mod support;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use optap_export::{ProfDir, Profile, Settings, read_prof};
use optap_record::{Kind, NameTable, OpInfo, OpRecord};
use proptest::prelude::*;
use support::{op, timed};

/// A directory of its own for a test, removed at its end.
struct Base(PathBuf);

impl Base {
    fn new(law: &str) -> Self {
        let name = format!("optap-read-{law}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn write(&self, records: &[OpRecord], ops: &[OpInfo], settings: &Settings) -> PathBuf {
        let mut prof = ProfDir::create(&self.0, &[0, 1], settings).unwrap();
        prof.write(records, |op_id| ops.get((op_id as usize).checked_sub(1)?))
            .unwrap();
        prof.finish().unwrap().path
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(path: &Path) -> Profile {
    read_prof(path, NameTable::global()).unwrap()
}

fn name(profile: &Profile, record: &OpRecord) -> String {
    profile.op(record.op_id).unwrap().name.to_string()
}

#[test]
fn what_was_written_comes_back() {
    let base = Base::new("written");
    let (records, ops) = (
        scenario::runs(3).flatten().collect::<Vec<_>>(),
        scenario::ops(),
    );
    let profile = read(&base.write(&records, &ops, &scenario::settings()));
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
    let base = Base::new("wrap");
    let ops = scenario::ops();
    let records: Vec<OpRecord> = (1..=70_000)
        .map(|at| timed(1 + (at % 3) as u32, at * 10, at * 10 + 5))
        .collect();
    let profile = read(&base.write(&records, &ops, &Settings::default()));
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
    let base = Base::new("names");
    let names = ["", "a:b", "two\nlines", "算子🚀", "bad\u{fffd}byte"];
    let ops = names.map(|name| op(name.as_bytes(), b"Conv"));
    let records: Vec<OpRecord> = (1..=5)
        .map(|id| timed(id, u64::from(id) * 10, u64::from(id) * 10 + 5))
        .collect();
    let profile = read(&base.write(&records, &ops, &Settings::default()));
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
fn a_record_cut_short_or_overwritten_is_told_by_file_and_offset() {
    let base = Base::new("damage");
    let records: Vec<OpRecord> = scenario::runs(4).flatten().collect();
    let path = base.write(&records, &scenario::ops(), &scenario::settings());
    let stars = path.join("device_0/data/stars_soc.data.0.slice_0");
    let mut bytes = fs::read(&stars).unwrap();
    bytes[128..256].fill(0xEE);
    bytes.truncate(24 * 64 - 10);
    fs::write(&stars, &bytes).unwrap();
    let profile = read(&path);
    let told: Vec<_> = profile
        .damages
        .iter()
        .map(|damage| (damage.path.clone(), damage.offset_bytes, damage.bytes))
        .collect();
    assert_eq!(told, [(stars.clone(), 128, 128), (stars, 23 * 64, 54)]);
    let ops = profile
        .records
        .iter()
        .filter(|record| record.kind == Kind::OP);
    assert_eq!(ops.count(), 10, "of 12 operators two lost a record");
}

#[test]
fn a_ring_that_wrapped_is_read_from_its_first_record() {
    let base = Base::new("ring");
    let records: Vec<OpRecord> = scenario::runs(2).flatten().collect();
    let path = base.write(&records, &scenario::ops(), &scenario::settings());
    let stars = path.join("device_0/data/stars_soc.data.0.slice_0");
    let bytes = fs::read(&stars).unwrap();
    fs::write(&stars, &bytes[40..]).unwrap();
    let profile = read(&path);
    let [damage] = &profile.damages[..] else {
        panic!("one damage: {:?}", profile.damages);
    };
    assert_eq!((damage.offset_bytes, damage.bytes), (0, 24));
    let ops = profile
        .records
        .iter()
        .filter(|record| record.kind == Kind::OP);
    assert_eq!(ops.count(), 5);
}

#[test]
fn a_device_without_its_clock_is_told_and_the_others_read() {
    let base = Base::new("clock");
    let records: Vec<OpRecord> = [0, 1]
        .map(|device_id| OpRecord {
            device_id,
            ..timed(1, 5, 9)
        })
        .into();
    let path = base.write(&records, &scenario::ops(), &Settings::default());
    fs::remove_file(path.join("device_0/dev_start.log.0")).unwrap();
    let profile = read(&path);
    assert_eq!(profile.damages.len(), 1);
    assert!(profile.damages[0].reason.contains("dev_start.log.0"));
    let devices: Vec<u32> = profile
        .records
        .iter()
        .map(|record| record.device_id)
        .collect();
    assert_eq!(devices, [1]);
}

#[test]
fn what_is_no_profile_is_an_error_that_names_the_file() {
    let base = Base::new("none");
    let error = |path: &Path| read_prof(path, NameTable::global()).unwrap_err();
    assert!(error(&base.0).to_string().contains("info.json"));
    let path = base.write(&[], &[], &Settings::default());
    let info = path.join("host/info.json");
    fs::write(&info, "{").unwrap();
    assert_eq!(error(&path).kind(), io::ErrorKind::InvalidData);
    fs::write(&info, r#"{"platform_version":"0"}"#).unwrap();
    assert_eq!(error(&path).kind(), io::ErrorKind::Unsupported);
}

#[test]
fn names_beyond_the_cap_are_an_error() {
    let base = Base::new("cap");
    let records: Vec<OpRecord> = scenario::runs(1).flatten().collect();
    let path = base.write(&records, &scenario::ops(), &Settings::default());
    let names = NameTable::new();
    names.set_capacity_bytes(Some(8));
    assert!(read_prof(&path, &names).is_err());
}

/// The data files below a path.
fn data_files(path: &Path) -> Vec<PathBuf> {
    let sides = ["host/data", "device_0/data"].map(|side| fs::read_dir(path.join(side)).unwrap());
    let mut files: Vec<PathBuf> = sides
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.retain(|file| file.extension().unwrap() != "done");
    files
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn damage_never_grows_what_is_read(
        file in 0..9_usize, at in 0..3_000_usize, cut: bool, junk in prop::collection::vec(any::<u8>(), 1..80),
    ) {
        let base = Base::new("junk");
        let records: Vec<OpRecord> = scenario::runs(4).flatten().collect();
        let path = base.write(&records, &scenario::ops(), &scenario::settings());
        let files = data_files(&path);
        let file = &files[file % files.len()];
        let mut bytes = fs::read(file).unwrap();
        let at = at % bytes.len();
        if cut {
            bytes.truncate(at);
        }
        let junk = &junk[..junk.len().min(bytes.len() - at)];
        bytes[at..at + junk.len()].copy_from_slice(junk);
        fs::write(file, &bytes).unwrap();
        let profile = read(&path);
        prop_assert!(profile.records.len() <= records.len() + 1);
        let whole = profile.records.iter().filter(|found| records.iter().any(|record| {
            (record.kind, record.start_ns, record.end_ns) == (found.kind, found.start_ns, found.end_ns)
        }));
        prop_assert!(cut || whole.count() >= records.len() / 2 - 2);
    }
}
