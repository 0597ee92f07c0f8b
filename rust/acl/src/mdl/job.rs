//! One run of a model, as a task of a stream.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use optap_engine::{BoundInputs, DType, Plan, Tensor};
use optap_model::{RunHolder, fresh_run_id};
use optap_profiler::{Profiler, Recorder};
use optap_runtime::{Error, ErrorCode, Result, Task, TaskContext, thread_id};

use crate::mdl::binding;
use crate::mdl::dataset::Part;
use crate::mdl::failed_op::FailedOp;
use crate::mdl::load::told;
use crate::mdl::loaded::Loaded;
use crate::mdl::state::{model, state};
use crate::mdl::watch::{Outcome, Watch};
use crate::rt;

/// A model with the buffers of one run.
pub(super) struct Job {
    loaded: Arc<Loaded>,
    inputs: Vec<Part>,
    outputs: Vec<Part>,
    submitter: u32,
}

impl Job {
    /// Looks everything up. 100000 for null or destroyed datasets and buffers, 145003 for an unknown model.
    pub(super) fn new(model_id: u32, inputs: u64, outputs: u64) -> Result<Self> {
        let (inputs, outputs) = (
            state().datasets.get(inputs)?,
            state().datasets.get(outputs)?,
        );
        Ok(Self {
            loaded: model(model_id)?,
            inputs: inputs.parts()?,
            outputs: outputs.parts()?,
            submitter: thread_id(),
        })
    }

    /// The task.
    pub(super) fn into_task(self) -> Task {
        Task::work(move |context| self.run(context))
    }

    fn run(&self, context: &TaskContext<'_>) -> Result<()> {
        let inputs = binding::read(&self.loaded.engine, &self.inputs)?;
        let plan = self
            .loaded
            .engine
            .plan(&inputs)
            .map_err(|error| told(&error))?;
        let outputs = self.drive(&plan, inputs, context)?;
        binding::write(&outputs, &self.outputs)?;
        let shapes = outputs
            .iter()
            .map(|output| output.shape().to_vec())
            .collect();
        *self.loaded.output_shapes.lock() = Some(shapes);
        Ok(())
    }

    fn drive(
        &self,
        plan: &Arc<Plan>,
        inputs: BoundInputs,
        context: &TaskContext<'_>,
    ) -> Result<Vec<Tensor>> {
        let names = self.loaded.names_of(plan)?;
        let is_cancelled = AtomicBool::new(false);
        let holder = RunHolder {
            is_cancelled: &is_cancelled,
            stream: context.stream(),
        };
        let stream = context.stream();
        let (profiler, tap) = (Profiler::global(), &self.loaded.tap);
        let recorder = Recorder::new(
            profiler,
            tap,
            stream.trail(),
            &holder,
            stream.id(),
            fresh_run_id(),
        );
        let armed = state().faults.arm(self.loaded.id());
        let mut watch = Watch::new(
            recorder,
            &holder,
            &names,
            plan,
            self.loaded.engine.nodes(),
            armed,
        );
        let result = plan.run(inputs.clone(), &mut watch);
        match (watch.outcome(), result) {
            (Outcome::Well, Ok(outputs)) => Ok(outputs),
            (Outcome::Poisoned, Ok(outputs)) => poison(outputs),
            (Outcome::Failed { op, error }, result) => {
                let error = error.unwrap_or_else(|| operator_failure(result.err()));
                self.tell(plan, op, &inputs, context, &error);
                Err(error)
            }
            (_, Err(error)) => Err(context
                .stream()
                .aborted()
                .result()
                .and_then(Result::err)
                .unwrap_or_else(|| told(&error))),
        }
    }

    /// Keeps what is known of a failed operator, and tells whoever asked to be told.
    fn tell(
        &self,
        plan: &Plan,
        op: usize,
        inputs: &BoundInputs,
        context: &TaskContext<'_>,
        error: &Error,
    ) {
        let info = rt::ExceptionInfo {
            task_id: context.task_id(),
            stream_id: context.stream().id(),
            thread_id: self.submitter,
            device_id: context.device_id(),
            error_code: error.code().code().cast_unsigned(),
        };
        state().failed_ops.keep(FailedOp::new(
            &info,
            &self.loaded.engine,
            &plan.ops()[op],
            inputs,
        ));
        if rt::is_watched() {
            optap_runtime::held(|| rt::raise(info));
        }
    }
}

fn operator_failure(error: Option<optap_engine::Error>) -> Error {
    let detail = error.map_or_else(
        || "the operator failed".to_owned(),
        |error| error.to_string(),
    );
    Error::new(ErrorCode::AicoreException, detail)
}

/// Makes every floating number of the outputs a NaN.
fn poison(outputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
    let poisoned = outputs.into_iter().map(|output| {
        let nan: &[u8] = match output.dtype() {
            DType::F16 => &0x7e00_u16.to_le_bytes(),
            DType::F32 => &f32::NAN.to_le_bytes(),
            DType::F64 => &f64::NAN.to_le_bytes(),
            _ => return Ok(output),
        };
        let bytes = nan.repeat(output.as_bytes().len() / nan.len());
        Tensor::new(output.dtype(), output.shape(), &bytes).map_err(|error| told(&error))
    });
    poisoned.collect()
}
