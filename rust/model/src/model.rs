//! A loaded model.

use std::sync::Arc;

use optap_engine::{BoundInputs, Tensor};
use optap_profiler::{Profiler, Recorder, Tap, Target};
use optap_runtime::{Result, Stream, Task, TaskContext};

use crate::failure::told;
use crate::id::{fresh_model_id, fresh_run_id};
use crate::names::NameCache;
use crate::observer::{RunHolder, RunObserver};
use crate::run::{Run, RunState};

/// A model of the engine under an id, on a device.
pub struct Model {
    engine: optap_engine::Model,
    tap: Arc<Tap>,
    name: String,
    names: NameCache,
}

impl Model {
    /// Registers `engine` under a fresh id.
    pub fn new(engine: optap_engine::Model, name: String, device_id: u32) -> Arc<Self> {
        let tap = Profiler::global().add_model(fresh_model_id(), device_id);
        Arc::new(Self {
            engine,
            tap,
            name,
            names: NameCache::default(),
        })
    }

    /// Id of the model, unique in the process.
    pub fn id(&self) -> u32 {
        self.tap.model_id()
    }

    /// What the loader called it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model as the engine knows it: inputs, outputs, nodes, plans.
    pub fn engine(&self) -> &optap_engine::Model {
        &self.engine
    }

    /// What a subscription to the model listens to.
    pub fn target(&self) -> Target {
        Target::Model(self.id())
    }

    /// Submits a run to `stream`. A plan for new shapes is compiled there, too.
    ///
    /// # Errors
    /// Those of [`Stream::submit`]; what happens in the run is told by its completion.
    pub fn submit(self: &Arc<Self>, inputs: BoundInputs, stream: &Arc<Stream>) -> Result<Run> {
        let (run_id, state) = (fresh_run_id(), Arc::<RunState>::default());
        let (model, shared) = (self.clone(), state.clone());
        let completion = stream.submit(Task::work(move |context| {
            let outputs = model.run(inputs, context, run_id, &shared)?;
            *shared.outputs.lock() = Some(outputs);
            Ok(())
        }))?;
        Ok(Run {
            run_id,
            model_id: self.id(),
            stream_id: stream.id(),
            completion,
            state,
        })
    }

    fn run(
        &self,
        inputs: BoundInputs,
        context: &TaskContext<'_>,
        run_id: u64,
        state: &RunState,
    ) -> Result<Vec<Tensor>> {
        let fail = |error: optap_engine::Error| {
            let failure = told(&error);
            *state.failure.lock() = Some(error);
            failure
        };
        let plan = self.engine.plan(&inputs).map_err(fail)?;
        let names = self.names.of(&plan, self.engine.nodes())?;
        let stream = context.stream();
        let holder = RunHolder {
            is_cancelled: &state.is_cancelled,
            stream,
        };
        let recorder = Recorder::new(
            Profiler::global(),
            &self.tap,
            stream.trail(),
            &holder,
            stream.id(),
            run_id,
        );
        plan.run(inputs, &mut RunObserver::new(recorder, &holder, &names))
            .map_err(fail)
    }
}
