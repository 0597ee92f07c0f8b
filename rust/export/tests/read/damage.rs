//! What is damaged is told, and all else is read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use optap_export::{Settings, read_prof};
use optap_record::{Kind, NameTable, OpRecord};
use proptest::prelude::*;

use crate::base::Base;
use crate::support::timed;
use crate::{read, scenario, write};

#[test]
fn a_record_cut_short_or_overwritten_is_told_by_file_and_offset() {
    let base = Base::new("read-damage");
    let records: Vec<OpRecord> = scenario::runs(4).flatten().collect();
    let path = write(&base, &records, &scenario::ops(), &scenario::settings());
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
    let base = Base::new("read-ring");
    let records: Vec<OpRecord> = scenario::runs(2).flatten().collect();
    let path = write(&base, &records, &scenario::ops(), &scenario::settings());
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
    let base = Base::new("read-clock");
    let records: Vec<OpRecord> = [0, 1]
        .map(|device_id| OpRecord {
            device_id,
            ..timed(1, 5, 9)
        })
        .into();
    let path = write(&base, &records, &scenario::ops(), &Settings::default());
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
    let base = Base::new("read-none");
    let error = |path: &Path| read_prof(path, NameTable::global()).unwrap_err();
    assert!(error(&base.0).to_string().contains("info.json"));
    let path = write(&base, &[], &[], &Settings::default());
    let info = path.join("host/info.json");
    fs::write(&info, "{").unwrap();
    assert_eq!(error(&path).kind(), io::ErrorKind::InvalidData);
    fs::write(&info, r#"{"platform_version":"0"}"#).unwrap();
    assert_eq!(error(&path).kind(), io::ErrorKind::Unsupported);
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
        let base = Base::new("read-junk");
        let records: Vec<OpRecord> = scenario::runs(4).flatten().collect();
        let path = write(&base, &records, &scenario::ops(), &scenario::settings());
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
