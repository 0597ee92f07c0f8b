//! Traces: what was written comes back, those of others are read, damage costs one event.

use std::fs;
use std::path::PathBuf;

use optap_export::{ChromeWriter, MsprofTraceWriter, Process};
use optap_record::{Flags, Kind, OpInfo, OpRecord};
use proptest::prelude::*;

use crate::base::Base;
use crate::{error, profile, scenario, told};

/// A trace as `msprof` and frameworks write it: times are texts, durations numbers.
const OTHERS: &str = r#"[{"name":"process_name","pid":3170820512,"tid":0,"args":{"name":"Ascend Hardware"},"ph":"M"},
{"ph":"X","name":"aten::add","pid":7,"tid":7,"ts":"1736408883688177.930","dur":145.57,"cat":"cpu_op","args":{"Sequence number":-1}},
{"name":"EVENT","pid":3170820513,"tid":0,"ts":"1736408883674584.732","dur":0.02,"args":{"Task Type":"PLACE_HOLDER_SQE","connection_id":1},"ph":"X"},
{"name":"Add_2","pid":3170820513,"tid":2,"ts":"1736408883704801.156","dur":6.54,"args":{"Model Id":4294967295,"Task Type":"AI_VECTOR_CORE","connection_id":937},"ph":"X"},
{"name":"Node@launch","pid":3170820320,"tid":42,"ts":"1736408883694795.840","dur":31.84,"args":{"Thread Id":42,"level":"node","connection_id":937},"ph":"X"},
{"name":"say \"hi\"","pid":6,"tid":42,"ts":"1736408883694000.000","dur":1e1,"args":{"event_type":"start/end","domain":"d"},"ph":"X"},
{"name":"ProfilerStep#50","ph":"X","pid":7,"tid":7,"ts":1736408883690000,"dur":20000,"cat":"cpu_op","args":{}},
{"name":"HostToDevice936","ph":"s","cat":"HostToDevice","id":"936","pid":3170820320,"tid":42,"ts":"1736408883694795.840"}]"#;

