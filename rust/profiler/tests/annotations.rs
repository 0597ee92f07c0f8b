//! Ranges, marks and steps: who gets them, in which order, and how they are accounted for.
//!
//! They belong to the process, so these tests run one after another.

mod support;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use optap_profiler::{
    Filter, Kinds, Label, OpenRange, Overflow, Profiler, Settings, Subscription, Target, Times,
    is_recording, mark, range, step,
};
use optap_record::{Flags, Kind, NO_DEVICE, OpRecord, Payload};
use support::{Model, assert_conserved, read_to_end, records, settings};

static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn label(message: &str) -> Arc<Label> {
    Profiler::global()
        .label(message.as_bytes(), b"domain", b"category")
        .unwrap()
}

fn listen(kinds: Kinds) -> Subscription {
    listen_with(kinds, Overflow::DropOldest, 65_536)
}

fn listen_with(kinds: Kinds, overflow: Overflow, capacity: usize) -> Subscription {
    let settings = Settings {
        kinds,
        ..settings(Target::Device(77), overflow, capacity)
    };
    Subscription::open(Profiler::global(), settings).unwrap()
}

fn told(subscription: &Subscription) -> Vec<OpRecord> {
    subscription.finish();
    records(&read_to_end(subscription))
}

#[test]
fn a_range_carries_what_was_said() {
    let _alone = alone();
    let subscription = listen(Kinds::RANGES);
    let (outer_label, inner_label) = (label("outer"), label("inner"));
    let outer = OpenRange::begin(&outer_label, 0, Payload::None);
    let inner = OpenRange::begin(&inner_label, outer.id(), Payload::Int(-1));
    inner.end(&inner_label);
    outer.end(&outer_label);
    subscription.finish();
    let slices = read_to_end(&subscription);
    let [first, second] = records(&slices)[..] else {
        panic!("two ranges")
    };
    assert_eq!([first.kind, second.kind], [Kind::RANGE; 2]);
    assert_eq!((first.parent_id(), second.parent_id()), (outer.id(), 0));
    assert_eq!((first.range_id, second.range_id), (inner.id(), outer.id()));
    assert_eq!(second.sequence, first.sequence + 1);
    assert_eq!(
        (first.payload(), second.payload()),
        (Payload::Int(-1), Payload::None)
    );
    assert!(second.start_ns <= first.start_ns && first.end_ns <= second.end_ns);
    assert_eq!((first.device_id, first.model_id), (NO_DEVICE, 0));
    let info = slices[0].block.info(first.op_id).unwrap();
    assert_eq!(info.name.as_bytes(), b"inner");
    assert_eq!(info.type_.as_bytes(), b"domain");
    assert_eq!(info.kernel.as_bytes(), b"category");
}

#[test]
fn marks_and_steps_keep_their_numbers_and_given_times() {
    let _alone = alone();
    let subscription = listen(Kinds::MARKS | Kinds::STEPS);
    mark(&label("mark"), 7, Payload::Float(0.5), Times::ns(5, 5));
    step(41, Some(3), 7, Times::ns(10, 30));
    step(42, None, 0, Times::ns(30, 40));
    let told = told(&subscription);
    assert_eq!(told.len(), 3);
    assert_eq!((told[0].start_ns, told[0].end_ns), (5, 5));
    assert_eq!(told[0].payload(), Payload::Float(0.5));
    let shown = |at: usize| (told[at].run_id, told[at].device_id, told[at].duration_ns());
    assert_eq!(shown(1), (41, 3, Some(20)));
    assert_eq!(shown(2), (42, NO_DEVICE, Some(10)));
    assert_eq!([told[0].parent_id(), told[1].parent_id()], [7, 7]);
}

#[test]
fn a_kind_that_was_not_chosen_lies_outside_of_the_account() {
    let _alone = alone();
    let model = Model::on_device(77);
    let pair = [Kinds::OPS, Kinds::RANGES, Kinds::ALL].map(listen);
    let label = label("range");
    model.emit(5);
    OpenRange::begin(&label, 0, Payload::None).end(&label);
    mark(&label, 0, Payload::None, Times::now());
    let accounts = pair.each_ref().map(|subscription| {
        assert_conserved(subscription);
        let counters = subscription.statistics().counters;
        (counters.produced, counters.filtered)
    });
    assert_eq!(accounts, [(5, 0), (1, 0), (7, 0)]);
}

#[test]
fn a_filter_counts_annotations_of_the_kinds_that_it_names() {
    let _alone = alone();
    let filter = Filter::All(vec![
        Filter::Kind(vec![Kind::RANGE]),
        Filter::Name(vec![optap_profiler::Pattern::new(b"kept")]),
    ]);
    let settings = Settings {
        kinds: filter.kinds(),
        filter: Some(filter),
        ..settings(Target::Device(77), Overflow::DropOldest, 100)
    };
    let subscription = Subscription::open(Profiler::global(), settings).unwrap();
    let (kept, refused) = (label("kept"), label("refused"));
    for label in [&kept, &refused, &kept] {
        range(label, 0, Payload::None, Times::now());
        mark(label, 0, Payload::None, Times::now());
    }
    Model::on_device(77).emit(4);
    let counters = subscription.statistics().counters;
    assert_eq!((counters.produced, counters.filtered), (2, 1 + 4));
}

