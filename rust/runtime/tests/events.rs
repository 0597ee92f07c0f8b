//! The laws of events.
#![allow(missing_docs)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use common::{GUARD, SHORT, code, context, gate, runtime};
use optap_runtime::{ErrorCode, Event, EventFlags, EventKind, Status, Task, TaskContext};

const SYNC: EventKind = EventKind::Flags(EventFlags::SYNC);
const TIME_LINE: EventKind = EventKind::Flags(EventFlags::TIME_LINE);
const EXTENDED: EventKind = EventKind::Extended(EventFlags::TIME_LINE);

#[test]
fn a_wait_lasts_until_the_recorded_point() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let (first, second) = (
        context.create_stream().unwrap(),
        context.create_stream().unwrap(),
    );
    let event = context.create_event(EventKind::Default).unwrap();
    let open = gate(&first);
    event.record(&first).unwrap();
    second.wait_event(&event).unwrap();
    let after = second.submit(Task::work(|_| Ok(()))).unwrap();
    assert_eq!(after.wait(SHORT), None);
    assert_eq!(event.query(), Ok(Status::NotReady));
    open.complete(Ok(()));
    assert_eq!(after.wait(GUARD), Some(Ok(())));
    assert_eq!(event.query(), Ok(Status::Complete));
}

#[test]
fn a_thousand_streams_wait_for_each_other_on_one_worker() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let streams: Vec<_> = (0..1_000)
        .map(|_| context.create_stream().unwrap())
        .collect();
    let events: Vec<_> = streams
        .iter()
        .map(|_| context.create_event(SYNC).unwrap())
        .collect();
    for place in (0..999).rev() {
        streams[place].wait_event(&events[place + 1]).unwrap();
        events[place].record(&streams[place]).unwrap();
    }
    assert_eq!(
        code(events[0].synchronize(SHORT)),
        ErrorCode::EventSyncTimeout
    );
    assert!(runtime.workers() <= 1);
    events[999].record(&streams[999]).unwrap();
    events[0].synchronize(GUARD).unwrap();
    runtime.device(0).unwrap().synchronize(GUARD).unwrap();
}

#[test]
fn a_second_recording_leaves_earlier_waits_at_the_first() {
    let runtime = runtime(2);
    let context = context(&runtime);
    let streams: Vec<_> = (0..4).map(|_| context.create_stream().unwrap()).collect();
    let event = context.create_event(EventKind::Default).unwrap();
    let (first_open, second_open) = (gate(&streams[0]), gate(&streams[1]));
    event.record(&streams[0]).unwrap();
    streams[2].wait_event(&event).unwrap();
    event.record(&streams[1]).unwrap();
    streams[3].wait_event(&event).unwrap();
    first_open.complete(Ok(()));
    streams[2].synchronize(GUARD).unwrap();
    assert_eq!(event.query(), Ok(Status::NotReady));
    assert_eq!(streams[3].query(), Ok(Status::NotReady));
    second_open.complete(Ok(()));
    streams[3].synchronize(GUARD).unwrap();
}

#[test]
fn an_unrecorded_event_answers_by_its_kind() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let stream = context.create_stream().unwrap();
    let [default, sync, timed, extended] = [EventKind::Default, SYNC, TIME_LINE, EXTENDED]
        .map(|kind| context.create_event(kind).unwrap());
    assert_eq!(code(stream.wait_event(&default)), ErrorCode::ParamInvalid);
    assert_eq!(
        code(stream.wait_event(&timed)),
        ErrorCode::FeatureNotSupport
    );
    stream.wait_event(&extended).unwrap();
    stream.synchronize(GUARD).unwrap();
    stream.wait_event(&sync).unwrap();
    assert_eq!(
        code(stream.synchronize(SHORT)),
        ErrorCode::StreamSyncTimeout
    );
    sync.record(context.default_stream()).unwrap();
    stream.synchronize(GUARD).unwrap();
    let fresh = context.create_event(SYNC).unwrap();
    for (event, recorded) in [
        (&default, Status::NotReady),
        (&fresh, Status::NotReady),
        (&extended, Status::Complete),
    ] {
        assert_eq!(event.query(), Ok(Status::Complete));
        assert_eq!(event.query_recorded(), Ok(recorded));
        assert_eq!(event.synchronize(None), Ok(()));
        assert_eq!(code(event.timestamp_ns()), ErrorCode::InternalError);
    }
}