fn put(base: &Base, text: &[u8]) -> PathBuf {
    fs::create_dir_all(&base.0).unwrap();
    let path = base.0.join("trace_view.json");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn traces_of_others_are_read() {
    let base = Base::new("traces-others");
    let bare = profile(&put(&base, OTHERS.as_bytes()));
    let row = |kind, name: &str, type_: &str, start_ns, took_ns| {
        (
            kind,
            name.to_owned(),
            type_.to_owned(),
            start_ns,
            Some(took_ns),
        )
    };
    let expected = [
        row(
            Kind::RANGE,
            "say \"hi\"",
            "d",
            1_736_408_883_694_000_000,
            10_000,
        ),
        row(Kind::OP, "Add_2", "", 1_736_408_883_704_801_156, 6_540),
        row(Kind::STEP, "", "", 1_736_408_883_690_000_000, 20_000_000),
    ];
    assert_eq!(told(&bare), expected);
    let op = bare.records[1];
    assert_eq!(
        (op.thread_id, op.device_id, op.stream_id, op.model_id),
        (42, 1, 2, 0)
    );
    assert_eq!((bare.records[2].run_id, bare.damages.len()), (50, 0));
    let object = format!(r#"{{"schemaVersion":1,"traceEvents":{OTHERS},"x":{{}}}}"#);
    assert_eq!(told(&profile(&put(&base, object.as_bytes()))), expected);
    assert_eq!(told(&profile(&base.0)), expected);
}

#[test]
fn the_layout_of_msprof_comes_back() {
    let base = Base::new("traces-msprof");
    let (ops, anchor) = (scenario::ops(), scenario::settings().anchor);
    let mut records: Vec<OpRecord> = scenario::runs(900).flatten().collect();
    let process = Process {
        pid: 4_194_304,
        name: "app".to_owned(),
        host_name: String::new(),
    };
    let mut writer = MsprofTraceWriter::new(Vec::new(), anchor, process);
    for records in records.chunks(50) {
        let names = |op_id: u32| ops.get((op_id as usize).checked_sub(1)?);
        writer.write(records, names).unwrap();
        writer.flush().unwrap();
    }
    assert_eq!(writer.skipped(), 0);
    let text = writer.finish().unwrap();
    let events: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
    let count =
        |member: &str, value: &str| events.iter().filter(|event| event[member] == value).count();
    assert_eq!((count("ph", "s"), count("ph", "f")), (2_700, 2_700));
    assert_eq!(count("name", "Model@ModelExecute"), 900);
    assert_eq!(
        (count("name", "process_name"), count("name", "thread_name")),
        (3, 4)
    );
    let profile = profile(&put(&base, &text));
    assert_eq!(profile.damages, []);
    records.sort_by_key(|record| (record.end_ns, record.start_ns));
    for (found, record) in profile.records.iter().zip(&records) {
        let wall = [record.start_ns, record.end_ns].map(|ns| anchor.wall_ns(ns));
        assert_eq!(
            (found.kind, found.start_ns, found.end_ns),
            (record.kind, wall[0], wall[1])
        );
        assert_eq!(
            (found.device_id, found.model_id),
            (record.device_id, record.model_id)
        );
        let is_step = record.kind == Kind::STEP;
        assert_eq!(found.thread_id, if is_step { 0 } else { record.thread_id });
        let name = profile.op(found.op_id).map(|op| op.name.to_string());
        let own = (record.op_id as usize)
            .checked_sub(1)
            .map(|at| ops[at].name.to_string());
        assert_eq!(name, own);
    }
    assert_eq!(profile.records.len(), records.len());
}

#[test]
fn a_trace_in_the_layout_of_msprof_may_be_empty() {
    let anchor = scenario::settings().anchor;
    let writer = MsprofTraceWriter::new(Vec::new(), anchor, Process::default());
    let events: Vec<serde_json::Value> = serde_json::from_slice(&writer.finish().unwrap()).unwrap();
    assert!(events.is_empty());
}

#[test]
fn what_tells_nothing_is_named() {
    let base = Base::new("traces-none");
    assert!(error(&put(&base, b"{\"a\":[1,2]}")).contains("without traceEvents"));
    let other = profile(&put(
        &base,
        br#"[{"ph":"X","name":"x","ts":1,"dur":1,"pid":1,"tid":1}]"#,
    ));
    assert_eq!(
        other.damages[0].reason,
        "none of 1 events is an operator, range, mark or step"
    );
    assert_eq!(profile(&put(&base, b"[]")).damages, []);
}

#[test]
fn damage_costs_the_events_it_touches() {
    let base = Base::new("traces-damage");
    let records: Vec<OpRecord> = scenario::runs(3).flatten().collect();
    let text = String::from_utf8(trace(&records, &scenario::ops())).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let hit = lines
        .iter()
        .position(|line| line.contains("relu1"))
        .unwrap();
    for (bad, reason) in [
        (
            lines[hit].replacen("\"name\"", "\"name", 1),
            "an event cut short",
        ),
        (
            lines[hit].replacen("\"ts\":", "\"ts\":-", 1),
            "no readable ts",
        ),
        (
            lines[hit].replacen("\"ph\":\"X\"", "\"ph\":X", 1),
            "no event",
        ),
    ] {
        let mut damaged = lines.clone();
        damaged[hit] = &bad;
        let text = damaged.join("\n");
        let profile = profile(&put(&base, text.as_bytes()));
        assert_eq!(profile.records.len(), records.len() - 1, "{reason}");
        let [damage] = &profile.damages[..] else {
            panic!("{:?}", profile.damages);
        };
        assert_eq!(damage.reason, reason);
        assert!(text[damage.offset_bytes as usize..].starts_with(&bad[..20]));
    }
    let cut = &text[..text.len() - 30];
    let profile = profile(&put(&base, cut.as_bytes()));
    assert_eq!(
        (profile.records.len(), profile.damages.len()),
        (records.len() - 1, 1)
    );
}

fn trace(records: &[OpRecord], ops: &[OpInfo]) -> Vec<u8> {
    let mut writer = ChromeWriter::new(Vec::new());
    let names = |op_id: u32| ops.get((op_id as usize).checked_sub(1)?);
    records
        .chunks(5)
        .for_each(|records| writer.write(records, names).unwrap());
    writer.finish().unwrap()
}

prop_compose! {
    fn any_record()(
        times in any::<[u64; 2]>(), run_id in any::<u64>(), short in any::<[u32; 5]>(), op_id in 0..4_u32,
        took_ns in 0..1_u64 << 40, is_long: bool,
        kind in prop_oneof![Just(Kind::OP), Just(Kind::RANGE), Just(Kind::STEP)],
    ) -> OpRecord {
        let mut record = OpRecord {
            start_ns: times[0], end_ns: if is_long { times[1] } else { times[0].saturating_add(took_ns) },
            run_id, op_id, kind, device_id: short[0] % 9, stream_id: short[1] % 9, model_id: short[2] % 9,
            thread_id: short[3] % 99, range_id: short[4] % 9, flags: Flags::FUSED, ..OpRecord::default()
        };
        record.flag_times();
        record
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_was_written_comes_back(
        mut records in prop::collection::vec(any_record(), 1..30),
        texts in prop::collection::vec((any::<String>(), any::<String>()), 3),
    ) {
        let base = Base::new("traces-back");
        let ops: Vec<OpInfo> = texts.iter().map(|(name, type_)| scenario::op(name, type_)).collect();
        let profile = profile(&put(&base, &trace(&records, &ops)));
        prop_assert_eq!(&profile.damages, &[]);
        records.retain(|record| record.start_ns != 0 || record.end_ns != 0);
        records.sort_by_key(|record| (record.end_ns, record.start_ns));
        let plain = |record: &OpRecord| OpRecord { sequence: 0, op_id: 0, ..*record };
        let found: Vec<OpRecord> = profile.records.iter().map(plain).collect();
        prop_assert_eq!(found, records.iter().map(plain).collect::<Vec<_>>());
        for (found, record) in profile.records.iter().zip(&records) {
            let names = ops.get((record.op_id as usize).wrapping_sub(1)).map(|op| (&op.name, &op.type_, &op.kernel));
            let found = profile.op(found.op_id).map(|op| (&op.name, &op.type_, &op.kernel));
            prop_assert_eq!(found, names);
        }
    }
}
