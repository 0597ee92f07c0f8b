//! Every op is delivered, counted as lost, or still on its way.

mod support;

use std::thread;
use std::time::Duration;

use optap_profiler::{Overflow, Received};
use support::{Model, assert_conserved, gaps, open, read_ops_to_end, read_to_end, records};

const MANY: u64 = 200_000;

#[test]
fn the_account_balances_at_any_moment_under_every_policy() {
    for overflow in Overflow::ALL {
        let model = Model::new();
        let subscription = open(model.target(), overflow, 1000);
        thread::scope(|scope| {
            let producer = scope.spawn(|| model.emit(MANY));
            while !producer.is_finished() {
                assert_conserved(&subscription);
                subscription.receive(100);
            }
        });
        subscription.finish();
        read_to_end(&subscription);
        assert_eq!(assert_conserved(&subscription), MANY, "{overflow:?}");
        assert_eq!(subscription.statistics().in_flight, 0);
    }
}

#[test]
fn gaps_in_the_stream_add_up_to_what_was_dropped() {
    for overflow in [Overflow::DropOldest, Overflow::DropNewest, Overflow::Latest] {
        let model = Model::new();
        let subscription = open(model.target(), overflow, 1000);
        let slices = thread::scope(|scope| {
            let reader = scope.spawn(|| read_to_end(&subscription));
            model.emit(MANY);
            subscription.finish();
            reader.join().unwrap()
        });
        let dropped = subscription.statistics().counters.dropped_total();
        assert_eq!(gaps(&slices), dropped, "{overflow:?}");
        let mut expected = 0;
        for slice in slices.iter().filter(|slice| !slice.is_empty()) {
            expected += slice.gap;
            assert_eq!(
                slice.records()[0].sequence,
                expected,
                "{overflow:?}: the gap tells how many are missing"
            );
            expected += slice.len() as u64;
        }
    }
}

#[test]
fn a_reader_op_by_op_sees_every_gap_where_it_is() {
    for (overflow, capacity) in [
        (Overflow::DropOldest, 1000),
        (Overflow::DropOldest, 7),
        (Overflow::Latest, 1),
        (Overflow::DropNewest, 100),
    ] {
        let model = Model::new();
        let subscription = open(model.target(), overflow, capacity);
        let ops = thread::scope(|scope| {
            let reader = scope.spawn(|| read_ops_to_end(&subscription));
            let watch = scope
                .spawn(|| (0..200).for_each(|_| assert!(assert_conserved(&subscription) <= MANY)));
            model.emit(MANY);
            watch.join().unwrap();
            subscription.finish();
            reader.join().unwrap()
        });
        let mut expected = 0;
        for (sequence, gap) in &ops {
            assert_eq!(*sequence, expected + gap, "{overflow:?}");
            expected = sequence + 1;
        }
        let account = subscription.statistics().counters;
        assert_eq!(
            (account.delivered, account.produced),
            (ops.len() as u64, MANY)
        );
        assert_eq!(account.delivered + account.dropped_total(), MANY);
    }
}

#[test]
fn a_held_run_goes_on_when_a_reader_takes_op_by_op() {
    let model = Model::new();
    let subscription = open(model.target(), Overflow::Block, 10);
    let ops = thread::scope(|scope| {
        let reader = scope.spawn(|| read_ops_to_end(&subscription));
        model.emit(2000);
        subscription.finish();
        reader.join().unwrap()
    });
    assert!(
        ops.iter()
            .enumerate()
            .all(|(index, op)| *op == (index as u64, 0))
    );
    assert_eq!(ops.len(), 2000);
}

#[test]
fn drop_oldest_and_latest_end_with_the_newest_op() {
    for (overflow, kept) in [(Overflow::DropOldest, 1000), (Overflow::Latest, 1)] {
        let model = Model::new();
        let subscription = open(model.target(), overflow, 1000);
        model.emit(MANY);
        subscription.finish();
        let read = records(&read_to_end(&subscription));
        assert_eq!(read.len(), kept);
        assert_eq!(read.last().unwrap().sequence, MANY - 1);
    }
}

#[test]
fn drop_newest_keeps_the_first_ops_and_tells_the_gap_at_the_end() {
    let model = Model::new();
    let subscription = open(model.target(), Overflow::DropNewest, 1000);
    model.emit(5000);
    subscription.finish();
    let slices = read_to_end(&subscription);
    assert_eq!(records(&slices).last().unwrap().sequence, 999);
    let last = slices.last().unwrap();
    assert_eq!((last.len(), last.gap), (0, 4000));
}

#[test]
fn block_loses_nothing_and_tells_how_long_it_held() {
    let model = Model::new();
    let subscription = open(model.target(), Overflow::Block, 100);
    let read = thread::scope(|scope| {
        let producer = scope.spawn(|| model.emit(20_000));
        let mut read = Vec::new();
        while read.len() < 20_000 {
            assert!(
                subscription.statistics().in_flight <= 100,
                "the queue outgrew its capacity"
            );
            match subscription.receive(50) {
                Received::Slice(slice) => read.extend_from_slice(slice.records()),
                _ => thread::sleep(Duration::from_micros(50)),
            }
        }
        producer.join().unwrap();
        read
    });
    assert!(
        read.iter()
            .enumerate()
            .all(|(index, record)| record.sequence == index as u64)
    );
    assert!(subscription.statistics().held_ns > 0);
    assert_eq!(subscription.statistics().counters.dropped_total(), 0);
}

#[test]
fn closing_releases_a_held_run_and_counts_the_rest() {
    let model = Model::new();
    let subscription = open(model.target(), Overflow::Block, 10);
    thread::scope(|scope| {
        let producer = scope.spawn(|| model.emit(1000));
        while subscription.statistics().in_flight < 10 {
            thread::yield_now();
        }
        subscription.close();
        assert_eq!(producer.join().unwrap(), 1000);
    });
    let account = subscription.statistics();
    assert_eq!(account.in_flight, 0);
    assert_conserved(&subscription);
    assert!(
        matches!(subscription.receive(1), Received::Slice(slice) if slice.is_empty() && slice.gap == account.counters.dropped_total())
    );
    assert!(matches!(subscription.receive(1), Received::End));
}

#[test]
fn a_block_subscription_that_nobody_reads_lets_go() {
    let model = Model::new();
    let subscription = open(model.target(), Overflow::Block, 10);
    assert_eq!(model.emit(1000), 1000);
    let account = subscription.statistics();
    assert_eq!(account.in_flight, 10);
    assert_eq!(
        account.counters.dropped[optap_profiler::Reason::Stalled as usize],
        990
    );
}

#[test]
fn cancelling_releases_a_held_run() {
    let model = Model::new();
    let subscription = open(model.target(), Overflow::Block, 10);
    thread::scope(|scope| {
        let producer = scope.spawn(|| model.emit(1000));
        while subscription.statistics().in_flight < 10 {
            thread::yield_now();
        }
        model
            .free
            .cancelled
            .store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(producer.join().unwrap() < 1000);
    });
    assert_conserved(&subscription);
}
