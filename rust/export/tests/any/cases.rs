//! P8 and P9 through every writer and its reader: no name breaks a file, no time makes a giant.

use std::fs;
use std::path::PathBuf;

use optap_export::{
    ChromeWriter, CsvWriter, DatabaseWriter, MsprofTraceWriter, Process, ProfDir, Settings, Table,
};
use optap_record::{OpInfo, OpRecord};

use crate::base::Base;
use crate::{profile, scenario, support};

/// A format, and what of a name and of a time it can say.
struct Format {
    name: &'static str,
    write: fn(&Base, &[OpRecord], &[OpInfo]) -> PathBuf,
    names: Names,
    keeps_impossible: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Names {
    /// Every byte.
    Bytes,
    /// Every letter; what is no letter becomes U+FFFD.
    Letters,
    /// Every letter but control characters, which are spelled out.
    Spelled,
}

const FORMATS: [Format; 6] = [
    Format {
        name: "prof",
        write: |base, records, ops| prof(base, records, ops, false),
        names: Names::Spelled,
        keeps_impossible: false,
    },
    Format {
        name: "prof-kept",
        write: |base, records, ops| prof(base, records, ops, true),
        names: Names::Bytes,
        keeps_impossible: true,
    },
    Format {
        name: "database",
        write: database,
        names: Names::Letters,
        keeps_impossible: false,
    },
    Format {
        name: "chrome",
        write: chrome,
        names: Names::Letters,
        keeps_impossible: true,
    },
    Format {
        name: "msprof-json",
        write: msprof,
        names: Names::Letters,
        keeps_impossible: false,
    },
    Format {
        name: "op_summary",
        write: summary,
        names: Names::Spelled,
        keeps_impossible: false,
    },
];

fn by_id<'a>(ops: &'a [OpInfo]) -> impl Fn(u32) -> Option<&'a OpInfo> {
    move |op_id| ops.get((op_id as usize).checked_sub(1)?)
}

fn prof(base: &Base, records: &[OpRecord], ops: &[OpInfo], keeps_records: bool) -> PathBuf {
    let settings = Settings {
        keeps_records,
        ..scenario::settings()
    };
    let mut prof = ProfDir::create(&base.0, &[0], &settings).unwrap();
    prof.write(records, by_id(ops)).unwrap();
    prof.finish().unwrap().path
}

fn database(base: &Base, records: &[OpRecord], ops: &[OpInfo]) -> PathBuf {
    fs::create_dir_all(&base.0).unwrap();
    let path = base.0.join("msprof_1.db");
    let anchor = scenario::settings().anchor;
    let mut writer = DatabaseWriter::create(&path, anchor, &Process::current()).unwrap();
    writer.write(records, by_id(ops)).unwrap();
    writer.finish().unwrap()
}

fn chrome(base: &Base, records: &[OpRecord], ops: &[OpInfo]) -> PathBuf {
    let mut writer = ChromeWriter::new(Vec::new());
    writer.write(records, by_id(ops)).unwrap();
    put(base, "trace.json", &writer.finish().unwrap())
}

fn msprof(base: &Base, records: &[OpRecord], ops: &[OpInfo]) -> PathBuf {
    let anchor = scenario::settings().anchor;
    let mut writer = MsprofTraceWriter::new(Vec::new(), anchor, Process::current());
    writer.write(records, by_id(ops)).unwrap();
    put(base, "msprof_1.json", &writer.finish().unwrap())
}

fn summary(base: &Base, records: &[OpRecord], ops: &[OpInfo]) -> PathBuf {
    let anchor = scenario::settings().anchor;
    let mut writer = CsvWriter::new(Vec::new(), Table::OpSummary, anchor);
    writer.write(records, by_id(ops)).unwrap();
    put(base, "op_summary.csv", &writer.finish().unwrap())
}

