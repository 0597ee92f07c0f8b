//! The laws of the worker pool.
#![allow(missing_docs)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use common::{GUARD, busy, context, counting, runtime};
use optap_runtime::{Completion, Task, held};

#[test]
fn no_worker_exists_before_the_first_task() {
    let runtime = runtime(2);
    let stream = context(&runtime).create_stream().unwrap();
    assert_eq!(runtime.workers(), 0);
    stream.launch(Task::work(|_| Ok(()))).unwrap();
    stream.synchronize(GUARD).unwrap();
    assert_eq!(runtime.workers(), 1);
}

#[test]
fn a_held_worker_is_replaced_and_other_streams_go_on() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let release = Completion::new();
    let blocked: Vec<_> = (0..10)
        .map(|_| {
            let release = release.clone();
            let work =
                move |_: &optap_runtime::TaskContext<'_>| held(|| release.wait(GUARD)).unwrap();
            context
                .create_stream()
                .unwrap()
                .submit(Task::work(work))
                .unwrap()
        })
        .collect();
    let count = Arc::new(AtomicUsize::new(0));
    let other = context.create_stream().unwrap();
    for _ in 0..100 {
        other.launch(counting(&count)).unwrap();
    }
    other.synchronize(GUARD).unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 100);
    assert!(blocked.iter().all(|run| !run.is_done()));
    release.complete(Ok(()));
    for run in blocked {
        assert_eq!(run.wait(GUARD), Some(Ok(())));
    }
}

#[test]
fn replacements_retire_when_nothing_is_held() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let release = Completion::new();
    let blocked: Vec<_> = (0..5)
        .map(|_| {
            let release = release.clone();
            let work = move |_: &optap_runtime::TaskContext<'_>| release.wait(GUARD).unwrap();
            context
                .create_stream()
                .unwrap()
                .submit(Task::work(work))
                .unwrap()
        })
        .collect();
    while runtime.workers() < 5 {
        thread::yield_now();
    }
    release.complete(Ok(()));
    for run in blocked {
        run.wait(GUARD).unwrap().unwrap();
    }
    while runtime.workers() > 1 {
        thread::sleep(Duration::from_millis(10));
    }
    let last = context
        .create_stream()
        .unwrap()
        .submit(Task::work(|_| Ok(())))
        .unwrap();
    assert_eq!(last.wait(GUARD), Some(Ok(())));
}

#[test]
fn a_hold_within_a_hold_counts_once_and_a_panic_ends_it() {
    let runtime = runtime(1);
    let context = context(&runtime);
    let stream = context.create_stream().unwrap();
    stream
        .launch(Task::work(|_| held(|| held(|| panic!("inside")))))
        .unwrap();
    assert!(stream.synchronize(GUARD).is_err());
    let (release, running) = busy(&stream);
    running.recv().unwrap();
    let waiting = context
        .create_stream()
        .unwrap()
        .submit(Task::work(|_| Ok(())))
        .unwrap();
    assert_eq!(waiting.wait(common::SHORT), None);
    drop(release);
    assert_eq!(waiting.wait(GUARD), Some(Ok(())));
}

#[test]
fn workers_carry_their_name_and_block_signals() {
    let runtime = runtime(1);
    let stream = context(&runtime).create_stream().unwrap();
    let work = |context: &optap_runtime::TaskContext<'_>| {
        assert_eq!(thread::current().name(), Some("optap-worker-0"));
        assert_eq!(context.thread_id(), optap_runtime::thread_id());
        Ok(())
    };
    stream.launch(Task::work(work)).unwrap();
    stream.synchronize(GUARD).unwrap();
    #[cfg(target_os = "linux")]
    assert!(worker_blocks_interrupts(&stream));
}

#[cfg(target_os = "linux")]
fn worker_blocks_interrupts(stream: &Arc<optap_runtime::Stream>) -> bool {
    let (sender, receiver) = std::sync::mpsc::channel();
    let work = move |context: &optap_runtime::TaskContext<'_>| {
        let path = format!("/proc/self/task/{}/status", context.thread_id());
        sender.send(std::fs::read_to_string(path)).unwrap();
        Ok(())
    };
    stream.launch(Task::work(work)).unwrap();
    let status = receiver.recv().unwrap().unwrap();
    let blocked = status
        .lines()
        .find_map(|line| line.strip_prefix("SigBlk:"))
        .unwrap();
    let interrupt = 1 << (libc::SIGINT - 1);
    u64::from_str_radix(blocked.trim(), 16).unwrap() & interrupt != 0
}

#[test]
fn the_trail_of_a_stream_is_seen_by_its_next_task_on_any_worker() {
    use std::sync::atomic::Ordering::Relaxed;
    let runtime = runtime(4);
    let context = context(&runtime);
    let streams: Vec<_> = (0..8).map(|_| context.create_stream().unwrap()).collect();
    for _ in 0..2_000 {
        for stream in &streams {
            let advance = |context: &optap_runtime::TaskContext<'_>| {
                let sequence = &context.stream().trail().sequence;
                sequence.store(sequence.load(Relaxed) + 1, Relaxed);
                Ok(())
            };
            stream.launch(Task::work(advance)).unwrap();
        }
    }
    for stream in &streams {
        stream.synchronize(GUARD).unwrap();
        assert_eq!(stream.trail().sequence.load(Relaxed), 2_000);
    }
}
