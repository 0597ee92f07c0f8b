//! Which files there are, how long, and for whom.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use optap_export::{ProfDir, Settings};
use optap_record::OpRecord;
use serde_json::Value;

use crate::base::Base;
use crate::raw::{self, Raw};
use crate::{by_id, op, scenario, timed};

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
