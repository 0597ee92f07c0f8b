//! The laws of the one way into every format: content decides, and what is unknown is named.

#[path = "../support/base.rs"]
mod base;
mod cases;
mod databases;
#[path = "../support/scenario.rs"]
mod scenario;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod traces;

use std::fs;
use std::path::Path;

use base::Base;
use optap_export::{ProfDir, Profile, Settings, read};
use optap_record::{Kind, NameTable, OpRecord};

fn profile(path: &Path) -> Profile {
    read(path, NameTable::global()).unwrap()
}

fn error(path: &Path) -> String {
    read(path, NameTable::global()).unwrap_err().to_string()
}

/// What each record tells: kind, name, type, start and duration.
fn told(profile: &Profile) -> Vec<(Kind, String, String, u64, Option<u64>)> {
    let tell = |record: &OpRecord| {
        let texts = profile
            .op(record.op_id)
            .map(|op| (op.name.to_string(), op.type_.to_string()));
        let (name, type_) = texts.unwrap_or_default();
        let start_ns = profile.anchor.wall_ns(record.start_ns);
        (record.kind, name, type_, start_ns, record.duration_ns())
    };
    profile.records.iter().map(tell).collect()
}

fn prof(base: &Path, settings: &Settings) -> std::path::PathBuf {
    let ops = scenario::ops();
    let mut prof = ProfDir::create(base, &[0], settings).unwrap();
    for records in scenario::runs(2) {
        prof.write(&records, |op_id| ops.get((op_id as usize).checked_sub(1)?))
            .unwrap();
    }
    prof.finish().unwrap().path
}

#[test]
fn several_directories_are_one_profile_by_the_wall_clock() {
    let base = Base::new("any-several");
    let one = scenario::settings();
    let mut other = scenario::settings();
    other.anchor.monotonic_ns -= 7_000_000;
    let single = told(&profile(&prof(&base.0, &one)));
    prof(&base.0, &other);
    let both = profile(&base.0);
    assert_eq!(both.records.len(), 2 * single.len());
    let mut starts: Vec<u64> = told(&both).iter().map(|row| row.3).collect();
    let mut expected: Vec<u64> = single
        .iter()
        .flat_map(|row| [row.3, row.3 + 7_000_000])
        .collect();
    starts.sort_unstable();
    expected.sort_unstable();
    assert_eq!(starts, expected);
    assert_eq!(both.ops.len(), scenario::ops().len());
    let sequences = both
        .records
        .iter()
        .filter(|record| record.stream_id == 2)
        .map(|record| record.sequence);
    assert!(sequences.eq(0..16));
}

#[test]
fn what_is_no_profile_is_named() {
    let base = Base::new("any-none");
    fs::create_dir_all(&base.0).unwrap();
    assert!(error(&base.0).contains("a directory without PROF_*"));
    assert!(error(&base.0.join("absent")).contains("absent"));
    for (bytes, found) in [
        (b"".as_slice(), "an empty file"),
        (b"  \n", "an empty file"),
        (b"\x1f\x8b\x08\0", "a gzip file"),
        (b"PAR1\x15", "a Parquet file"),
        (b"ARROW1\0\0", "an Arrow file"),
        (b"\x0a\x10\x08", "a Perfetto trace"),
        (b"\x7fELF", "a file of another kind"),
        (b"hello\n", "a file of another kind"),
        (b"a,b\n1,2\n", "without the names, starts"),
        (b"OP Type,Count,Total Time(us)\n", "a table of sums"),
    ] {
        let path = base.0.join("input");
        fs::write(&path, bytes).unwrap();
        assert!(error(&path).contains(found), "{}", error(&path));
        assert!(error(&path).contains("input"));
    }
}
