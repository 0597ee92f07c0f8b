//! What an observer costs for each operator, over 1,000 tiny operators that the engine cannot fuse.
//!
//! Prints the time of one operator, in ns, in the fastest of many runs (other load only ever adds): in
//! the bare engine, with an empty observer, and with observers that read a clock and write 64 bytes as
//! a recorder does.

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use common::{chain, floats};
use optap_engine::{BoundInputs, Model, Observer, Plan, Stop, Unobserved};
use tract_core::internal::{TypedSimplePlan, TypedSimpleState};
use tract_onnx::prelude::{Framework, InferenceModelExt, TValue, tvec};

const OPS: usize = 1000;
const RUNS: usize = 2000;

/// One cache line for each operator.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Record {
    start_ns: u64,
    end_ns: u64,
    op: u64,
    rest: [u64; 5],
}

impl Record {
    fn is_whole(&self) -> bool {
        self.start_ns <= self.end_ns && self.op < OPS as u64 && self.rest[1..] == [1, 2, 3, 4]
    }
}

/// Reads the clock before and after each operator, or once between two when `share` is set.
struct Recorder {
    records: Vec<Record>,
    origin: Instant,
    last_ns: u64,
    share: bool,
}

impl Recorder {
    fn new(share: bool) -> Recorder {
        Recorder {
            records: vec![Record::default(); OPS],
            origin: Instant::now(),
            last_ns: 0,
            share,
        }
    }

    fn now_ns(&self) -> u64 {
        self.origin.elapsed().as_nanos() as u64
    }
}

impl Observer for Recorder {
    #[inline]
    fn before(&mut self, op: usize) -> ControlFlow<Stop> {
        if !self.share || op == 0 {
            self.last_ns = self.now_ns();
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn after(&mut self, op: usize, failed: bool) {
        let end_ns = self.now_ns();
        let rest = [u64::from(failed), 1, 2, 3, 4];
        self.records[op] = Record {
            start_ns: self.last_ns,
            end_ns,
            op: op as u64,
            rest,
        };
        self.last_ns = end_ns;
    }
}

/// The time of one operator, in ns, when `run` runs them all.
fn fastest_op_ns(mut run: impl FnMut()) -> f64 {
    let times_ns = (0..RUNS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_nanos()
    });
    times_ns.min().unwrap_or_default() as f64 / OPS as f64
}

/// The same, of a plan under an observer.
fn observed_op_ns<O: Observer>(plan: &Plan, inputs: &BoundInputs, observer: &mut O) -> f64 {
    fastest_op_ns(|| {
        drop(black_box(
            plan.run(inputs.clone(), observer).expect("a run"),
        ))
    })
}

/// The same, of the engine with nothing of ours around it.
fn bare_op_ns(bytes: &[u8]) -> f64 {
    let model = tract_onnx::onnx()
        .model_for_read(&mut &*bytes)
        .expect("a model");
    let plan =
        TypedSimplePlan::new(model.into_optimized().expect("a typed model")).expect("a plan");
    let mut state = TypedSimpleState::new(&plan).expect("a state");
    let value = TValue::from(tract_onnx::prelude::tensor1(&[0.5_f32; 4]));
    fastest_op_ns(|| {
        drop(black_box(
            state
                .run(tvec![value.clone(), value.clone()])
                .expect("a run"),
        ))
    })
}

fn main() {
    let bytes = chain(OPS).bytes();
    let model = Model::from_bytes(&bytes).expect("a model");
    let value = floats(&[4], &[0.5; 4]);
    let inputs = model
        .check(vec![value.clone(), value])
        .expect("fitting inputs");
    let plan = model.plan(&inputs).expect("a plan");
    assert_eq!(plan.ops().len(), OPS, "the chain must not fuse");
    observed_op_ns(&plan, &inputs, &mut Unobserved);
    for _ in 0..3 {
        println!(
            "bare engine                     {:7.1} ns an op",
            bare_op_ns(&bytes)
        );
        let empty = observed_op_ns(&plan, &inputs, &mut Unobserved);
        println!("empty observer                  {empty:7.1} ns an op");
        for (name, share) in [
            ("clock twice, 64 bytes written", false),
            ("clock once, 64 bytes written ", true),
        ] {
            let mut recorder = Recorder::new(share);
            let observed = observed_op_ns(&plan, &inputs, &mut recorder);
            assert!(
                recorder.records.iter().all(Record::is_whole),
                "every operator is recorded"
            );
            println!(
                "{name}   {observed:7.1} ns an op, {:+.1} ns",
                observed - empty
            );
        }
    }
}
