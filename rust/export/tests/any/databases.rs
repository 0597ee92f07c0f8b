//! Databases: what was written comes back, every schema is read, and no file is changed.

use std::fs;
use std::path::{Path, PathBuf};

use optap_export::{DatabaseWriter, Process, Profile};
use optap_record::{Kind, OpInfo, OpRecord};
use proptest::prelude::*;
use rusqlite::Connection;

use crate::base::Base;
use crate::{error, profile, scenario, told};

/// The tables of schema 1.0, with the columns of that time.
const SCHEMA_1_0: &str = "
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO STRING_IDS VALUES (1, 'conv1'), (2, 'Conv'), (3, 'AI_CORE'), (4, 'KERNEL_AICORE'),
    (5, 'EVENT_WAIT'), (6, 'prefill'), (7, 'serving');
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER,
    globalTaskId INTEGER, globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER,
    taskId INTEGER, modelId INTEGER, depth integer);
INSERT INTO TASK VALUES (1000, 1500, 1, 3, 0, 42, 4, 4294967295, 2, 9, 4294967295, 0),
    (1600, 1700, 1, 4, 1, 42, 5, 4294967295, 2, 10, 4294967295, 0),
    (2000, 2100, 1, 5, 2, 42, 4, 4294967295, 2, 11, 6, 0);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER,
    taskType INTEGER, opType INTEGER, waitNs INTEGER);
INSERT INTO COMPUTE_TASK_INFO VALUES (1, 0, 24, 3, 2, 0), (99, 2, 24, 3, 2, 0);
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER,
    connectionId INTEGER PRIMARY KEY, name INTEGER);
INSERT INTO CANN_API VALUES (900, 950, 10000, 180388626449, 3, 1), (890, 990, 15000, 180388626449, 9, 1);
CREATE TABLE MSTX_EVENTS (startNs INTEGER, endNs INTEGER, eventType INTEGER, rangeId INTEGER,
    message INTEGER, globalTid INTEGER, domainId INTEGER);
INSERT INTO MSTX_EVENTS VALUES (800, 2200, 2, 4294967295, 6, 180388626449, 7), (850, 850, 0, 5, 6, 0, 7);
CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);
INSERT INTO STEP_TIME VALUES (50, 700, 2300);
";

fn put(base: &Base, name: &str, sql: &str) -> PathBuf {
    fs::create_dir_all(&base.0).unwrap();
    let path = base.0.join(name);
    let db = Connection::open(&path).unwrap();
    db.execute_batch(sql).unwrap();
    path
}

fn write(path: &Path, records: &[OpRecord], ops: &[OpInfo]) -> (Profile, u64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let process = Process {
        pid: 42,
        name: String::new(),
        host_name: "box".to_owned(),
    };
    let mut writer = DatabaseWriter::create(path, scenario::settings().anchor, &process).unwrap();
    for records in records.chunks(5) {
        writer
            .write(records, |op_id| ops.get((op_id as usize).checked_sub(1)?))
            .unwrap();
    }
    let skipped = writer.skipped();
    let profile = profile(&writer.finish().unwrap());
    assert_eq!(profile.damages, []);
    (profile, skipped)
}

#[test]
fn the_first_schema_is_read() {
    let base = Base::new("db-first");
    let path = put(&base, "ascend_pytorch_profiler_0.db", SCHEMA_1_0);
    let before = fs::read(&path).unwrap();
    let profile = profile(&base.0);
    let row = |kind, name: &str, type_: &str, start_ns, took_ns| {
        (
            kind,
            name.to_owned(),
            type_.to_owned(),
            start_ns,
            Some(took_ns),
        )
    };
    assert_eq!(
        told(&profile),
        [
            row(Kind::MARK, "prefill", "serving", 850, 0),
            row(Kind::OP, "conv1", "Conv", 1_000, 500),
            row(Kind::OP, "99", "Conv", 2_000, 100),
            row(Kind::RANGE, "prefill", "serving", 800, 1_400),
            row(Kind::STEP, "", "", 700, 1_600),
        ]
    );
    let records = &profile.records;
    let places: Vec<_> = records
        .iter()
        .map(|record| {
            (
                record.thread_id,
                record.run_id,
                record.model_id,
                record.range_id,
            )
        })
        .collect();
    assert_eq!(
        places,
        [
            (0, 0, 0, 5),
            (17, 1, 0, 0),
            (0, 0, 6, 0),
            (17, 0, 0, 0),
            (0, 50, 0, 0)
        ]
    );
    assert_eq!((records[1].device_id, records[1].stream_id), (1, 2));
    assert_eq!((profile.process.pid, profile.damages.len()), (42, 0));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(&base.0).unwrap().count(), 1);
}

