//! One run: a plan of the engine, on a stream of the runtime, told to the profiler.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use optap_engine::{BoundInputs, Observer, Plan, PlanOp, Stop, Tensor};
use optap_profiler::{Holder, Names, Profiler, Recorder, Tap};
use optap_record::{Flags, NameTable, OpInfo, OpTable};
use optap_runtime::{Completion, Error, ErrorCode, Stream, Task, TaskContext};

use crate::error::engine_code;

/// Names and flags of a plan's ops.
pub struct PlanNames {
    names: Names,
    flags: Box<[Flags]>,
}

/// A model that can run and be listened to.
pub struct Executable {
    pub model: optap_engine::Model,
    pub tap: Arc<Tap>,
    pub name: String,
    plans: Mutex<Vec<(Weak<Plan>, Arc<PlanNames>)>>,
}

impl Executable {
    /// Registers `model` under a fresh id on `device_id`.
    pub fn new(model: optap_engine::Model, name: String, device_id: u32) -> Self {
        let tap = Profiler::global().add_model(fresh_model_id(), device_id);
        Self {
            model,
            tap,
            name,
            plans: Mutex::default(),
        }
    }

    fn names(&self, plan: &Arc<Plan>) -> optap_runtime::Result<Arc<PlanNames>> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.retain(|(known, _)| known.strong_count() > 0);
        if let Some((_, names)) = plans
            .iter()
            .find(|(known, _)| known.as_ptr() == Arc::as_ptr(plan))
        {
            return Ok(names.clone());
        }
        let names = Arc::new(self.register(plan)?);
        plans.push((Arc::downgrade(plan), names.clone()));
        Ok(names)
    }

    fn register(&self, plan: &Plan) -> optap_runtime::Result<PlanNames> {
        let infos = plan.ops().iter().map(|op| self.describe(op));
        let infos = infos
            .collect::<Result<Vec<_>, _>>()
            .map_err(|full| Error::new(ErrorCode::StorageOverLimit, full.to_string()))?;
        let flags = infos.iter().map(|info| info.flags).collect();
        Ok(PlanNames {
            names: Profiler::global().add_names(OpTable::global().register(infos)),
            flags,
        })
    }

    fn describe(&self, op: &PlanOp) -> Result<OpInfo, optap_record::NameTableFull> {
        let intern = |text: &str| NameTable::global().intern(text.as_bytes());
        let sources = op
            .sources
            .iter()
            .map(|source| intern(&self.model.nodes()[*source].name));
        Ok(OpInfo {
            name: intern(&op.name)?,
            type_: intern(&op.op_type)?,
            kernel: intern(&op.kernel)?,
            flags: flags_of(op),
            sources: sources.collect::<Result<_, _>>()?,
        })
    }
}

/// Ids of models count from 1 through the process, whatever kind of model it is.
pub fn fresh_model_id() -> u32 {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Ids of runs count from 1 through the process.
pub fn fresh_run_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn flags_of(op: &PlanOp) -> Flags {
    let mut flags = Flags::NONE;
    let marks = [
        (op.flags.made_by_engine, Flags::ENGINE),
        (op.flags.nested, Flags::NESTED),
        (op.flags.fused, Flags::FUSED),
    ];
    marks
        .into_iter()
        .filter(|(set, _)| *set)
        .for_each(|(_, flag)| flags.insert(flag));
    flags
}

/// What a run shares with whoever waits for it.
#[derive(Default)]
pub struct RunState {
    pub is_cancelled: AtomicBool,
    pub outputs: Mutex<Option<Vec<Tensor>>>,
    pub failure: Mutex<Option<optap_engine::Error>>,
}

/// How a run blocks: its worker counts as held, and an abort of the stream ends the wait.
pub struct RunHolder<'run> {
    pub is_cancelled: &'run AtomicBool,
    pub stream: &'run Stream,
}

impl Holder for RunHolder<'_> {
    fn held(&self, wait: &mut dyn FnMut()) {
        optap_runtime::held(wait);
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed) || self.stream.is_aborted()
    }
}

struct RunObserver<'run> {
    recorder: Recorder<'run>,
    holder: &'run RunHolder<'run>,
    names: &'run PlanNames,
    first_id: u32,
}

impl Observer for RunObserver<'_> {
    #[inline]
    fn before(&mut self, _op: usize) -> ControlFlow<Stop> {
        self.recorder.before();
        if self.holder.is_cancelled() {
            ControlFlow::Break(Stop)
        } else {
            ControlFlow::Continue(())
        }
    }

    #[inline]
    fn after(&mut self, op: usize, failed: bool) {
        let mut flags = self.names.flags.get(op).copied().unwrap_or_default();
        if failed {
            flags.insert(Flags::FAILED);
        }
        self.recorder.after(self.first_id + op as u32, flags);
    }
}

/// Submits a run of `executable` to `stream`.
///
/// # Errors
/// Those of [`Stream::submit`].
pub fn submit(
    executable: &Arc<Executable>,
    inputs: BoundInputs,
    stream: &Arc<Stream>,
    run_id: u64,
    state: &Arc<RunState>,
) -> optap_runtime::Result<Completion> {
    let (executable, state) = (executable.clone(), state.clone());
    stream.submit(Task::work(move |context| {
        let outputs = run(&executable, inputs, context, run_id, &state)?;
        *state.outputs.lock().unwrap_or_else(PoisonError::into_inner) = Some(outputs);
        Ok(())
    }))
}

fn run(
    executable: &Executable,
    inputs: BoundInputs,
    context: &TaskContext<'_>,
    run_id: u64,
    state: &RunState,
) -> optap_runtime::Result<Vec<Tensor>> {
    let fail = |error: optap_engine::Error| {
        let told = Error::new(engine_code(&error), error.to_string());
        *state.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        told
    };
    let plan = executable.model.plan(&inputs).map_err(fail)?;
    let names = executable.names(&plan)?;
    let stream = context.stream();
    let holder = RunHolder {
        is_cancelled: &state.is_cancelled,
        stream,
    };
    let recorder = Recorder::new(
        Profiler::global(),
        &executable.tap,
        stream.trail(),
        &holder,
        stream.id(),
        run_id,
    );
    let first_id = names.names.lease().first_id();
    let mut observer = RunObserver {
        recorder,
        holder: &holder,
        names: &names,
        first_id,
    };
    plan.run(inputs, &mut observer).map_err(fail)
}