#[test]
fn nothing_is_recorded_while_nobody_listens() {
    let _alone = alone();
    let kinds = [Kind::RANGE, Kind::MARK, Kind::STEP];
    assert_eq!(kinds.map(is_recording), [false; 3]);
    let subscription = listen(Kinds::MARKS);
    assert_eq!(kinds.map(is_recording), [false, true, false]);
    subscription.close();
    assert_eq!(kinds.map(is_recording), [false; 3]);
}

#[test]
fn a_subscriber_to_annotations_alone_switches_no_model_on() {
    let _alone = alone();
    let model = Model::on_device(77);
    let _subscription = listen(Kinds::RANGES);
    assert!(!model.tap.is_on());
}

#[test]
fn an_open_range_is_told_at_the_end_and_flagged() {
    let _alone = alone();
    let first = listen(Kinds::RANGES);
    let open_label = label("open");
    let open = OpenRange::begin(&open_label, 0, Payload::Int(9));
    let closed_label = label("closed");
    OpenRange::begin(&closed_label, open.id(), Payload::None).end(&closed_label);
    let second = listen(Kinds::RANGES);
    assert_eq!(Profiler::global().open_range_count(), 1);
    let told_first = told(&first);
    let flags: Vec<_> = told_first
        .iter()
        .map(|record| record.flags.contains(Flags::UNCLOSED))
        .collect();
    assert_eq!(flags, [false, true]);
    assert_eq!(told_first[1].payload(), Payload::Int(9));
    assert!(told_first[1].duration_ns().is_some());
    assert_conserved(&first);
    assert_eq!(told(&second), [], "the second one starts empty");
}

#[test]
fn a_range_that_began_before_is_told_when_it_ends() {
    let _alone = alone();
    let label = label("early");
    let early = OpenRange::begin(&label, 0, Payload::None);
    let subscription = listen(Kinds::RANGES);
    early.end(&label);
    let told = told(&subscription);
    assert_eq!(told.len(), 1);
    assert!(!told[0].flags.contains(Flags::UNCLOSED));
}

#[test]
fn a_range_may_end_on_another_thread() {
    let _alone = alone();
    let subscription = listen(Kinds::RANGES);
    let profiler = Profiler::global();
    for _ in 0..200 {
        let id = profiler.start_range(label("moved"), 0, Payload::None);
        let stopped = thread::spawn(move || [profiler.stop_range(id), profiler.stop_range(id)]);
        assert_eq!(stopped.join().unwrap(), [true, false]);
    }
    let told = told(&subscription);
    let unclosed = |record: &&OpRecord| record.flags.contains(Flags::UNCLOSED);
    assert_eq!((told.len(), told.iter().filter(unclosed).count()), (200, 0));
}

#[test]
fn order_is_kept_and_nothing_is_lost_beyond_the_ring() {
    let _alone = alone();
    const EACH: u64 = 40_000;
    let subscription = listen_with(Kinds::MARKS, Overflow::DropNewest, 1 << 20);
    let label = label("many");
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                (0..EACH).for_each(|_| mark(&label, 0, Payload::None, Times::now()));
            });
        }
    });
    let mut by_thread = std::collections::HashMap::<u32, Vec<u64>>::new();
    for record in told(&subscription) {
        by_thread
            .entry(record.thread_id)
            .or_default()
            .push(record.sequence);
    }
    assert_eq!(by_thread.len(), 3);
    for sequences in by_thread.values() {
        assert_eq!(*sequences, (0..EACH).collect::<Vec<_>>());
    }
}

#[test]
fn annotations_do_not_make_a_block_subscriber_grow() {
    let _alone = alone();
    let subscription = listen_with(Kinds::ALL, Overflow::Block, 10);
    let label = label("many");
    (0..25).for_each(|_| mark(&label, 0, Payload::None, Times::now()));
    let account = subscription.statistics();
    assert_eq!((account.counters.produced, account.in_flight), (25, 10));
    assert_eq!(
        account.counters.dropped[optap_profiler::Reason::Overflow as usize],
        15
    );
}

#[test]
fn messages_made_on_the_way_do_not_add_up() {
    let _alone = alone();
    let subscription = listen(Kinds::MARKS);
    let kept = label("kept");
    for index in 0..10_000 {
        mark(
            &label(&format!("message {index}")),
            0,
            Payload::None,
            Times::now(),
        );
    }
    assert!(Profiler::global().label_count() <= 2_048);
    assert_eq!(label("kept").op_id(), kept.op_id());
    subscription.finish();
    let slices = read_to_end(&subscription);
    let mut names = slices.iter().flat_map(|slice| {
        let name = |record: &OpRecord| {
            slice
                .block
                .info(record.op_id)
                .map(|info| info.name.to_text().into_owned())
        };
        slice.records().iter().map(name).collect::<Vec<_>>()
    });
    assert!((0..10_000).all(|index| names.next().flatten() == Some(format!("message {index}"))));
}
