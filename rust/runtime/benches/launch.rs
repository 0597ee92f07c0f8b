//! What a task costs: to launch, to launch and run, and to run through an idle stream. And what a stream weighs.
#![allow(missing_docs)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use optap_runtime::{Completion, Config, Context, Runtime, Task};

const TASKS: u32 = 100_000;
const ROUNDS: usize = 15;

fn main() {
    let runtime = Runtime::new(Config::default()).expect("the default is in range");
    let context = runtime
        .device(0)
        .and_then(|device| device.retain())
        .expect("a fresh runtime");
    weigh(&context);
    report("launch behind a waiting task", || launch(&context));
    report("launch and run", || launch_and_run(&context));
    report("idle round trip", || round_trip(&context));
}

fn small(number: u32) -> Task {
    Task::work(move |_| {
        black_box(number);
        Ok(())
    })
}

fn report(name: &str, measure: impl Fn() -> f64) {
    let mut rounds: Vec<_> = (0..ROUNDS).map(|_| measure()).collect();
    rounds.sort_by(f64::total_cmp);
    println!(
        "{name:32} {:8.0} ns  (best {:.0})",
        rounds[ROUNDS / 2],
        rounds[0]
    );
}

fn launch(context: &Arc<Context>) -> f64 {
    let stream = context.create_stream().expect("a free stream");
    let open = Completion::new();
    let gate = open.clone();
    stream
        .launch(Task::start(move |_| gate))
        .expect("an open stream");
    let start = Instant::now();
    for number in 0..TASKS {
        stream.launch(small(number)).expect("an open stream");
    }
    let each_ns = start.elapsed().as_nanos() as f64 / f64::from(TASKS);
    open.complete(Ok(()));
    stream.destroy().expect("an open stream");
    each_ns
}

fn launch_and_run(context: &Arc<Context>) -> f64 {
    let stream = context.create_stream().expect("a free stream");
    let start = Instant::now();
    for number in 0..TASKS {
        stream.launch(small(number)).expect("an open stream");
    }
    stream.destroy().expect("an open stream");
    start.elapsed().as_nanos() as f64 / f64::from(TASKS)
}

fn round_trip(context: &Arc<Context>) -> f64 {
    let stream = context.create_stream().expect("a free stream");
    let start = Instant::now();
    for _ in 0..1_000 {
        stream
            .launch(Task::work(|_| Ok(())))
            .expect("an open stream");
        stream.synchronize(None).expect("the task succeeds");
    }
    let each_ns = start.elapsed().as_nanos() as f64 / 1_000.0;
    stream.destroy().expect("an open stream");
    each_ns
}

fn weigh(context: &Arc<Context>) {
    let before = resident_bytes();
    let streams: Vec<_> = (0..10_000)
        .map(|_| context.create_stream().expect("a free stream"))
        .collect();
    for stream in &streams {
        stream
            .launch(Task::work(|_| Ok(())))
            .expect("an open stream");
    }
    let added = resident_bytes().saturating_sub(before);
    println!(
        "{:32} {:8} bytes each",
        "10,000 streams, each used once",
        added / streams.len()
    );
}

/// The resident memory of this process; 0 where the system does not tell it this way.
fn resident_bytes() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm
        .split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse::<usize>().ok())
        .unwrap_or(0)
        * 4096
}