fn put(base: &Base, name: &str, bytes: &[u8]) -> PathBuf {
    fs::create_dir_all(&base.0).unwrap();
    let path = base.0.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [64, 65, 66, 254, 255, 274, 275, 276, 10_000]
        .map(|bytes| vec![b'x'; bytes])
        .to_vec();
    for straddled in [65, 275] {
        names.push(format!("{}算子", "x".repeat(straddled - 1)).into_bytes());
    }
    let twin = |last: &str| format!("{}{last}", "y".repeat(300)).into_bytes();
    names.extend([twin("1"), twin("2"), "🚀".into(), b"bad\xffbyte".to_vec()]);
    names.extend([b"\"", b"\\", b"\n", b"\x01", b"\0", b",", b";"].map(|name| name.to_vec()));
    names
}

/// The name as the format can tell it.
fn told(name: &[u8], names: Names) -> Vec<u8> {
    let text = String::from_utf8_lossy(name);
    match names {
        Names::Bytes => name.to_owned(),
        Names::Letters => text.into_owned().into_bytes(),
        Names::Spelled => {
            let spell = |letter: char| match letter {
                letter if letter.is_control() => format!("\\x{:02x}", u32::from(letter)),
                letter => letter.to_string(),
            };
            text.chars().map(spell).collect::<String>().into_bytes()
        }
    }
}

#[test]
fn p8_every_name_comes_back_from_every_format() {
    let names = names();
    let ops: Vec<OpInfo> = names.iter().map(|name| support::op(name, name)).collect();
    let records: Vec<OpRecord> = (1..)
        .zip(&ops)
        .map(|(id, _)| {
            let start_ns = scenario::START_NS + u64::from(id) * 1_000;
            support::timed(id, start_ns, start_ns + 500)
        })
        .collect();
    for format in &FORMATS {
        let base = Base::new(&format!("cases-names-{}", format.name));
        let profile = profile(&(format.write)(&base, &records, &ops));
        assert_eq!(profile.damages, [], "{}", format.name);
        let found = profile.records.iter().map(|record| {
            let name = &profile.op(record.op_id).unwrap().name;
            name.as_bytes().to_owned()
        });
        let expected = names.iter().map(|name| told(name, format.names));
        assert!(found.eq(expected), "{}", format.name);
    }
}

#[test]
fn p9_no_time_becomes_a_giant_in_any_format() {
    let times = [
        (0, 0),
        (5, 0),
        (10, 4),
        (7, 7),
        (1 << 63, (1 << 63) + 5),
        (u64::MAX, 0),
        (scenario::START_NS + 9_000, scenario::START_NS + 9_100),
        (scenario::START_NS + 8_000, scenario::START_NS + 8_100),
    ];
    let op = [support::op(b"conv1", b"Conv")];
    let records = times.map(|(start_ns, end_ns)| support::timed(1, start_ns, end_ns));
    for format in &FORMATS {
        let base = Base::new(&format!("cases-times-{}", format.name));
        let profile = profile(&(format.write)(&base, &records, &op));
        let durations: Vec<u64> = profile
            .records
            .iter()
            .filter_map(OpRecord::duration_ns)
            .collect();
        let is_told = |duration| durations.contains(&duration);
        assert!(is_told(0) && is_told(100), "{}: {durations:?}", format.name);
        assert!(
            durations
                .iter()
                .all(|took_ns| [0, 5, 100].contains(took_ns))
        );
        let raw = |record: &OpRecord| (record.start_ns, record.end_ns);
        let impossible = profile
            .records
            .iter()
            .filter(|record| record.duration_ns().is_none());
        let mut impossible: Vec<_> = impossible.map(raw).collect();
        impossible.retain(|times| *times != (0, 0));
        impossible.sort_unstable();
        let expected: &[(u64, u64)] = match format.keeps_impossible {
            true => &[(5, 0), (10, 4), (u64::MAX, 0)],
            false => &[],
        };
        assert_eq!(impossible, expected, "{}", format.name);
    }
}
