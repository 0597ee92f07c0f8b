//! Several subscribers on one line.

mod support;

use std::thread;

use optap_profiler::{Filter, Overflow, Pattern, Profiler, Received, Recorder, Script, Target};
use optap_record::{Flags, NameTable, OpInfo, OpTable};
use support::{Model, assert_conserved, gaps, open, open_filtered, read_to_end, records, script};

fn named(names: &[&str]) -> (optap_profiler::Names, Vec<u32>) {
    let table = NameTable::global();
    let name = |text: &str| table.intern(text.as_bytes()).unwrap();
    let info = |text: &&str| OpInfo {
        name: name(text),
        type_: name(&text[..1]),
        kernel: name("k"),
        flags: Flags::NONE,
        sources: Box::default(),
    };
    let lease = OpTable::global().register(names.iter().map(info).collect());
    let ids = lease.ids().collect();
    (Profiler::global().add_names(lease), ids)
}

#[test]
fn recording_starts_when_the_subscription_opens() {
    let model = Model::new();
    let early = open(model.target(), Overflow::DropOldest, 65_536);
    model.emit(10);
    let late = open(model.target(), Overflow::DropOldest, 65_536);
    model.emit(5);
    early.finish();
    late.finish();
    assert_eq!(records(&read_to_end(&early)).len(), 15);
    assert_eq!(records(&read_to_end(&late)).len(), 5);
}

#[test]
fn a_subscriber_hears_its_targets_only() {
    let (one, other) = (Model::on_device(3), Model::on_device(4));
    let of_one = open(one.target(), Overflow::DropOldest, 65_536);
    let of_device = open(Target::Device(3), Overflow::DropOldest, 65_536);
    let later = Model::on_device(3);
    one.emit(10);
    other.emit(20);
    later.emit(30);
    of_one.finish();
    of_device.finish();
    assert_eq!(records(&read_to_end(&of_one)).len(), 10);
    assert_eq!(records(&read_to_end(&of_device)).len(), 40);
}

#[test]
fn nothing_is_recorded_while_nobody_listens() {
    let model = Model::new();
    assert!(!model.tap.is_on());
    let subscription = open(model.target(), Overflow::DropOldest, 10);
    assert!(model.tap.is_on());
    drop(subscription);
    assert!(!model.tap.is_on());
    model.emit(10);
}

#[test]
fn a_filter_counts_what_it_refuses_outside_the_account() {
    let model = Model::new();
    let (names, op_ids) = named(&["add_1", "mul_1", "add_2"]);
    let filter = Filter::Name(vec![Pattern::new(b"add*")]);
    let subscription = open_filtered(model.target(), filter);
    model.play(&Script {
        op_ids: op_ids.clone(),
        ..script(300)
    });
    subscription.finish();
    let slices = read_to_end(&subscription);
    let read = records(&slices);
    assert_eq!(read.len(), 200);
    assert!(read.iter().all(|record| record.op_id != op_ids[1]));
    assert_eq!(
        slices[0].block.info(op_ids[2]).unwrap().name.as_bytes(),
        b"add_2"
    );
    let account = subscription.statistics().counters;
    assert_eq!((account.produced, account.filtered), (200, 100));
    drop(names);
}

#[test]
fn names_outlive_the_model_for_records_on_their_way() {
    let model = Model::new();
    let (names, op_ids) = named(&["late"]);
    let subscription = open(model.target(), Overflow::DropOldest, 100);
    model.play(&Script {
        op_ids: op_ids.clone(),
        ..script(3)
    });
    drop(names);
    subscription.finish();
    let slices = read_to_end(&subscription);
    assert_eq!(
        slices[0].block.info(op_ids[0]).unwrap().name.as_bytes(),
        b"late"
    );
}

#[test]
fn a_plan_without_ops_takes_no_names_away() {
    let model = Model::new();
    let empty = named(&[]).0;
    let (names, op_ids) = named(&["kept"]);
    let between = named(&[]).0;
    drop((empty, between));
    let subscription = open(model.target(), Overflow::DropOldest, 100);
    model.play(&Script {
        op_ids: op_ids.clone(),
        ..script(1)
    });
    subscription.finish();
    let slices = read_to_end(&subscription);
    assert_eq!(
        slices[0].block.info(op_ids[0]).unwrap().name.as_bytes(),
        b"kept"
    );
    drop(names);
}

#[test]
fn scripted_gaps_and_times_arrive_as_told() {
    let model = Model::new();
    let subscription = open(model.target(), Overflow::DropOldest, 100);
    model.play(&Script {
        gaps: [(2, 7)].into(),
        times_ns: vec![(10, 30), (5, 0)],
        first_sequence: 100,
        ..script(4)
    });
    subscription.finish();
    let slices = read_to_end(&subscription);
    let read = records(&slices);
    assert_eq!(
        read.iter()
            .map(|record| record.sequence)
            .collect::<Vec<_>>(),
        [100, 101, 109, 110]
    );
    assert_eq!(
        read.iter()
            .map(|record| record.duration_ns())
            .collect::<Vec<_>>(),
        [Some(20), None, Some(20), None]
    );
    assert_eq!(gaps(&slices), 7);
    assert_eq!(assert_conserved(&subscription), 11);
}

#[test]
fn a_stream_that_moves_between_threads_stays_in_order() {
    let model = Model::new();
    let subscription = open(model.target(), Overflow::DropOldest, 1 << 20);
    thread::scope(|scope| {
        let reader = scope.spawn(|| records(&read_to_end(&subscription)));
        for _ in 0..200 {
            thread::scope(|inner| {
                inner.spawn(|| {
                    let mut recorder = Recorder::new(
                        Profiler::global(),
                        &model.tap,
                        &model.trail,
                        &model.free,
                        1,
                        1,
                    );
                    (0..100).for_each(|_| {
                        recorder.before();
                        recorder.after(0, Flags::NONE);
                    });
                });
            });
        }
        subscription.finish();
        let read = reader.join().unwrap();
        assert_eq!(read.len(), 20_000);
        assert!(
            read.iter()
                .enumerate()
                .all(|(index, record)| record.sequence == index as u64)
        );
        assert!(
            read.windows(2)
                .all(|pair| pair[0].end_ns <= pair[1].end_ns && pair[0].start_ns <= pair[0].end_ns)
        );
    });
}

#[test]
fn an_armed_reader_is_rung_and_an_unarmed_one_is_not() {
    let model = Model::new();
    let subscription = open(model.target(), Overflow::DropOldest, 1000);
    model.emit(10);
    while subscription.statistics().in_flight < 10 {}
    assert_eq!(subscription.statistics().wakes, 0);
    assert!(subscription.arm(10), "what lies here already needs no ring");
    while matches!(subscription.receive(usize::MAX), Received::Slice(_)) {}
    assert!(!subscription.arm(1));
    model.emit(1);
    let mut poll = libc::pollfd {
        fd: subscription.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: `poll` is one valid pollfd.
    assert_eq!(unsafe { libc::poll(&mut poll, 1, 10_000) }, 1);
    subscription.disarm();
    // SAFETY: `poll` is one valid pollfd.
    assert_eq!(unsafe { libc::poll(&mut poll, 1, 0) }, 0);
}