#[test]
fn flags_that_cannot_be_are_refused() {
    let runtime = runtime(1);
    let context = context(&runtime);
    for bits in [0, 0x4, 0x40, 0x80, 0x11, 0x21, 0x30] {
        let kind = EventKind::Flags(EventFlags::from_bits(bits));
        assert_eq!(
            code(context.create_event(kind)),
            ErrorCode::ParamInvalid,
            "{bits:#x}"
        );
    }
    for bits in [0x1, 0x2, 0x8, 0x9, 0xb, 0x10, 0x20] {
        context
            .create_event(EventKind::Flags(EventFlags::from_bits(bits)))
            .unwrap();
    }
    context
        .create_event(EventKind::Extended(EventFlags::IPC))
        .unwrap();
}

#[test]
fn elapsed_time_needs_two_reached_points_with_time_line() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let stream = context.create_stream().unwrap();
    let [start, end] =
        [EventKind::Default, TIME_LINE].map(|kind| context.create_event(kind).unwrap());
    let untimed = context.create_event(SYNC).unwrap();
    assert_eq!(
        code(Event::elapsed_ns(&start, &end)),
        ErrorCode::InternalError
    );
    start.record(&stream).unwrap();
    let open = gate(&stream);
    end.record(&stream).unwrap();
    untimed.record(&stream).unwrap();
    start.synchronize(GUARD).unwrap();
    assert_eq!(
        code(Event::elapsed_ns(&start, &end)),
        ErrorCode::EventTimestampInvalid
    );
    open.complete(Ok(()));
    untimed.synchronize(GUARD).unwrap();
    let elapsed_ns = Event::elapsed_ns(&start, &end).unwrap();
    assert!(elapsed_ns > 0);
    assert_eq!(Event::elapsed_ns(&end, &start), Ok(-elapsed_ns));
    assert_eq!(
        code(Event::elapsed_ns(&start, &untimed)),
        ErrorCode::EventTimestampInvalid
    );
}

#[test]
fn after_a_reset_a_wait_lasts_until_the_next_recording() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let (first, second) = (
        context.create_stream().unwrap(),
        context.create_stream().unwrap(),
    );
    let event = context.create_event(SYNC).unwrap();
    for _ in 0..3 {
        event.record(&first).unwrap();
        second.wait_event(&event).unwrap();
        event.reset(&second).unwrap();
        second.synchronize(GUARD).unwrap();
        assert_eq!(event.query_recorded(), Ok(Status::NotReady));
    }
    second.wait_event(&event).unwrap();
    assert_eq!(
        code(second.synchronize(SHORT)),
        ErrorCode::StreamSyncTimeout
    );
    event.record(&first).unwrap();
    second.synchronize(GUARD).unwrap();
}

#[test]
fn an_event_may_go_while_a_stream_waits_for_it() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let (first, second) = (
        context.create_stream().unwrap(),
        context.create_stream().unwrap(),
    );
    let event = context.create_event(EventKind::Default).unwrap();
    let open = gate(&first);
    event.record(&first).unwrap();
    second.wait_event(&event).unwrap();
    drop(event);
    open.complete(Ok(()));
    second.synchronize(GUARD).unwrap();
}

#[test]
fn an_event_outlives_the_stream_it_was_recorded_on() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let stream = context.create_stream().unwrap();
    let event = context.create_event(EventKind::Default).unwrap();
    event.record(&stream).unwrap();
    stream.destroy().unwrap();
    event.synchronize(GUARD).unwrap();
    assert!(event.timestamp_ns().unwrap() > 0);
}

#[test]
fn a_wait_for_an_aborted_stream_ends_with_an_error() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let (first, second) = (
        context.create_stream().unwrap(),
        context.create_stream().unwrap(),
    );
    let event = context.create_event(EventKind::Default).unwrap();
    let _never = gate(&first);
    event.record(&first).unwrap();
    second.wait_event(&event).unwrap();
    first.abort();
    assert_eq!(code(event.synchronize(GUARD)), ErrorCode::StreamAbort);
    assert_eq!(event.query(), Ok(Status::Complete));
    assert_eq!(code(second.synchronize(GUARD)), ErrorCode::StreamAbort);
    second.synchronize(GUARD).unwrap();
}

