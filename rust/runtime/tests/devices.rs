//! The laws of devices, contexts and the current context of a thread.
#![allow(missing_docs)]

mod common;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use common::{GUARD, SHORT, busy, code, gate, runtime};
use optap_runtime::{Config, ErrorCode, EventFlags, EventKind, Runtime, Task, context};

const LONG: Duration = Duration::from_secs(30);

#[test]
fn the_last_user_of_a_device_releases_it() {
    let runtime = runtime(1);
    let device = runtime.device(0).unwrap();
    assert_eq!(code(device.release()), ErrorCode::ContextReleaseError);
    let primary = device.retain().unwrap();
    assert!(Arc::ptr_eq(&primary, &device.retain().unwrap()));
    device.release().unwrap();
    assert!(primary.is_alive());
    device.release().unwrap();
    assert!(!primary.is_alive() && !device.is_active());
    assert_eq!(code(device.release()), ErrorCode::ContextReleaseError);
    assert!(!Arc::ptr_eq(&primary, &device.retain().unwrap()));
}

#[test]
fn all_users_can_release_at_once() {
    let runtime = runtime(1);
    let device = runtime.device(0).unwrap();
    device.retain().unwrap();
    let primary = device.retain().unwrap();
    device.release_all().unwrap();
    assert!(!primary.is_alive());
    assert_eq!(code(device.release_all()), ErrorCode::ContextReleaseError);
}

#[test]
fn a_release_waits_for_the_tasks_of_the_primary_context() {
    let runtime = runtime(2);
    let device = Arc::clone(runtime.device(0).unwrap());
    let stream = device.retain().unwrap().create_stream().unwrap();
    let open = gate(&stream);
    let last = stream.submit(Task::work(|_| Ok(()))).unwrap();
    let releasing = thread::spawn(move || device.release());
    assert_eq!(last.wait(SHORT), None);
    open.complete(Ok(()));
    releasing.join().unwrap().unwrap();
    assert_eq!(last.result(), Some(Ok(())));
    assert_eq!(
        code(stream.launch(Task::work(|_| Ok(())))),
        ErrorCode::InvalidHandle
    );
}

#[test]
fn a_thread_starts_without_a_context_and_keeps_its_own() {
    let runtime = runtime(1);
    let device = runtime.device(0).unwrap();
    let (first, second) = (
        device.create_context().unwrap(),
        device.create_context().unwrap(),
    );
    context::set_current(Some(Arc::clone(&first))).unwrap();
    let other = Arc::clone(&second);
    let seen = thread::spawn(move || {
        assert_eq!(code(context::current()), ErrorCode::ContextNull);
        context::set_current(Some(other)).unwrap();
        context::current().unwrap().id()
    });
    assert_eq!(seen.join().unwrap(), second.id());
    assert_eq!(context::current().unwrap().id(), first.id());
    context::check_current(first.default_stream()).unwrap();
    assert_eq!(
        code(context::check_current(second.default_stream())),
        ErrorCode::StreamContext
    );
}

#[test]
fn a_destroyed_context_is_nobodys_current_one() {
    let runtime = runtime(1);
    let device = runtime.device(0).unwrap();
    let created = device.create_context().unwrap();
    context::set_current(Some(Arc::clone(&created))).unwrap();
    let stream = created.create_stream().unwrap();
    created.destroy().unwrap();
    assert_eq!(code(context::current()), ErrorCode::ContextNull);
    assert_eq!(
        code(context::set_current(Some(Arc::clone(&created)))),
        ErrorCode::ContextNull
    );
    assert_eq!(code(created.destroy()), ErrorCode::ContextNull);
    assert_eq!(code(created.create_stream()), ErrorCode::ContextNull);
    assert_eq!(code(stream.synchronize(GUARD)), ErrorCode::InvalidHandle);
    assert_eq!(
        code(device.retain().unwrap().destroy()),
        ErrorCode::ContextNull
    );
}

#[test]
fn a_context_that_is_being_destroyed_says_so() {
    let runtime = runtime(2);
    let created = runtime.device(0).unwrap().create_context().unwrap();
    let open = gate(created.default_stream());
    let ending = thread::spawn({
        let created = Arc::clone(&created);
        move || created.destroy()
    });
    while created.is_alive() {
        thread::yield_now();
    }
    assert_eq!(code(created.destroy()), ErrorCode::ContextReleaseError);
    open.complete(Ok(()));
    ending.join().unwrap().unwrap();
}

#[test]
fn a_reset_wakes_every_waiter_and_the_device_can_be_used_again() {
    let runtime = runtime(2);
    let device = runtime.device(0).unwrap();
    let primary = device.retain().unwrap();
    let explicit = device.create_context().unwrap();
    let (first, second) = (
        primary.create_stream().unwrap(),
        explicit.create_stream().unwrap(),
    );
    let event = explicit
        .create_event(EventKind::Flags(EventFlags::SYNC))
        .unwrap();
    second.wait_event(&event).unwrap();
    let waited = second.drained().unwrap();
    let blocked = first.submit(Task::work(|context| {
        let aborted = context.stream().aborted().clone();
        optap_runtime::held(|| aborted.wait(None)).unwrap()
    }));
    let blocked = blocked.unwrap();
    assert!(device.reset(LONG));
    assert_eq!(
        code(waited.wait(GUARD).unwrap()),
        ErrorCode::DeviceTaskAbort
    );
    assert_eq!(
        code(blocked.wait(GUARD).unwrap()),
        ErrorCode::DeviceTaskAbort
    );
    assert!(!primary.is_alive() && !explicit.is_alive() && !device.is_active());
    let again = device.retain().unwrap().create_stream().unwrap();
    again.launch(Task::work(|_| Ok(()))).unwrap();
    again.synchronize(GUARD).unwrap();
}