#[test]
fn absent_tables_are_no_damage() {
    let base = Base::new("db-absent");
    let path = put(
        &base,
        "any.name",
        "CREATE TABLE TASK (startNs INTEGER, endNs INTEGER)",
    );
    assert_eq!(
        (profile(&path).records.len(), profile(&path).damages.len()),
        (0, 0)
    );
}

#[test]
fn another_database_is_named() {
    let base = Base::new("db-another");
    let path = put(&base, "any.name", "CREATE TABLE TASKS (startNs INTEGER)");
    assert!(error(&path).contains("without the tables of a profile"));
}

#[test]
fn damaged_rows_are_told_by_table_and_number() {
    let base = Base::new("db-rows");
    let sql = format!("{SCHEMA_1_0} UPDATE TASK SET startNs = -5 WHERE globalTaskId = 0;");
    let profile = profile(&put(&base, "msprof_1.db", &sql));
    assert_eq!(profile.records.len(), 4);
    let reasons: Vec<&str> = profile
        .damages
        .iter()
        .map(|damage| damage.reason.as_str())
        .collect();
    assert_eq!(reasons, ["TASK, row 1: no times"]);
}

#[test]
fn a_schema_that_computes_is_not_obeyed() {
    let base = Base::new("db-hostile");
    let endless =
        "CREATE VIEW TASK AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
        SELECT i AS startNs, i AS endNs, 1 AS globalTaskId FROM n;
        CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER AS (startNs + 1));
        INSERT INTO STEP_TIME VALUES (1, 5);";
    let profile = profile(&put(&base, "msprof_1.db", endless));
    assert!(profile.records.is_empty());
    assert_eq!(profile.damages[0].reason, "STEP_TIME, row 1: no times");
}

#[test]
fn a_file_cut_short_gives_what_is_left() {
    let base = Base::new("db-cut");
    let records: Vec<OpRecord> = scenario::runs(2_000).flatten().collect();
    let path = base.0.join("msprof_1.db");
    write(&path, &records, &scenario::ops());
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() * 3 / 4]).unwrap();
    let profile = profile(&path);
    assert!(!profile.damages.is_empty());
    assert!(profile.records.len() <= records.len());
    fs::write(&path, &bytes[..16]).unwrap();
    assert!(error(&path).contains("msprof_1.db: file is not a database"));
}

#[test]
fn a_file_is_whole_or_absent() {
    let base = Base::new("db-whole");
    fs::create_dir_all(&base.0).unwrap();
    let path = base.0.join("msprof_1.db");
    let create = || DatabaseWriter::create(&path, scenario::settings().anchor, &Process::default());
    let mut dropped = create().unwrap();
    dropped
        .write(
            &[OpRecord {
                start_ns: 5,
                end_ns: 6,
                ..OpRecord::default()
            }],
            |_| None,
        )
        .unwrap();
    assert!(
        create()
            .unwrap_err()
            .to_string()
            .contains("msprof_1.db.part")
    );
    drop(dropped);
    assert_eq!(fs::read_dir(&base.0).unwrap().count(), 0);
    create().unwrap().finish().unwrap();
    assert!(create().unwrap_err().to_string().contains("exists"));
}

