//! A loaded model.

use std::fmt;
use std::sync::Arc;

use optap_engine::{BoundInputs, Tensor};
use optap_profiler::{Profiler, Recorder, Tap, Target};
use optap_runtime::{Error, ErrorCode, Result, Stream, Task, TaskContext};

use crate::failure::RunFailure;
use crate::fault::{Fault, FaultKind, Faults, has_node};
use crate::id::{fresh_model_id, fresh_run_id};
use crate::names::NameCache;
use crate::observer::{RunHolder, RunObserver};
use crate::registry::Registry;
use crate::run::{Run, RunOrders, RunState};
use crate::watch::Watch;

/// A model of the engine under an id, on a device.
pub struct Model {
    engine: optap_engine::Model,
    tap: Arc<Tap>,
    name: String,
    names: NameCache,
    faults: Faults,
}

impl Model {
    /// Registers `engine` under a fresh id, with the faults that `OPTAP_FAULTS` scripts for its nodes.
    ///
    /// # Errors
    /// [`optap_engine::Error::Setting`] where that variable cannot be understood.
    pub fn new(
        engine: optap_engine::Model,
        name: String,
        device_id: u32,
    ) -> std::result::Result<Arc<Self>, optap_engine::Error> {
        let faults = Faults::from_env(engine.nodes())?;
        let tap = Profiler::global().add_model(fresh_model_id(), device_id);
        let model = Arc::new(Self {
            engine,
            tap,
            name,
            names: NameCache::default(),
            faults,
        });
        Registry::add(&model);
        Ok(model)
    }

    /// The model with this id, while somebody holds it; 145003 when there is none.
    pub fn find(id: u32) -> Result<Arc<Self>> {
        Registry::find(id).ok_or_else(|| {
            let detail = format!("no loaded model has the id {id}; it may be unloaded");
            Error::new(ErrorCode::GeExecModelIdInvalid, detail)
        })
    }

    /// Id of the model, unique in the process.
    pub fn id(&self) -> u32 {
        self.tap.model_id()
    }

    /// Id of the device that it was loaded for.
    pub fn device_id(&self) -> u32 {
        self.tap.device_id()
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

    /// Submits a run to `stream`, whose ops carry the range `range_id` (0 for none). A plan for new shapes is compiled
    /// there, too.
    ///
    /// # Errors
    /// Those of [`Stream::submit`]; what happens in the run is told by its completion.
    pub fn submit(
        self: &Arc<Self>,
        inputs: BoundInputs,
        stream: &Arc<Stream>,
        range_id: u32,
    ) -> Result<Run> {
        let (run_id, state) = (fresh_run_id(), Arc::<RunState>::default());
        let (model, shared) = (self.clone(), state.clone());
        let completion = stream.submit(Task::work(move |context| {
            let orders = RunOrders {
                run_id,
                range_id,
                cancelled: &shared.cancelled,
                op_limit: None,
                keeps_inputs: false,
            };
            shared.settle(model.run(inputs, context, &orders))
        }))?;
        Ok(Run {
            run_id,
            model_id: self.id(),
            stream_id: stream.id(),
            completion,
            state,
        })
    }

    /// Runs the model here and now, as a task of a stream.
    ///
    /// # Errors
    /// What the engine says, the failure of an operator that was made to fail or took too long, and 300000 when the
    /// memory of names is exhausted.
    pub fn run(
        &self,
        inputs: BoundInputs,
        context: &TaskContext<'_>,
        orders: &RunOrders<'_>,
    ) -> std::result::Result<Vec<Tensor>, Box<RunFailure>> {
        let plan = self.engine.plan(&inputs)?;
        let names = self.names.of(&plan, self.engine.nodes())?;
        let stream = context.stream();
        let holder = RunHolder {
            cancelled: orders.cancelled,
            stream,
        };
        let recorder = Recorder::new(
            Profiler::global(),
            &self.tap,
            stream.trail(),
            &holder,
            stream.id(),
            orders.run_id,
        )
        .in_range(orders.range_id);
        let mut observer = RunObserver::new(recorder, &holder, &names);
        let armed = self.faults.arm();
        if armed.is_empty() && orders.op_limit.is_none() && !orders.keeps_inputs {
            let result = plan.run(inputs, &mut observer);
            return observer.end(&plan, None, result);
        }
        let mut watch = Watch::new(observer, &plan, self.engine.nodes(), armed, orders);
        let result = plan.run(inputs, &mut watch);
        watch.end(result)
    }

    /// Lets the node `name` fail in the run `at_run` from now; 1 is the next one.
    ///
    /// # Errors
    /// 100024 for a node that the model does not have, 100000 for a run of 0.
    pub fn fail_op(&self, name: &str, at_run: u64, kind: FaultKind) -> Result<()> {
        if !has_node(self.engine.nodes(), name) {
            let detail = format!("model {} has no node '{name}'", self.id());
            return Err(Error::new(ErrorCode::OpNotFound, detail));
        }
        if at_run == 0 {
            let detail = "at_run is 0; runs are counted from 1, the next one";
            return Err(Error::new(ErrorCode::InvalidParam, detail));
        }
        self.faults.script(Fault {
            name: name.to_owned(),
            kind,
            runs_left: at_run,
        });
        Ok(())
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        Registry::remove(self.id());
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("id", &self.id())
            .field("engine", &self.engine)
            .finish_non_exhaustive()
    }
}
