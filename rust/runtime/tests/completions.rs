//! The laws of completions, ports and report callbacks.
#![allow(missing_docs)]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use common::{GUARD, SHORT, code, context, gate, runtime};
use optap_runtime::{Blocking, Completion, Config, ErrorCode, Port, Reports, Runtime, Task};

#[test]
fn the_first_outcome_stays() {
    let completion = Completion::new();
    assert_eq!(completion.result(), None);
    assert!(completion.complete(Err(ErrorCode::WaitTimeout.into())));
    assert!(!completion.complete(Ok(())));
    assert!(completion.is_done());
    assert_eq!(code(completion.wait(None).unwrap()), ErrorCode::WaitTimeout);
}

#[test]
fn every_waiting_thread_wakes() {
    let completion = Completion::new();
    let waiting: Vec<_> = (0..8)
        .map(|_| {
            let completion = completion.clone();
            thread::spawn(move || completion.wait(GUARD))
        })
        .collect();
    completion.complete(Ok(()));
    for thread in waiting {
        assert_eq!(thread.join().unwrap(), Some(Ok(())));
    }
}

#[test]
fn a_callback_runs_once_before_or_after() {
    let completion = Completion::new();
    let calls = Arc::new(AtomicUsize::new(0));
    let call = || {
        let calls = Arc::clone(&calls);
        move |_: &optap_runtime::Result<()>| drop(calls.fetch_add(1, Ordering::SeqCst).to_string())
    };
    completion.on_done(call());
    let forgotten = completion.on_done(call());
    assert!(completion.forget(forgotten));
    completion.complete(Ok(()));
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    completion.on_done(call());
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    assert!(!completion.forget(forgotten));
}

fn counted_port() -> (Port, Arc<AtomicUsize>) {
    let rings = Arc::new(AtomicUsize::new(0));
    let bell = Arc::clone(&rings);
    let notify = move || drop(bell.fetch_add(1, Ordering::SeqCst).to_string());
    (Port::new(Arc::new(notify)), rings)
}

#[test]
fn a_port_rings_once_for_each_batch() {
    let (port, rings) = counted_port();
    let completions: Vec<_> = (0..10_000).map(|_| Completion::new()).collect();
    for (token, completion) in completions.iter().enumerate() {
        port.watch(token as u64, completion);
    }
    assert_eq!(port.pending(), 10_000);
    for completion in &completions {
        completion.complete(Ok(()));
    }
    assert_eq!(rings.load(Ordering::SeqCst), 1);
    assert_eq!(port.take(), (0..10_000).collect::<Vec<_>>());
    port.watch(10_000, &Completion::done(Ok(())));
    assert_eq!(rings.load(Ordering::SeqCst), 2);
    assert_eq!(port.take(), [10_000]);
    assert_eq!(port.take(), [] as [u64; 0]);
}

#[test]
fn a_cancelled_watch_is_silent_and_leaves_nothing_behind() {
    let (port, rings) = counted_port();
    let completion = Completion::new();
    port.watch(1, &completion);
    assert!(port.cancel(1));
    completion.complete(Ok(()));
    assert_eq!(rings.load(Ordering::SeqCst), 0);
    port.watch(2, &completion);
    port.watch(3, &completion);
    assert!(port.cancel(2));
    assert_eq!(port.take(), [3]);
    assert!(!port.cancel(3));
    assert_eq!(port.pending(), 0);
}

#[test]
fn no_token_is_lost_between_many_completing_threads_and_one_taker() {
    let (sender, receiver) = channel();
    let sender = Mutex::new(sender);
    let port = Port::new(Arc::new(move || sender.lock().unwrap().send(()).unwrap()));
    let completions: Vec<_> = (0..4_000).map(|_| Completion::new()).collect();
    for (token, completion) in completions.iter().enumerate() {
        port.watch(token as u64, completion);
    }
    let threads: Vec<_> = completions
        .chunks(1_000)
        .map(|chunk| {
            let chunk = chunk.to_vec();
            thread::spawn(move || {
                chunk
                    .iter()
                    .for_each(|completion| drop(completion.complete(Ok(())).to_string()))
            })
        })
        .collect();
    let mut seen = Vec::new();
    while seen.len() < completions.len() {
        receiver.recv_timeout(GUARD.unwrap()).unwrap();
        seen.extend(port.take());
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..4_000).collect::<Vec<_>>());
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}