#[test]
fn a_run_is_a_call_of_the_model_and_the_name_tells_the_second() {
    let base = Base::new("db-runs");
    let records: Vec<OpRecord> = scenario::runs(3).flatten().collect();
    let path = base
        .0
        .join(DatabaseWriter::file_name(scenario::settings().anchor));
    assert!(path.ends_with("msprof_20260101000000.db"));
    let (profile, skipped) = write(&path, &records, &scenario::ops());
    assert_eq!((profile.records.len(), skipped), (records.len(), 0));
    for (found, record) in profile.records.iter().zip(&records) {
        assert_eq!(
            (found.start_ns, found.end_ns),
            (record.start_ns, record.end_ns)
        );
        assert_eq!(
            (
                found.kind,
                found.run_id * u64::from(found.kind != Kind::MARK && found.kind != Kind::RANGE)
            ),
            (
                record.kind,
                if matches!(record.kind, Kind::OP | Kind::STEP) {
                    record.run_id
                } else {
                    0
                }
            )
        );
        assert_eq!(
            (found.model_id, found.device_id),
            (record.model_id, record.device_id)
        );
    }
    let db = Connection::open(&path).unwrap();
    let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM CANN_API WHERE type = 15000"), 3);
    assert_eq!(
        count("SELECT count(*) FROM CANN_API JOIN TASK USING (connectionId)"),
        9
    );
    assert_eq!(
        count("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"),
        1
    );
    assert_eq!(count("PRAGMA user_version"), 0);
    let index = "SELECT count(*) FROM pragma_index_info('TaskIndex') WHERE name IN ('startNs', 'globalTaskId')";
    assert_eq!(count(index), 2);
}

prop_compose! {
    fn any_record()(
        times in any::<[u64; 2]>(), near in any::<bool>(), took_ns in 0..1_u64 << 40, op_id in 0..4_u32,
        short in any::<[u32; 4]>(), run_id in 0..9_u64,
        kind in prop_oneof![Just(Kind::OP), Just(Kind::RANGE), Just(Kind::MARK), Just(Kind::STEP), Just(Kind(99))],
    ) -> OpRecord {
        let (start_ns, end_ns) = if near {
            let start_ns = scenario::START_NS + times[0] % (1 << 40);
            (start_ns, start_ns + took_ns)
        } else {
            (times[0], times[1])
        };
        OpRecord {
            start_ns, end_ns, kind, op_id, run_id, device_id: short[0] % 3, stream_id: short[1] % 9,
            model_id: short[2] % 3, thread_id: short[3], ..OpRecord::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn what_was_written_comes_back(
        records in prop::collection::vec(any_record(), 0..30),
        texts in prop::collection::vec(any::<String>(), 3),
    ) {
        let base = Base::new("db-back");
        let ops: Vec<OpInfo> = texts.iter().map(|text| scenario::op(text, text)).collect();
        let (profile, skipped) = write(&base.0.join("msprof_1.db"), &records, &ops);
        prop_assert_eq!(profile.records.len() + skipped as usize, records.len());
        let tells = |record: &OpRecord, name: Option<String>| {
            let id = if record.kind == Kind::STEP { record.run_id } else { 0 };
            let place = if record.kind == Kind::OP {
                (record.device_id, record.stream_id, record.model_id)
            } else {
                (0, 0, 0)
            };
            (record.end_ns, record.start_ns, record.kind, name, id, place)
        };
        let mut expected: Vec<_> = records
            .iter()
            .filter(|record| {
                let wall = |ns| i64::try_from(scenario::settings().anchor.wall_ns(ns)).ok();
                let times = (wall(record.start_ns), wall(record.end_ns));
                let is_told = matches!(times, (Some(start), Some(end)) if start <= end);
                is_told && record.duration_ns().is_some() && record.kind != Kind(99)
            })
            .map(|record| {
                let name = ops.get((record.op_id as usize).wrapping_sub(1)).map(|op| op.name.to_string());
                let or_kind = || format!("{} {}", record.kind.name(), record.op_id);
                let name = (record.kind != Kind::STEP).then(|| name.unwrap_or_else(or_kind));
                tells(record, name)
            })
            .collect();
        let mut found: Vec<_> = profile
            .records
            .iter()
            .map(|record| tells(record, profile.op(record.op_id).map(|op| op.name.to_string())))
            .collect();
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn no_byte_crashes_the_reader(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let base = Base::new("db-bytes");
        let path = put(&base, "msprof_1.db", SCHEMA_1_0);
        let mut bytes = fs::read(&path).unwrap();
        for (place, byte) in places {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        bytes[..16].copy_from_slice(b"SQLite format 3\0");
        fs::write(&path, &bytes).unwrap();
        if let Ok(profile) = optap_export::read(&path, &optap_record::NameTable::new()) {
            prop_assert!(profile.records.len() as u64 <= bytes.len() as u64);
        }
        prop_assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}
