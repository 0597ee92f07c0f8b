//! Tables: every spelling is read, and what was written comes back.

use std::fs;
use std::path::PathBuf;

use optap_export::{CsvWriter, Table};
use optap_record::{Kind, OpInfo, OpRecord};
use proptest::prelude::*;

use crate::base::Base;
use crate::{error, profile, scenario, told};

const SUMMARY: &str = "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,\
    Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Dim,Input Shapes\n\
    1,4294967295,7,2,conv1,Conv,static,AI_CORE,1767225600000150.125\t,40.5,0,24,\"\"\"16,64;64,32\"\"\"\n\
    1,3,8,2,\"a,b\",Add,dynamic,AI_VECTOR_CORE,1767225600000250.000\t,12,0,24,N/A\n";

const DETAILS: &str = "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Num\r\n\
    50,conv1,Conv,AI_CORE,1767225600000150.125\t,40.5,0,1\r\n";

fn put(base: &Base, name: &str, text: &str) -> PathBuf {
    fs::create_dir_all(&base.0).unwrap();
    let path = base.0.join(name);
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn both_spellings_are_read() {
    let base = Base::new("tables-spellings");
    let conv = |start_ns| {
        (
            Kind::OP,
            "conv1".into(),
            "Conv".into(),
            start_ns,
            Some(40_500),
        )
    };
    let add = (
        Kind::OP,
        "a,b".into(),
        "Add".into(),
        1_767_225_600_000_250_000,
        Some(12_000),
    );
    let summary = profile(&put(&base, "summary.csv", SUMMARY));
    assert_eq!(told(&summary), [conv(1_767_225_600_000_150_125), add]);
    let [first, second] = &summary.records[..] else {
        panic!("two rows");
    };
    assert_eq!(
        (first.device_id, first.stream_id, first.model_id),
        (1, 2, 0)
    );
    assert_eq!((second.model_id, summary.damages.len()), (3, 0));
    let kernel = summary.op(first.op_id).unwrap().kernel.to_string();
    assert_eq!(kernel, "AI_CORE");
    let details = profile(&put(&base, "details.csv", DETAILS));
    assert_eq!(told(&details), [conv(1_767_225_600_000_150_125)]);
}

#[test]
fn slices_of_a_table_are_one() {
    let base = Base::new("tables-slices");
    for name in [
        "op_summary_slice_0_20260101.csv",
        "op_summary_slice_1_20260101.csv",
    ] {
        put(&base, name, SUMMARY);
    }
    put(&base, "op_statistic_20260101.csv", "OP Type,Count\n");
    let profile = profile(&base.0);
    assert_eq!((profile.records.len(), profile.ops.len()), (4, 2));
}

#[test]
fn damaged_rows_are_told_and_passed_over() {
    let base = Base::new("tables-damage");
    let rows = [
        "conv1,Conv,1.0\t,2.0",
        "conv1,Conv",
        "\"conv1,Conv,1.0,2.0",
        "conv1,Conv,N/A,2.0",
    ];
    let text = format!(
        "Name,Type,Start Time(us),Duration(us)\n{}\n",
        rows.join("\n")
    );
    let path = put(&base, "input.csv", &text);
    let profile = profile(&path);
    assert_eq!(profile.records.len(), 1);
    for (damage, row) in profile.damages.iter().zip([rows[1], rows[3]]) {
        assert!(text[damage.offset_bytes as usize..].starts_with(row));
    }
    let reasons: Vec<&str> = profile
        .damages
        .iter()
        .map(|damage| damage.reason.as_str())
        .collect();
    assert_eq!(
        reasons,
        [
            "a row of another width than the header",
            "a row without readable times"
        ]
    );
    assert_eq!(
        profile.damages[0].bytes as usize,
        rows[1].len() + rows[2].len() + 2
    );
}

#[test]
fn a_header_alone_is_an_empty_profile() {
    let base = Base::new("tables-empty");
    let path = put(&base, "input.csv", Table::OpSummary.header());
    assert!(profile(&path).records.is_empty());
    assert!(error(&put(&base, "sums.csv", "OP Type,Count,Total Time(us)\n")).contains("sums"));
}

#[test]
fn marks_and_steps_come_back() {
    let base = Base::new("tables-marks");
    let (ops, anchor) = (scenario::ops(), scenario::settings().anchor);
    let records: Vec<OpRecord> = scenario::runs(3).flatten().collect();
    for (table, kinds) in [
        (Table::MsprofTx, &[Kind::RANGE, Kind::MARK][..]),
        (Table::StepTrace, &[Kind::STEP]),
    ] {
        let mut writer = CsvWriter::new(Vec::new(), table, anchor).with_pid(42);
        writer
            .write(&records, |op_id| ops.get((op_id as usize).checked_sub(1)?))
            .unwrap();
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        let profile = profile(&put(&base, "input.csv", &text));
        let records: Vec<&OpRecord> = records
            .iter()
            .filter(|record| kinds.contains(&record.kind))
            .collect();
        assert_eq!(profile.records.len(), records.len());
        for (found, record) in profile.records.iter().zip(records) {
            assert_eq!(found.kind, record.kind);
            assert_eq!(found.start_ns, anchor.wall_ns(record.start_ns));
            assert_eq!(found.duration_ns(), record.duration_ns());
            let name = profile.op(found.op_id).map(|op| op.name.to_string());
            let own = (record.op_id as usize)
                .checked_sub(1)
                .map(|at| ops[at].name.to_string());
            assert_eq!(name, own);
            let is_step = record.kind == Kind::STEP;
            assert_eq!(found.run_id, if is_step { record.run_id } else { 0 });
        }
        assert_eq!(
            profile.process.pid,
            if table == Table::MsprofTx { 42 } else { 0 }
        );
    }
}

prop_compose! {
    fn any_record()(
        start_ns in 1..1_u64 << 62, took_ns in 0..1_u64 << 40, op_id in 0..4_u32, device_id in 0..3_u32,
        stream_id in 0..9_u32, model_id in 0..3_u32,
    ) -> OpRecord {
        let end_ns = start_ns + took_ns;
        OpRecord { start_ns, end_ns, op_id, device_id, stream_id, model_id, ..OpRecord::default() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn what_was_written_comes_back(
        records in prop::collection::vec(any_record(), 0..30),
        texts in prop::collection::vec("[^\\x00-\\x1f\\x7f-\\x9f]{0,9}", 3),
        table in prop_oneof![Just(Table::OpSummary), Just(Table::TaskTime)],
    ) {
        let base = Base::new(&format!("tables-{table:?}"));
        let ops: Vec<OpInfo> = texts.iter().map(|text| scenario::op(text, text)).collect();
        let names = |op_id: u32| ops.get((op_id as usize).checked_sub(1)?);
        let anchor = scenario::settings().anchor;
        let mut writer = CsvWriter::new(Vec::new(), table, anchor);
        writer.write(&records, names).unwrap();
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        let profile = profile(&put(&base, "input.csv", &text));
        prop_assert_eq!(&profile.damages, &[]);
        prop_assert_eq!(profile.records.len(), records.len());
        let mut sorted = records;
        sorted.sort_by_key(|record| (anchor.wall_ns(record.end_ns), anchor.wall_ns(record.start_ns)));
        for (found, record) in profile.records.iter().zip(&sorted) {
            prop_assert_eq!(found.start_ns, anchor.wall_ns(record.start_ns));
            prop_assert_eq!(found.duration_ns(), record.duration_ns());
            prop_assert_eq!((found.device_id, found.stream_id), (record.device_id, record.stream_id));
            let found = profile.op(found.op_id).unwrap();
            let (name, kernel) = match names(record.op_id) {
                Some(info) => (info.name.to_string(), info.kernel.to_string()),
                None => (format!("op {}", record.op_id), "N/A".to_owned()),
            };
            let expected = if table == Table::OpSummary { name } else { kernel };
            prop_assert_eq!(found.name.to_string(), expected);
        }
    }
}