#[test]
fn ten_thousand_runs_can_be_watched_by_one_port() {
    let runtime = runtime(2);
    let context = context(&runtime);
    let (sender, receiver) = channel();
    let sender = Mutex::new(sender);
    let port = Port::new(Arc::new(move || sender.lock().unwrap().send(()).unwrap()));
    let stream = context.create_stream().unwrap();
    for token in 0..10_000 {
        port.watch(token, &stream.submit(Task::work(|_| Ok(()))).unwrap());
    }
    let mut seen = Vec::new();
    while seen.len() < 10_000 {
        receiver.recv_timeout(GUARD.unwrap()).unwrap();
        seen.extend(port.take());
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..10_000).collect::<Vec<_>>());
}

#[test]
fn callbacks_run_on_the_thread_that_asks_in_the_order_of_the_stream() {
    let runtime = runtime(1);
    let stream = context(&runtime).create_stream().unwrap();
    let reports = Reports::default();
    reports.subscribe(1, &stream).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    for number in 0..10 {
        let seen = Arc::clone(&seen);
        let call = move || seen.lock().unwrap().push((number, thread::current().id()));
        reports.launch(&stream, Blocking::No, call).unwrap();
    }
    stream.synchronize(GUARD).unwrap();
    reports.process(1, GUARD).unwrap();
    let here = thread::current().id();
    assert_eq!(
        *seen.lock().unwrap(),
        (0..10).map(|number| (number, here)).collect::<Vec<_>>()
    );
    assert_eq!(code(reports.process(1, SHORT)), ErrorCode::ReportTimeout);
}

#[test]
fn a_blocking_callback_holds_its_stream_but_no_worker() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let (stream, other) = (
        context.create_stream().unwrap(),
        context.create_stream().unwrap(),
    );
    let reports = Reports::default();
    reports.subscribe(1, &stream).unwrap();
    reports.launch(&stream, Blocking::Yes, || ()).unwrap();
    let after = stream.submit(Task::work(|_| Ok(()))).unwrap();
    other
        .submit(Task::work(|_| Ok(())))
        .unwrap()
        .wait(GUARD)
        .unwrap()
        .unwrap();
    assert_eq!(after.wait(SHORT), None);
    reports.process(1, GUARD).unwrap();
    assert_eq!(after.wait(GUARD), Some(Ok(())));
}

#[test]
fn an_unsubscribed_stream_does_not_wait_for_a_callback_that_never_comes() {
    let runtime = runtime(1);
    let stream = context(&runtime).create_stream().unwrap();
    let reports = Reports::default();
    reports.subscribe(1, &stream).unwrap();
    let open = gate(&stream);
    reports.launch(&stream, Blocking::Yes, || ()).unwrap();
    open.complete(Ok(()));
    assert_eq!(
        code(stream.synchronize(SHORT)),
        ErrorCode::StreamSyncTimeout
    );
    reports.unsubscribe(1, &stream).unwrap();
    assert_eq!(code(stream.synchronize(GUARD)), ErrorCode::StreamAbort);
}

#[test]
fn report_subscriptions_are_checked() {
    let runtime = Runtime::new(Config {
        devices: 2,
        ..Config::default()
    })
    .unwrap();
    let [first, second] = [0, 1].map(|id| {
        runtime
            .device(id)
            .unwrap()
            .retain()
            .unwrap()
            .create_stream()
            .unwrap()
    });
    let reports = Reports::default();
    assert_eq!(
        code(reports.launch(&first, Blocking::No, || ())),
        ErrorCode::StreamNoCallback
    );
    assert_eq!(code(reports.process(1, SHORT)), ErrorCode::ThreadSubscribe);
    assert_eq!(
        code(reports.unsubscribe(1, &first)),
        ErrorCode::StreamSubscribe
    );
    reports.subscribe(1, &first).unwrap();
    assert_eq!(
        code(reports.subscribe(2, &first)),
        ErrorCode::StreamSubscribe
    );
    assert_eq!(
        code(reports.subscribe(1, &second)),
        ErrorCode::ThreadSubscribe
    );
    assert_eq!(
        code(reports.unsubscribe(2, &first)),
        ErrorCode::ThreadSubscribe
    );
    reports.unsubscribe(1, &first).unwrap();
    reports.subscribe(1, &second).unwrap();
}
