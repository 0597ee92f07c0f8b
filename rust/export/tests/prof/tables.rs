//! What msprof shows of a directory.

use std::fs;

use crate::base::Base;
use crate::scenario;

/// The rows of a table that msprof made of the scenario, without the header.
fn golden(table: &str) -> Vec<Vec<String>> {
    let path = format!(
        "{}/tests/golden/msprof/{table}.csv",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = fs::read_to_string(path).unwrap();
    let row = |line: &str| line.split(',').map(|cell| cell.trim().to_owned()).collect();
    text.lines().skip(1).map(row).collect()
}

/// Monotonic ns as the tables show them: wall clock, us.
fn wall_us(ns: u64) -> String {
    let unix_ns = ns - scenario::START_NS + 1_767_225_600_000_000_000;
    format!("{}.{:03}", unix_ns / 1_000, unix_ns % 1_000)
}

#[test]
fn tasks_are_those_that_msprof_shows() {
    let base = Base::new("tasks");
    let rows = scenario(&base).rows(0);
    let (summary, times) = (golden("op_summary"), golden("task_time"));
    assert_eq!((rows.len(), summary.len(), times.len()), (6, 6, 6));
    for ((row, summary), times) in rows.iter().zip(summary).zip(times) {
        let (task, stream) = (row.task.to_string(), row.stream.to_string());
        let model = row.model_id.unwrap().to_string();
        assert_eq!(summary[1..4], [model, task, stream]);
        assert_eq!(summary[4..6], [row.name.clone(), row.type_.clone()]);
        assert_eq!(times[1], row.kernel);
        assert_eq!(times[6..8], [wall_us(row.start_ns), wall_us(row.end_ns)]);
    }
}

#[test]
fn steps_are_those_that_msprof_shows() {
    let base = Base::new("steps");
    let steps = scenario(&base).steps(0);
    let shown = golden("step_trace");
    assert_eq!((steps.len(), shown.len()), (2, 2));
    for ((step, start_ns, end_ns), shown) in steps.into_iter().zip(shown) {
        let us = (end_ns - start_ns) as f64 / 1e3;
        assert_eq!(
            (&shown[1], &shown[4]),
            (&step.to_string(), &wall_us(end_ns))
        );
        assert_eq!(shown[5].parse::<f64>().unwrap(), us);
    }
}

#[test]
fn ranges_and_marks_are_those_that_msprof_shows() {
    let base = Base::new("tx");
    let tx = scenario(&base).tx();
    let shown = golden("msprof_tx");
    assert_eq!((tx.len(), shown.len()), (4, 4));
    for ((message, domain, kind, start_ns, end_ns), shown) in tx.into_iter().zip(shown) {
        let kind = if kind == 2 { "start/end" } else { "marker" };
        assert_eq!(
            (shown[4].as_str(), &shown[10], &shown[11]),
            (kind, &message, &domain)
        );
        assert_eq!(shown[7..9], [wall_us(start_ns), wall_us(end_ns)]);
    }
}
