//! Which row an operator is counted in.

mod support;

use std::collections::BTreeMap;

use optap_record::{Kind, OpRecord};
use optap_summary::{By, Key, Summary};
use support::{lease, op, text};

const ANY_DEVICE: u32 = u32::MAX;

fn span(kind: Kind, start_ns: u64, end_ns: u64) -> OpRecord {
    OpRecord {
        kind,
        device_id: ANY_DEVICE,
        ..op(0, start_ns, end_ns)
    }
}

fn step(number: u64, start_ns: u64, end_ns: u64) -> OpRecord {
    OpRecord {
        run_id: number,
        ..span(Kind::STEP, start_ns, end_ns)
    }
}

/// Count and number of spans of each row.
fn counts(summary: &Summary) -> BTreeMap<String, (u64, u64)> {
    let rows = summary.rows().into_iter();
    rows.map(|(key, sum)| (text(&key), (sum.count, sum.spans)))
        .collect()
}

fn expect(summary: &Summary, rows: &[(&str, (u64, u64))]) {
    let expected = rows
        .iter()
        .map(|(name, counts)| ((*name).to_owned(), *counts));
    assert_eq!(counts(summary), expected.collect());
}

#[test]
fn equal_types_and_equal_operators_share_a_row_across_plans() {
    let plans = [
        lease(&[("a", "X"), ("b", "X")]),
        lease(&[("a", "X"), ("c", "Y")]),
    ];
    let ids = plans.iter().flat_map(|plan| plan.ids());
    let ops: Vec<_> = ids.map(|id| op(id, 10, 20)).collect();
    for (by, rows) in [
        (By::Type, &[("X", (3, 0)), ("Y", (1, 0))][..]),
        (
            By::Name,
            &[("a:X", (2, 0)), ("b:X", (1, 0)), ("c:Y", (1, 0))],
        ),
    ] {
        let mut summary = Summary::new(by, 100);
        summary.add(&ops, &plans);
        expect(&summary, rows);
    }
}

#[test]
fn ids_that_another_plan_took_over_are_told_apart() {
    let mut summary = Summary::new(By::Type, 100);
    let first = lease(&[("a", "X")]);
    let id = first.first_id();
    summary.add(&[op(id, 10, 20)], std::slice::from_ref(&first));
    drop(first);
    let second = lease(&[("b", "Y")]);
    assert_eq!(second.first_id(), id, "the test wants the same id");
    summary.add(&[op(id, 10, 20)], std::slice::from_ref(&second));
    expect(&summary, &[("X", (1, 0)), ("Y", (1, 0))]);
}

#[test]
fn operators_count_in_the_range_that_is_named_after_them() {
    let labels = lease(&[("prefill", "llm"), ("decode", "llm")]);
    let in_range = |range_id| OpRecord {
        range_id,
        ..op(0, 10, 20)
    };
    let range = |index, range_id| OpRecord {
        op_id: labels.first_id() + index,
        range_id,
        ..span(Kind::RANGE, 10, 20)
    };
    let early = [
        in_range(0),
        in_range(7),
        in_range(8),
        in_range(7),
        in_range(9),
    ];
    let told = [
        range(0, 7),
        range(1, 8),
        range(0, 5),
        in_range(7),
        in_range(8),
    ];
    let rows = [
        ("prefill:llm", (3, 2)),
        ("decode:llm", (2, 1)),
        ("none", (1, 0)),
        ("open", (1, 0)),
    ];
    let (leases, mut live) = (std::slice::from_ref(&labels), Summary::new(By::Range, 100));
    live.add(&early, leases);
    live.add(&told, leases);
    expect(&live, &rows);
    let mut ahead = Summary::new(By::Range, 100);
    ahead.know_spans(&told, leases);
    ahead.add(&early, leases);
    ahead.add(&told, leases);
    expect(&ahead, &rows);
}

#[test]
fn operators_count_in_the_step_they_began_in() {
    let on = |device_id, start_ns| OpRecord {
        device_id,
        ..op(0, start_ns, 1_000)
    };
    let early = [on(0, 5), on(0, 10), on(1, 30), on(0, 99)];
    let told = [
        step(1, 10, 20),
        step(2, 25, 40),
        OpRecord {
            device_id: 3,
            ..step(4, 90, 100)
        },
        on(0, 30),
        on(3, 95),
    ];
    let rows = [
        ("step 1", (1, 1)),
        ("step 2", (2, 1)),
        ("step 4", (1, 1)),
        ("none", (2, 0)),
    ];
    let mut live = Summary::new(By::Step, 100);
    live.add(&early, &[]);
    live.add(&told, &[]);
    expect(&live, &rows);
    let mut ahead = Summary::new(By::Step, 100);
    ahead.know_spans(&told, &[]);
    ahead.add(&early, &[]);
    ahead.add(&told, &[]);
    expect(&ahead, &rows);
}

#[test]
fn an_operator_in_two_steps_counts_in_the_inner_one() {
    let mut summary = Summary::new(By::Step, 100);
    summary.know_spans(&[step(2, 20, 30), step(1, 10, 40)], &[]);
    summary.add(&[op(0, 25, 26), op(0, 35, 36)], &[]);
    expect(&summary, &[("step 1", (1, 1)), ("step 2", (1, 1))]);
}

#[test]
fn the_greatest_ids_are_ids_like_others() {
    let op = OpRecord {
        device_id: u32::MAX,
        stream_id: u32::MAX,
        range_id: u32::MAX,
        op_id: u32::MAX,
        ..op(0, 1, 2)
    };
    for by in By::ALL {
        let mut summary = Summary::new(by, 100);
        summary.add(&[op], &[]);
        assert_eq!(
            summary.rows().iter().map(|(_, sum)| sum.count).sum::<u64>(),
            1,
            "{by:?}"
        );
    }
    assert_eq!(text(&Key::Others), "others");
}
