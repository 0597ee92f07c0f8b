//! The laws of tables: they are those that `msprof` makes, byte for byte.

#[path = "support/scenario.rs"]
mod scenario;
mod support;

use optap_export::{Anchor, ApiStatistic, CsvWriter, NO_DEVICE, OpStatistic, Table};
use optap_record::{Kind, OpInfo, OpRecord};
use support::{op, timed};

fn table(table: Table, records: &[OpRecord], ops: &[OpInfo]) -> (String, u64) {
    let anchor = scenario::settings().anchor;
    let mut writer = CsvWriter::new(Vec::new(), table, anchor).with_pid(26_708);
    let names = |op_id: u32| ops.get((op_id as usize).checked_sub(1)?);
    for records in records.chunks(4) {
        writer.write(records, names).unwrap();
    }
    let skipped = writer.skipped();
    (
        String::from_utf8(writer.finish().unwrap()).unwrap(),
        skipped,
    )
}

fn statistic(records: &[OpRecord], ops: &[OpInfo]) -> String {
    let mut statistic = OpStatistic::default();
    statistic.add(records, |op_id| ops.get((op_id as usize).checked_sub(1)?));
    String::from_utf8(statistic.write_to(Vec::new()).unwrap()).unwrap()
}

#[test]
fn tables_are_those_of_msprof() {
    let (records, ops) = (
        scenario::runs(2).flatten().collect::<Vec<_>>(),
        scenario::ops(),
    );
    let (summary, skipped) = table(Table::OpSummary, &records, &ops);
    assert_eq!(
        (summary.as_str(), skipped),
        (include_str!("golden/msprof/op_summary.csv"), 6)
    );
    let (times, _) = table(Table::TaskTime, &records, &ops);
    assert_eq!(times, include_str!("golden/msprof/task_time.csv"));
    let statistic = statistic(&records, &ops);
    assert_eq!(statistic, include_str!("golden/msprof/op_statistic.csv"));
    let (steps, skipped) = table(Table::StepTrace, &records, &ops);
    assert_eq!(
        (steps.as_str(), skipped),
        (include_str!("golden/msprof/step_trace.csv"), 10)
    );
    let (marks, skipped) = table(Table::MsprofTx, &records, &ops);
    assert_eq!(
        (marks.as_str(), skipped),
        (include_str!("golden/msprof/msprof_tx.csv"), 8)
    );
}

#[test]
fn calls_are_those_of_msprof_and_runs_come_before() {
    let records: Vec<OpRecord> = scenario::runs(2).flatten().collect();
    let mut statistic = ApiStatistic::default();
    statistic.add(&records[..7]);
    statistic.add(&records[7..]);
    let text = String::from_utf8(statistic.write_to(Vec::new()).unwrap()).unwrap();
    let (runs, others): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.contains(",model,"));
    let golden = include_str!("golden/msprof/api_statistic.csv");
    assert_eq!(others, golden.lines().collect::<Vec<_>>());
    assert_eq!(
        runs,
        ["0,model,ModelExecute,160.002,2,80.001,80.001,80.001,0.0"]
    );
}

#[test]
fn a_step_of_no_device_is_the_hosts() {
    let step = OpRecord {
        kind: Kind::STEP,
        run_id: 3,
        device_id: NO_DEVICE,
        ..timed(0, 5_000, 6_000)
    };
    let (text, _) = table(Table::StepTrace, &[step], &[]);
    assert!(text.lines().nth(1).unwrap().starts_with("host,3,N/A"));
}

#[test]
fn devices_are_summed_up_apart() {
    let on = |device_id, took_ns: u64| OpRecord {
        device_id,
        ..timed(1, 1_000, 1_000 + took_ns)
    };
    let records = [on(1, 500), on(0, 300), on(1, 1_500), on(0, 100)];
    let text = statistic(&records, &[op(b"relu1", b"Relu")]);
    let rows: Vec<&str> = text.lines().skip(1).collect();
    let expected = [
        "0,Relu,AI_CPU,2,0.4,0.1,0.2,0.3,100.0",
        "1,Relu,AI_CPU,2,2.0,0.5,1.0,1.5,100.0",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn what_is_no_operator_or_has_no_duration_is_no_row() {
    let mark = OpRecord {
        kind: Kind::MARK,
        ..timed(1, 5, 6)
    };
    let records = [mark, timed(1, 0, 5), timed(1, 9, 5)];
    let (text, skipped) = table(Table::TaskTime, &records, &[]);
    assert_eq!((text.lines().count(), skipped), (1, 3));
    assert_eq!(statistic(&records, &[]).lines().count(), 1);
}

#[test]
fn p8_every_name_is_one_cell() {
    let names = ["", "a,b", "say \"hi\"", "two\nlines", "算子🚀", "="];
    let ops = names.map(|name| op(name.as_bytes(), name.as_bytes()));
    let records: Vec<OpRecord> = (1..).zip(&ops).map(|(id, _)| timed(id, 5, 6)).collect();
    let (text, _) = table(Table::OpSummary, &records, &ops);
    assert_eq!(text.lines().count(), names.len() + 1);
    for (line, name) in text.lines().skip(1).zip(names) {
        let cell = match name {
            "a,b" => "\"a,b\"",
            "say \"hi\"" => "\"say \"\"hi\"\"\"",
            "two\nlines" => "two\\x0alines",
            other => other,
        };
        assert!(line.contains(&format!(",{cell},{cell},dynamic,")), "{line}");
    }
}

#[test]
fn times_before_the_anchor_are_told() {
    let anchor = Anchor {
        monotonic_ns: 9_000,
        unix_ns: 1_000_000,
    };
    let mut writer = CsvWriter::new(Vec::new(), Table::TaskTime, anchor);
    writer.write(&[timed(1, 4_000, 5_500)], |_| None).unwrap();
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert!(text.ends_with(",1.5,995.000\t,996.500\t\n"));
}