#[test]
fn a_wait_fails_after_the_wait_timeout_and_the_stream_goes_on() {
    let runtime = runtime(1);
    runtime.set_wait_timeout(Some(Duration::from_millis(10)));
    let context = context(&runtime);
    let stream = context.create_stream().unwrap();
    let event = context.create_event(SYNC).unwrap();
    let ran = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&ran);
    stream.wait_event(&event).unwrap();
    stream
        .launch(Task::work(move |_| {
            told.store(true, Ordering::SeqCst);
            Ok(())
        }))
        .unwrap();
    assert_eq!(code(stream.synchronize(GUARD)), ErrorCode::WaitTimeout);
    assert!(ran.load(Ordering::SeqCst));
    event.record(context.default_stream()).unwrap();
    stream.wait_event(&event).unwrap();
    stream.synchronize(GUARD).unwrap();
}

#[test]
fn an_idle_stream_is_at_the_point_at_once() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let stream = context.create_stream().unwrap();
    let event = context.create_event(EventKind::Default).unwrap();
    event.record(&stream).unwrap();
    assert_eq!(event.query_recorded(), Ok(Status::Complete));
    assert_eq!(stream.query(), Ok(Status::Complete));
    assert_eq!(runtime.workers(), 0);
    assert_eq!(stream.launch(Task::work(|_| Ok(()))), Ok(1));
    stream.synchronize(GUARD).unwrap();
}

#[test]
fn a_recording_on_an_idle_stream_wakes_who_waits_for_it() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let streams: Vec<_> = (0..3).map(|_| context.create_stream().unwrap()).collect();
    let events: Vec<_> = streams
        .iter()
        .map(|_| context.create_event(SYNC).unwrap())
        .collect();
    for place in 1..3 {
        streams[place].wait_event(&events[place - 1]).unwrap();
        events[place].record(&streams[place]).unwrap();
    }
    events[0].record(&streams[0]).unwrap();
    events[2].synchronize(GUARD).unwrap();
}

/// Threads submit tasks and record points between them, so that recordings meet the stream idle, busy and between the
/// two.
#[test]
fn recordings_keep_the_order_of_a_stream_that_goes_idle_all_the_time() {
    const THREADS: usize = 3;
    const ROUNDS: usize = 3_000;
    let runtime = runtime(2);
    let context = context(&runtime);
    let stream = context.create_stream().unwrap();
    let (running, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let shared = Arc::new((running, done));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let event = context.create_event(EventKind::Default).unwrap();
                for round in 0..ROUNDS {
                    let (shared, mine) = (shared.clone(), Arc::new(AtomicBool::new(false)));
                    let told = mine.clone();
                    if round % 3 > 0 {
                        let work = move |_: &TaskContext<'_>| {
                            assert!(!shared.0.swap(true, Ordering::Relaxed), "two tasks at once");
                            shared
                                .1
                                .store(shared.1.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                            told.store(true, Ordering::Relaxed);
                            shared.0.store(false, Ordering::Relaxed);
                            Ok(())
                        };
                        stream.launch(Task::work(work)).unwrap();
                    }
                    event.record(&stream).unwrap();
                    event.synchronize(GUARD).unwrap();
                    assert_eq!(mine.load(Ordering::Relaxed), round % 3 > 0);
                }
            });
        }
    });
    stream.synchronize(GUARD).unwrap();
    assert_eq!(shared.1.load(Ordering::Relaxed), THREADS * ROUNDS / 3 * 2);
}

#[test]
fn an_abort_and_recordings_of_an_idle_stream_leave_nobody_waiting() {
    for _ in 0..300 {
        let runtime = runtime(1);
        let context = context(&runtime);
        let stream = context.create_stream().unwrap();
        let event = context.create_event(EventKind::Default).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| stream.abort());
            let recorded = event.record(&stream);
            if let Err(error) = &recorded {
                assert_eq!(error.code(), ErrorCode::StreamAbort);
            }
            let _ = event.synchronize(GUARD);
            assert!(event.completion().is_done());
        });
        assert!(!stream.is_busy());
    }
}
