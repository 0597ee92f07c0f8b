//! The laws of streams.
#![allow(missing_docs)]

mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use common::{GUARD, SHORT, busy, code, context, counting, failing, gate, runtime};
use optap_runtime::{ErrorCode, Status, Task};

#[test]
fn tasks_of_a_stream_run_in_order_and_one_at_a_time() {
    let runtime = runtime(4);
    let stream = context(&runtime).create_stream().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let inside = Arc::new(AtomicBool::new(false));
    for _ in 0..10_000 {
        let (seen, inside) = (Arc::clone(&seen), Arc::clone(&inside));
        let work = move |context: &optap_runtime::TaskContext<'_>| {
            assert!(!inside.swap(true, Ordering::SeqCst));
            seen.lock().unwrap().push(context.task_id());
            inside.store(false, Ordering::SeqCst);
            Ok(())
        };
        stream.launch(Task::work(work)).unwrap();
    }
    stream.synchronize(GUARD).unwrap();
    assert_eq!(*seen.lock().unwrap(), (0..10_000).collect::<Vec<_>>());
}

#[test]
fn streams_run_at_the_same_time() {
    let runtime = runtime(2);
    let context = context(&runtime);
    let barrier = Arc::new(Barrier::new(2));
    let streams = [
        context.create_stream().unwrap(),
        context.create_stream().unwrap(),
    ];
    for stream in &streams {
        let barrier = Arc::clone(&barrier);
        stream
            .launch(Task::work(move |_| {
                barrier.wait();
                Ok(())
            }))
            .unwrap();
    }
    for stream in &streams {
        stream.synchronize(GUARD).unwrap();
    }
}

#[test]
fn a_long_queue_does_not_starve_another_stream() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let (long, short) = (
        context.create_stream().unwrap(),
        context.create_stream().unwrap(),
    );
    let ran = Arc::new(AtomicUsize::new(0));
    let (release, running) = busy(&long);
    running.recv().unwrap();
    for _ in 0..1_000 {
        long.launch(counting(&ran)).unwrap();
    }
    let before = Arc::clone(&ran);
    let seen = Arc::new(AtomicUsize::new(usize::MAX));
    let told = Arc::clone(&seen);
    short
        .launch(Task::work(move |_| {
            told.store(before.load(Ordering::SeqCst), Ordering::SeqCst);
            Ok(())
        }))
        .unwrap();
    drop(release);
    short.synchronize(GUARD).unwrap();
    long.synchronize(GUARD).unwrap();
    assert!(seen.load(Ordering::SeqCst) < 100);
    assert_eq!(ran.load(Ordering::SeqCst), 1_000);
}

#[test]
fn ten_thousand_streams_share_two_workers() {
    let runtime = runtime(2);
    let context = context(&runtime);
    let ran = Arc::new(AtomicUsize::new(0));
    let streams: Vec<_> = (0..10_000)
        .map(|_| context.create_stream().unwrap())
        .collect();
    for _ in 0..3 {
        for stream in &streams {
            stream.launch(counting(&ran)).unwrap();
        }
    }
    runtime.device(0).unwrap().synchronize(GUARD).unwrap();
    assert_eq!(ran.load(Ordering::Relaxed), 30_000);
    assert!(runtime.workers() <= 2);
}

#[test]
fn query_tells_whether_something_is_left() {
    let runtime = runtime(2);
    let stream = context(&runtime).create_stream().unwrap();
    assert_eq!(stream.query(), Ok(Status::Complete));
    let open = gate(&stream);
    assert_eq!(stream.query(), Ok(Status::NotReady));
    open.complete(Ok(()));
    stream.synchronize(GUARD).unwrap();
    assert_eq!(stream.query(), Ok(Status::Complete));
}

#[test]
fn a_synchronisation_that_times_out_leaves_the_work_running() {
    let runtime = runtime(2);
    let stream = context(&runtime).create_stream().unwrap();
    let open = gate(&stream);
    let last = stream.submit(Task::work(|_| Ok(()))).unwrap();
    assert_eq!(
        code(stream.synchronize(SHORT)),
        ErrorCode::StreamSyncTimeout
    );
    open.complete(Ok(()));
    stream.synchronize(GUARD).unwrap();
    assert_eq!(last.result(), Some(Ok(())));
}

#[test]
fn the_first_failure_is_returned_once_and_later_tasks_run() {
    let runtime = runtime(2);
    let stream = context(&runtime).create_stream().unwrap();
    stream.launch(failing(ErrorCode::AicoreException)).unwrap();
    stream.launch(failing(ErrorCode::AicoreTimeout)).unwrap();
    let last = stream.submit(Task::work(|_| Ok(()))).unwrap();
    assert_eq!(code(stream.synchronize(GUARD)), ErrorCode::AicoreException);
    assert_eq!(last.result(), Some(Ok(())));
    stream.synchronize(GUARD).unwrap();
    stream.launch(Task::work(|_| Ok(()))).unwrap();
}

