//! The laws of failure modes.
#![allow(missing_docs)]

mod common;

use common::{GUARD, code, context, failing, gate, runtime};
use optap_runtime::{ErrorCode, EventKind, FailureMode, Task};

#[test]
fn in_stop_mode_a_failure_stops_every_stream_of_the_context_for_good() {
    let runtime = runtime(2);
    let context = runtime.device(0).unwrap().create_context().unwrap();
    let (first, second) = (
        context.create_stream().unwrap(),
        context.create_stream().unwrap(),
    );
    first.set_failure_mode(FailureMode::Stop).unwrap();
    assert_eq!(second.failure_mode(), FailureMode::Stop);
    let event = context.create_event(EventKind::Default).unwrap();
    let _never = gate(&second);
    let dropped = second.submit(Task::work(|_| Ok(()))).unwrap();
    event.record(&second).unwrap();
    let reached = event.completion();
    first.launch(failing(ErrorCode::AicoreException)).unwrap();
    assert_eq!(code(first.synchronize(GUARD)), ErrorCode::AicoreException);
    assert_eq!(
        code(dropped.wait(GUARD).unwrap()),
        ErrorCode::AicoreException
    );
    assert_eq!(
        code(reached.wait(GUARD).unwrap()),
        ErrorCode::AicoreException
    );
    for stream in [&first, &second, context.default_stream()] {
        assert_eq!(
            code(stream.launch(Task::work(|_| Ok(())))),
            ErrorCode::AicoreException
        );
        assert_eq!(code(stream.synchronize(GUARD)), ErrorCode::AicoreException);
        assert_eq!(code(stream.query()), ErrorCode::AicoreException);
    }
    assert_eq!(code(event.synchronize(GUARD)), ErrorCode::AicoreException);
    assert_eq!(code(event.query()), ErrorCode::AicoreException);
    assert_eq!(code(context.create_stream()), ErrorCode::AicoreException);
    assert_eq!(
        context.failure().map(|error| error.code()),
        Some(ErrorCode::AicoreException)
    );
}

#[test]
fn a_stopped_context_leaves_others_alone_and_can_be_replaced() {
    let runtime = runtime(2);
    let device = runtime.device(0).unwrap();
    let (stopped, other) = (
        device.create_context().unwrap(),
        device.create_context().unwrap(),
    );
    stopped
        .default_stream()
        .set_failure_mode(FailureMode::Stop)
        .unwrap();
    stopped
        .default_stream()
        .launch(failing(ErrorCode::AicoreException))
        .unwrap();
    assert_eq!(code(device.synchronize(GUARD)), ErrorCode::AicoreException);
    other
        .default_stream()
        .launch(Task::work(|_| Ok(())))
        .unwrap();
    other.default_stream().synchronize(GUARD).unwrap();
    stopped.destroy().unwrap();
    let fresh = device.create_context().unwrap();
    fresh
        .default_stream()
        .launch(Task::work(|_| Ok(())))
        .unwrap();
    device.synchronize(GUARD).unwrap();
}

#[test]
fn stop_mode_is_for_good() {
    let runtime = runtime(1);
    let stream = context(&runtime).create_stream().unwrap();
    stream.set_failure_mode(FailureMode::Continue).unwrap();
    stream.set_failure_mode(FailureMode::Stop).unwrap();
    stream.set_failure_mode(FailureMode::Stop).unwrap();
    assert_eq!(
        code(stream.set_failure_mode(FailureMode::Continue)),
        ErrorCode::FeatureNotSupport
    );
}

#[test]
fn the_device_returns_the_stored_failure_of_a_stream_once() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let stream = context.create_stream().unwrap();
    stream.launch(failing(ErrorCode::AicoreTimeout)).unwrap();
    let device = runtime.device(0).unwrap();
    assert_eq!(code(device.synchronize(GUARD)), ErrorCode::AicoreTimeout);
    device.synchronize(GUARD).unwrap();
}
