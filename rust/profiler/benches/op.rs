//! What recording one op costs the thread that runs it, in nanoseconds: clock, record, ring and wake check.
//!
//! `cargo bench -p optap-profiler --bench op [-- ROUNDS]`. The contenders take turns in each round; a burst fits the
//! ring and is drained off the clock. The columns are the medians over the rounds, separated by a tab.

use std::hint::black_box;
use std::time::{Duration, Instant};

use optap_profiler::{
    Holder, Kinds, Overflow, Profiler, Recorder, Settings, Subscription, Tap, Target, clock,
};
use optap_record::Flags;
use optap_runtime::Trail;

const BURST: u32 = 1_024;
const BURSTS: usize = 200;
const ROUNDS: usize = 15;
const MODEL_ID: u32 = 1;

/// A run that nobody cancels.
struct Free;

impl Holder for Free {
    fn held(&self, wait: &mut dyn FnMut()) {
        wait();
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

/// The median nanoseconds of one step over many bursts; `rest` runs between them.
fn measure(mut burst: impl FnMut(), rest: impl Fn()) -> f64 {
    let burst_ns = |_| {
        let start = Instant::now();
        burst();
        let spent_ns = start.elapsed().as_nanos();
        rest();
        spent_ns as f64
    };
    median((0..BURSTS).map(burst_ns).collect()) / f64::from(BURST)
}

fn ops(tap: &Tap) -> f64 {
    let (profiler, trail) = (Profiler::global(), Trail::default());
    let mut recorder = Recorder::new(profiler, tap, &trail, &Free, 1, 1);
    measure(
        || {
            for op_id in 0..BURST {
                recorder.before();
                recorder.after(black_box(op_id), Flags::NONE);
            }
        },
        || {
            profiler.drain();
        },
    )
}

fn subscribed(tap: &Tap) -> f64 {
    let settings = Settings {
        targets: vec![Target::Model(MODEL_ID)],
        overflow: Overflow::DropOldest,
        capacity: 65_536,
        kinds: Kinds::OPS,
        filter: None,
        coalesce: Duration::from_millis(1),
    };
    let subscription = Subscription::open(Profiler::global(), settings).expect("a descriptor");
    let spent_ns = ops(tap);
    subscription.close();
    spent_ns
}

fn clock_read() -> f64 {
    let read = || {
        (0..BURST).for_each(|_| {
            black_box(clock::ticks());
        })
    };
    measure(read, || ())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let given = std::env::args().find_map(|argument| argument.parse().ok());
    let tap = Profiler::global().add_model(MODEL_ID, 0);
    let contenders: [(&str, &dyn Fn() -> f64); 3] = [
        ("op, subscribed", &|| subscribed(&tap)),
        ("op, nobody subscribed", &|| ops(&tap)),
        ("clock", &clock_read),
    ];
    let rounds: Vec<Vec<f64>> = (0..given.unwrap_or(ROUNDS))
        .map(|_| contenders.iter().map(|(_, run)| run()).collect())
        .collect();
    for (index, (name, _)) in contenders.iter().enumerate() {
        println!(
            "{name}\t{:.2}",
            median(rounds.iter().map(|round| round[index]).collect())
        );
    }
}