#[test]
fn a_panic_is_the_failure_of_its_task() {
    let runtime = runtime(1);
    let stream = context(&runtime).create_stream().unwrap();
    let run = stream
        .submit(Task::work(|_| panic!("shape {} is odd", 3)))
        .unwrap();
    let error = stream.synchronize(GUARD).unwrap_err();
    assert_eq!(error.code(), ErrorCode::AicpuException);
    assert!(error.detail().contains("shape 3 is odd"), "{error}");
    assert_eq!(run.result(), Some(Err(error)));
    stream
        .submit(Task::work(|_| Ok(())))
        .unwrap()
        .wait(GUARD)
        .unwrap()
        .unwrap();
}

#[test]
fn destroy_waits_for_the_queue_and_refuses_what_comes_later() {
    let runtime = runtime(2);
    let context = context(&runtime);
    let stream = context.create_stream().unwrap();
    let open = gate(&stream);
    let last = stream.submit(Task::work(|_| Ok(()))).unwrap();
    let ending = thread::spawn({
        let stream = Arc::clone(&stream);
        move || stream.destroy()
    });
    open.complete(Ok(()));
    ending.join().unwrap().unwrap();
    assert_eq!(last.result(), Some(Ok(())));
    assert_eq!(
        code(stream.launch(Task::work(|_| Ok(())))),
        ErrorCode::InvalidHandle
    );
    assert_eq!(code(stream.synchronize(GUARD)), ErrorCode::InvalidHandle);
    assert_eq!(code(stream.destroy()), ErrorCode::InvalidHandle);
    assert_eq!(context.streams().len(), 1);
}

#[test]
fn destroy_by_force_drops_the_queue_and_tells_it() {
    let runtime = runtime(2);
    let stream = context(&runtime).create_stream().unwrap();
    let _never = gate(&stream);
    let last = stream.submit(Task::work(|_| Ok(()))).unwrap();
    stream.destroy_force().unwrap();
    assert_eq!(code(last.wait(GUARD).unwrap()), ErrorCode::StreamAbort);
}

#[test]
fn destroy_by_force_waits_for_the_task_that_runs() {
    let runtime = runtime(2);
    let stream = context(&runtime).create_stream().unwrap();
    let returned = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&returned);
    let (started, running) = std::sync::mpsc::channel();
    let work = move |context: &optap_runtime::TaskContext<'_>| {
        started.send(()).unwrap();
        context.stream().aborted().wait(GUARD);
        told.store(true, Ordering::SeqCst);
        Ok(())
    };
    stream.launch(Task::work(work)).unwrap();
    running.recv().unwrap();
    stream.destroy_force().unwrap();
    assert!(returned.load(Ordering::SeqCst));
}

#[test]
fn an_abort_wakes_everybody_who_waits() {
    let runtime = runtime(2);
    let stream = context(&runtime).create_stream().unwrap();
    let _never = gate(&stream);
    let queued = stream.submit(Task::work(|_| Ok(()))).unwrap();
    let drained = stream.drained().unwrap();
    stream.abort();
    assert!(stream.is_aborted());
    assert_eq!(code(queued.wait(GUARD).unwrap()), ErrorCode::StreamAbort);
    assert_eq!(code(drained.wait(GUARD).unwrap()), ErrorCode::StreamAbort);
    assert_eq!(
        code(stream.launch(Task::work(|_| Ok(())))),
        ErrorCode::StreamAbort
    );
    assert_eq!(code(stream.synchronize(GUARD)), ErrorCode::StreamAbort);
}

#[test]
fn the_default_stream_cannot_be_destroyed() {
    let runtime = runtime(1);
    let context = context(&runtime);
    assert_eq!(
        code(context.default_stream().destroy()),
        ErrorCode::ParamInvalid
    );
    context
        .default_stream()
        .launch(Task::work(|_| Ok(())))
        .unwrap();
}

#[test]
fn a_task_cannot_wait_for_its_own_stream() {
    let runtime = runtime(1);
    let stream = context(&runtime).create_stream().unwrap();
    let run = stream
        .submit(Task::work(|context| context.stream().synchronize(None)))
        .unwrap();
    assert_eq!(code(run.wait(GUARD).unwrap()), ErrorCode::FeatureNotSupport);
}

#[test]
fn a_task_may_wait_for_another_stream_on_the_only_worker() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let (first, second) = (
        context.create_stream().unwrap(),
        context.create_stream().unwrap(),
    );
    let work = move |_: &optap_runtime::TaskContext<'_>| {
        second.launch(Task::work(|_| Ok(())))?;
        second.synchronize(GUARD)
    };
    let run = first.submit(Task::work(work)).unwrap();
    assert_eq!(run.wait(GUARD), Some(Ok(())));
}
