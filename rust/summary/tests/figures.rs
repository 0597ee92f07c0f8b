//! The figures of a summary, against the same figures worked out from all durations.

mod support;

use optap_summary::{By, Histogram, Key, Sum, Summary};
use proptest::prelude::*;
use support::{lease, op};

/// Durations of all magnitudes, small ones as often as great ones.
fn duration_ns() -> impl Strategy<Value = u64> {
    (0..64_u32, any::<u64>()).prop_map(|(shift, bits)| bits >> shift)
}

fn exact(durations_ns: &mut [u64], share: f64) -> f64 {
    durations_ns.sort_unstable();
    let rank = (share * durations_ns.len() as f64).ceil() as usize;
    durations_ns[rank.max(1) - 1] as f64
}

fn sum_of(durations_ns: &[u64]) -> Sum {
    let mut sum = Sum::default();
    durations_ns
        .iter()
        .for_each(|&duration_ns| sum.add(Some(duration_ns)));
    sum
}

proptest! {
    #[test]
    fn a_quantile_is_within_one_percent(
        mut durations_ns in prop::collection::vec(duration_ns(), 1..400),
        share in prop::sample::select(vec![0.0, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0]),
    ) {
        let told = sum_of(&durations_ns).quantile_ns(share);
        let exact = exact(&mut durations_ns, share);
        prop_assert!((told - exact).abs() <= exact * 0.008, "{told} for {exact}");
    }

    #[test]
    fn sums_and_extremes_are_exact(durations_ns in prop::collection::vec(duration_ns(), 1..100)) {
        let sum = sum_of(&durations_ns);
        let total_ns: u128 = durations_ns.iter().copied().map(u128::from).sum();
        prop_assert_eq!(sum.total_ns, total_ns);
        prop_assert_eq!(sum.min_ns(), *durations_ns.iter().min().unwrap());
        prop_assert_eq!(sum.max_ns(), *durations_ns.iter().max().unwrap());
        prop_assert_eq!(sum.timed(), durations_ns.len() as u64);
    }

    #[test]
    fn merging_is_counting_together(
        left in prop::collection::vec(duration_ns(), 0..100),
        right in prop::collection::vec(duration_ns(), 0..100),
    ) {
        let mut merged = sum_of(&left);
        merged.merge(&sum_of(&right));
        let together = sum_of(&[left, right].concat());
        prop_assert_eq!(format!("{merged:?}"), format!("{together:?}"));
    }

    #[test]
    fn no_record_is_lost_under_any_key(
        ops in prop::collection::vec((0..9_u16, 0..40_u32, 0..6_u32, 0..99_u64, 0..99_u64), 0..300),
        by in prop::sample::select(By::ALL.to_vec()),
        max_rows in 1..6_usize,
        cut in 0..300_usize,
    ) {
        let lease = lease(&[("a", "X"), ("b", "X"), ("c", "Y"), ("", ""), ("e", "Z")]);
        let records: Vec<_> = ops.iter().map(|&(kind, id, range_id, start_ns, end_ns)| {
            let mut record = op(lease.first_id() + id, start_ns, end_ns);
            record.kind.0 = kind;
            (record.range_id, record.stream_id, record.run_id) = (range_id, id, start_ns);
            record
        }).collect();
        let mut summary = Summary::new(by, max_rows);
        let (first, second) = records.split_at(cut.min(records.len()));
        summary.add(first, std::slice::from_ref(&lease));
        summary.add(second, std::slice::from_ref(&lease));
        let ops: Vec<_> = records.iter().filter(|record| record.kind.0 == 0).collect();
        let timed = ops.iter().filter_map(|op| op.duration_ns());
        let rows = summary.rows();
        prop_assert_eq!(summary.records(), ops.len() as u64);
        prop_assert_eq!(rows.iter().map(|(_, sum)| sum.count).sum::<u64>(), ops.len() as u64);
        prop_assert_eq!(rows.iter().map(|(_, sum)| sum.total_ns).sum::<u128>(), timed.map(u128::from).sum::<u128>());
        prop_assert!(rows.len() <= max_rows + 3, "{} rows", rows.len());
    }
}

#[test]
fn an_empty_distribution_has_no_quantile() {
    assert_eq!(Histogram::default().quantile(0.5), None);
    assert_eq!(Sum::default().quantile_ns(0.5).to_bits(), 0.0_f64.to_bits());
}

#[test]
fn keys_beyond_the_limit_are_summed_up_together() {
    let mut summary = Summary::new(By::Stream, 2);
    let ops: Vec<_> = (0..5)
        .map(|stream_id| optap_record::OpRecord {
            stream_id,
            ..op(0, 10, 20)
        })
        .collect();
    summary.add(&ops, &[]);
    let others = summary
        .rows()
        .into_iter()
        .find(|(key, _)| *key == Key::Others)
        .unwrap();
    assert_eq!((summary.rows().len(), others.1.count), (3, 3));
}