#[test]
fn a_reset_does_not_wait_longer_than_it_may() {
    let runtime = runtime(2);
    let device = runtime.device(0).unwrap();
    let stream = device.retain().unwrap().create_stream().unwrap();
    let (_release, running) = busy(&stream);
    running.recv().unwrap();
    assert!(!device.reset(Duration::from_millis(20)));
}

#[test]
fn a_device_synchronisation_covers_all_streams_and_times_out() {
    let runtime = runtime(2);
    let device = runtime.device(0).unwrap();
    device.synchronize(GUARD).unwrap();
    let stream = device.create_context().unwrap().create_stream().unwrap();
    let open = gate(&stream);
    assert_eq!(
        code(device.synchronize(SHORT)),
        ErrorCode::StreamSyncTimeout
    );
    open.complete(Ok(()));
    device.synchronize(GUARD).unwrap();
}

#[test]
fn streams_and_events_are_limited_and_come_back() {
    let runtime = Runtime::new(Config {
        streams: 2,
        events: 1,
        ..Config::default()
    })
    .unwrap();
    let device = runtime.device(0).unwrap();
    let context = device.retain().unwrap();
    let stream = context.create_stream().unwrap();
    let _other = context.create_stream().unwrap();
    assert_eq!(device.available_streams(), 0);
    assert_eq!(code(context.create_stream()), ErrorCode::NoStreamResource);
    stream.destroy().unwrap();
    context.create_stream().unwrap();
    let event = context.create_event(EventKind::Default).unwrap();
    assert_eq!(
        code(context.create_event(EventKind::Default)),
        ErrorCode::NoEventResource
    );
    drop(event);
    assert_eq!(device.available_events(), 1);
}

#[test]
fn a_configuration_out_of_range_is_refused() {
    assert_eq!(
        code(Runtime::new(Config {
            devices: 0,
            ..Config::default()
        })),
        ErrorCode::ParamInvalid
    );
    assert_eq!(
        code(Runtime::new(Config {
            workers: 0,
            ..Config::default()
        })),
        ErrorCode::ParamInvalid
    );
    let runtime = Runtime::new(Config {
        devices: 3,
        ..Config::default()
    })
    .unwrap();
    assert_eq!(runtime.devices().len(), 3);
    assert_eq!(code(runtime.device(3).cloned()), ErrorCode::InvalidDeviceId);
}

#[test]
fn a_shutdown_ends_all_workers_and_refuses_later_tasks() {
    let runtime = runtime(2);
    let context = runtime.device(0).unwrap().retain().unwrap();
    for _ in 0..10 {
        context
            .create_stream()
            .unwrap()
            .launch(Task::work(|_| Ok(())))
            .unwrap();
    }
    assert!(runtime.shutdown(LONG));
    assert_eq!(runtime.workers(), 0);
    let stream = runtime
        .device(0)
        .unwrap()
        .retain()
        .unwrap()
        .create_stream()
        .unwrap();
    assert_eq!(
        code(stream.launch(Task::work(|_| Ok(())))),
        ErrorCode::InvalidHandle
    );
    stream.synchronize(GUARD).unwrap();
}

#[test]
fn a_task_cannot_destroy_its_own_context_or_wait_for_its_device() {
    let runtime = runtime(1);
    let created = runtime.device(0).unwrap().create_context().unwrap();
    let work = |context: &optap_runtime::TaskContext<'_>| {
        let created = context.stream().context()?;
        assert_eq!(code(created.destroy()), ErrorCode::FeatureNotSupport);
        assert_eq!(
            code(created.device().synchronize(None)),
            ErrorCode::FeatureNotSupport
        );
        Ok(())
    };
    created.default_stream().launch(Task::work(work)).unwrap();
    created.default_stream().synchronize(GUARD).unwrap();
}

#[test]
fn a_device_synchronisation_does_not_mind_streams_that_end() {
    let runtime = runtime(2);
    let device = runtime.device(0).unwrap();
    let context = device.retain().unwrap();
    let (aborted, ending) = (
        context.create_stream().unwrap(),
        context.create_stream().unwrap(),
    );
    aborted.abort();
    let open = gate(&ending);
    let thread = thread::spawn(move || ending.destroy());
    assert_eq!(
        code(device.synchronize(SHORT)),
        ErrorCode::StreamSyncTimeout
    );
    open.complete(Ok(()));
    device.synchronize(GUARD).unwrap();
    thread.join().unwrap().unwrap();
}
