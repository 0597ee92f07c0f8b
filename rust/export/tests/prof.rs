//! The laws of `PROF_*` directories: what was written can be found again, and always parses.

#[path = "support/raw.rs"]
mod raw;
#[path = "support/scenario.rs"]
mod scenario;
mod support;

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use optap_export::{ProfDir, Settings};
use optap_record::{Kind, OpInfo, OpRecord};
use proptest::prelude::*;
use raw::{Raw, Row};
use serde_json::Value;

/// A directory of its own for a test, removed at its end.
struct Base(PathBuf);

impl Base {
    fn new(law: &str) -> Self {
        let name = format!("optap-{law}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

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

/// The rows of a table that msprof made of the scenario, without the header.
fn golden(table: &str) -> Vec<Vec<String>> {
    let path = format!(
        "{}/tests/golden/msprof/{table}.csv",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = fs::read_to_string(path).unwrap();
    let row = |line: &str| line.split(',').map(|cell| cell.trim().to_owned()).collect();
    text.lines().skip(1).map(row).collect()
}

/// Monotonic ns as the tables show them: wall clock, us.
fn wall_us(ns: u64) -> String {
    let unix_ns = ns - scenario::START_NS + 1_767_225_600_000_000_000;
    format!("{}.{:03}", unix_ns / 1_000, unix_ns % 1_000)
}

#[test]
fn tasks_are_those_that_msprof_shows() {
    let base = Base::new("tasks");
    let rows = scenario(&base).rows(0);
    let (summary, times) = (golden("op_summary"), golden("task_time"));
    assert_eq!((rows.len(), summary.len(), times.len()), (6, 6, 6));
    for ((row, summary), times) in rows.iter().zip(summary).zip(times) {
        let (task, stream) = (row.task.to_string(), row.stream.to_string());
        let model = row.model_id.unwrap().to_string();
        assert_eq!(summary[1..4], [model, task, stream]);
        assert_eq!(summary[4..6], [row.name.clone(), row.type_.clone()]);
        assert_eq!(times[1], row.kernel);
        assert_eq!(times[6..8], [wall_us(row.start_ns), wall_us(row.end_ns)]);
    }
}

#[test]
fn steps_are_those_that_msprof_shows() {
    let base = Base::new("steps");
    let steps = scenario(&base).steps(0);
    let shown = golden("step_trace");
    assert_eq!((steps.len(), shown.len()), (2, 2));
    for ((step, start_ns, end_ns), shown) in steps.into_iter().zip(shown) {
        let us = (end_ns - start_ns) as f64 / 1e3;
        assert_eq!(
            (&shown[1], &shown[4]),
            (&step.to_string(), &wall_us(end_ns))
        );
        assert_eq!(shown[5].parse::<f64>().unwrap(), us);
    }
}

#[test]
fn ranges_and_marks_are_those_that_msprof_shows() {
    let base = Base::new("tx");
    let tx = scenario(&base).tx();
    let shown = golden("msprof_tx");
    assert_eq!((tx.len(), shown.len()), (4, 4));
    for ((message, domain, kind, start_ns, end_ns), shown) in tx.into_iter().zip(shown) {
        let kind = if kind == 2 { "start/end" } else { "marker" };
        assert_eq!(
            (shown[4].as_str(), &shown[10], &shown[11]),
            (kind, &message, &domain)
        );
        assert_eq!(shown[7..9], [wall_us(start_ns), wall_us(end_ns)]);
    }
}

#[test]
fn control_files_agree_on_the_clocks() {
    let base = Base::new("control");
    let root = scenario(&base).0;
    let json = |path: &str| -> Value {
        let text = fs::read_to_string(root.join(path)).unwrap();
        assert_eq!(text.lines().count(), 1, "msprof reads one line of {path}");
        serde_json::from_str(&text).unwrap()
    };
    for (directory, suffix) in [("host", ""), ("device_0", ".0")] {
        let info = json(&format!("{directory}/info.json{suffix}"));
        assert_eq!(
            (&info["platform_version"], &info["CPU"][0]["Frequency"]),
            (&"5".into(), &"".into())
        );
        let start = json(&format!("{directory}/start_info{suffix}"));
        let anchor = scenario::START_NS.to_string();
        assert_eq!(start["clockMonotonicRaw"], anchor);
        assert_eq!(start["collectionTimeBegin"], "1767225600000000");
        assert_eq!(start["collectionDateBegin"], "2026-01-01 00:00:00.000000");
        assert_ne!(
            json(&format!("{directory}/end_info{suffix}"))["collectionTimeEnd"],
            ""
        );
        assert_eq!(
            json(&format!("{directory}/sample.json"))["llc_profiling"],
            ""
        );
        let log =
            fs::read_to_string(root.join(format!("{directory}/host_start.log{suffix}"))).unwrap();
        assert!(log.contains(&format!(
            "clock_monotonic_raw: {anchor}\ncntvct: {anchor}\n"
        )));
    }
    let device = json("device_0/info.json.0");
    assert_eq!(device["DeviceInfo"][0]["hwts_frequency"], "1000.000000");
    assert!(root.join("device_0/dev_start.log.0").is_file());
}

#[test]
fn files_are_for_their_owner_and_group() {
    let base = Base::new("modes");
    let root = scenario(&base).0;
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let file = "host/data/aging.compact.task_track.slice_0";
    assert_eq!(mode(&root) & !0o750, 0);
    assert_eq!(mode(&root.join(file)) & !0o640, 0);
    assert_eq!(raw::check_markers(&root), 8);
}

#[test]
fn what_nobody_told_leaves_no_file() {
    let base = Base::new("nothing");
    let mut prof = ProfDir::create(&base.0, &[3], &Settings::default()).unwrap();
    prof.write(&[timed(1, 0, 9), timed(1, 9, 5), timed(1, 5, 9)], |_| None)
        .unwrap();
    let report = prof.finish().unwrap();
    assert_eq!((report.records, report.skipped), (0, 3));
    let data = |side: &str| {
        fs::read_dir(report.path.join(side).join("data"))
            .unwrap()
            .count()
    };
    assert_eq!((data("host"), data("device_3")), (2, 0));
}

#[test]
fn what_was_flushed_is_whole_without_an_end() {
    let base = Base::new("flushed");
    let mut prof = ProfDir::create(&base.0, &[0], &scenario::settings()).unwrap();
    let ops = scenario::ops();
    let mut runs = scenario::runs(2);
    prof.write(&runs.next().unwrap(), by_id(&ops)).unwrap();
    prof.flush().unwrap();
    prof.write(&runs.next().unwrap(), by_id(&ops)).unwrap();
    let raw = Raw(prof.path().to_owned());
    drop(prof);
    assert_eq!(
        (raw.rows(0).len(), raw.steps(0).len(), raw.tx().len()),
        (3, 1, 2)
    );
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

#[test]
fn the_oldest_slices_go_at_the_limit_and_names_stay() {
    let base = Base::new("limit");
    let settings = Settings {
        slice_bytes: 1,
        storage_limit_bytes: Some(4 << 20),
        ..Settings::default()
    };
    let records: Vec<OpRecord> = (1..=40_000)
        .map(|at| timed(1, at * 10, at * 10 + 5))
        .collect();
    let mut prof = ProfDir::create(&base.0, &[0], &settings).unwrap();
    prof.write(&records, by_id(&[op(b"relu")])).unwrap();
    let report = prof.finish().unwrap();
    let raw = Raw(report.path.clone());
    let held: usize = [
        ("host/data/aging.api_event.data", 40),
        ("device_0/data/stars_soc.data.0", 64),
    ]
    .map(|(file, bytes)| raw.records(file, bytes).len() * bytes)
    .iter()
    .sum();
    assert!(report.aged_bytes > 0 && held < 4 << 20);
    assert!(raw.texts().values().any(|text| text == "relu"));
    let last = raw
        .records("device_0/data/stars_soc.data.0", 64)
        .pop()
        .unwrap();
    assert_eq!(last[8..16], 400_005_u64.to_le_bytes());
}

#[test]
fn directories_of_one_instant_are_apart() {
    let base = Base::new("apart");
    let make = || {
        ProfDir::create(&base.0, &[], &scenario::settings())
            .unwrap()
            .path()
            .to_owned()
    };
    let paths = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
        let paths = threads.into_iter().map(|thread| thread.join().unwrap());
        paths.collect::<HashSet<_>>()
    });
    assert_eq!(paths.len(), 8);
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        let parts: Vec<&str> = name.split('_').collect();
        assert_eq!(
            (parts[0], parts[1].len(), parts[2]),
            ("PROF", 6, "20260101000000000")
        );
        let pid = format!("{:08}", std::process::id());
        assert!(parts[3].starts_with(&pid) && parts[3].len() == 16);
    }
}

#[test]
fn a_base_that_cannot_be_made_is_told_by_its_path() {
    let error =
        ProfDir::create(Path::new("/dev/null/profiles"), &[0], &Settings::default()).unwrap_err();
    assert!(error.to_string().contains("/dev/null/profiles"));
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
