//! A directory holds what was asked for, of the devices that it shows.

use optap_export::{ApiCall, Asked, Level, NO_DEVICE, ProfDir, Settings};
use optap_record::{Kind, OpRecord};
use serde_json::Value;

use crate::base::Base;
use crate::raw::Raw;
use crate::{by_id, op, scenario, timed};

fn asked(asked: Asked) -> Settings {
    Settings {
        asked,
        ..scenario::settings()
    }
}

fn data_files(raw: &Raw, side: &str) -> Vec<String> {
    let entries = std::fs::read_dir(raw.0.join(side).join("data")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let is_slice = |name: &String| !name.ends_with(".done") && !name.starts_with("unaging");
    let mut names: Vec<String> = names.filter(is_slice).collect();
    names.sort();
    names
}

#[test]
fn what_was_not_asked_for_leaves_no_file() {
    let base = Base::new("asked");
    let write = |settings: &Settings| {
        let mut prof = ProfDir::create(&base.0, &[0], settings).unwrap();
        for records in scenario::runs(2) {
            prof.write(&records, by_id(&scenario::ops())).unwrap();
        }
        let call = ApiCall {
            name: "aclmdlExecute",
            thread_id: 7,
            start_ns: scenario::START_NS,
            end_ns: scenario::START_NS + 9,
        };
        prof.write_calls(&[call]).unwrap();
        let report = prof.finish().unwrap();
        let raw = Raw(report.path.clone());
        let files = [data_files(&raw, "host"), data_files(&raw, "device_0")];
        (files.concat(), report.records, report.skipped, raw)
    };
    let only = |change: fn(&mut Asked)| {
        let mut wish = Asked::NOTHING;
        change(&mut wish);
        write(&asked(wish))
    };
    let (files, records, skipped, _) = only(|wish| wish.ranges = true);
    assert_eq!(files, ["aging.additional.msproftx.slice_0"]);
    assert_eq!((records, skipped), (4, 8));
    let (files, _, _, _) = only(|wish| wish.steps = true);
    assert_eq!(files, ["ts_track.data.0.slice_0"]);
    let (files, _, _, raw) = only(|wish| wish.calls = true);
    assert_eq!(files, ["aging.api_event.data.slice_0"]);
    assert_eq!(raw.types()["20000_131073"], "aclmdlExecute");
    let (files, records, _, raw) = only(|wish| wish.level = Some(Level::L0));
    let times = [
        "aging.api_event.data.slice_0",
        "aging.compact.task_track.slice_0",
        "stars_soc.data.0.slice_0",
    ];
    assert_eq!((files, records), (times.map(String::from).into(), 6));
    let sample = std::fs::read_to_string(raw.0.join("host/sample.json")).unwrap();
    let sample: Value = serde_json::from_str(&sample).unwrap();
    assert_eq!(
        (&sample["profLevel"], &sample["msproftx"]),
        (&"l0".into(), &"off".into())
    );
}

#[test]
fn a_step_of_no_device_is_one_of_every_device() {
    let base = Base::new("no-device");
    let mut prof = ProfDir::create(&base.0, &[0, 2], &scenario::settings()).unwrap();
    let step = OpRecord {
        kind: Kind::STEP,
        run_id: 3,
        device_id: NO_DEVICE,
        ..timed(0, 10, 20)
    };
    prof.write(&[step], |_| None).unwrap();
    let raw = Raw(prof.finish().unwrap().path);
    assert_eq!(raw.steps(0), [(3, 10, 20)]);
    assert_eq!(raw.steps(2), [(3, 10, 20)]);
}

#[test]
fn a_device_comes_and_goes() {
    let base = Base::new("comes-and-goes");
    let mut prof = ProfDir::create(&base.0, &[], &scenario::settings()).unwrap();
    let on = |device_id, at_ns| OpRecord {
        device_id,
        ..timed(1, at_ns, at_ns + 5)
    };
    prof.write(&[on(1, 10)], |_| None).unwrap();
    prof.add_device(1).unwrap();
    prof.add_device(1).unwrap();
    prof.write(&[on(1, 20)], |_| None).unwrap();
    prof.end_device(1).unwrap();
    assert!(prof.path().join("device_1/end_info.1").is_file() && !prof.has_device(1));
    prof.write(&[on(1, 30)], |_| None).unwrap();
    let report = prof.finish().unwrap();
    assert_eq!((report.records, report.skipped), (1, 2));
    assert_eq!(Raw(report.path).rows(1).len(), 1);
}

#[test]
fn what_was_written_whole_outlives_an_error() {
    let base = Base::new("abandoned");
    let mut prof = ProfDir::create(&base.0, &[0], &scenario::settings()).unwrap();
    let ops = [op(b"relu")];
    prof.write(&[timed(1, 10, 15)], by_id(&ops)).unwrap();
    prof.flush().unwrap();
    prof.write(&[timed(1, 20, 25)], by_id(&ops)).unwrap();
    let report = prof.abandon();
    let raw = Raw(report.path.clone());
    assert_eq!(raw.rows(0).len(), 1);
    assert!(report.path.join("host/end_info").is_file());
}
