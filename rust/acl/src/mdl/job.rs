//! One run of a model, as a task of a stream.

use std::sync::Arc;

use optap_model::{FailedOp, RunFailure, RunOrders, fresh_run_id};
use optap_runtime::{Completion, Error, ErrorCode, Result, Task, TaskContext, thread_id};

use crate::mdl::binding;
use crate::mdl::dataset::Part;
use crate::mdl::failed_op::Remembered;
use crate::mdl::loaded::Loaded;
use crate::mdl::state::{model, state};
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
        let model = &self.loaded.model;
        let inputs = binding::read(model.engine(), &self.inputs)?;
        let orders = RunOrders {
            run_id: fresh_run_id(),
            range_id: 0,
            cancelled: &Completion::new(),
            op_limit: rt::op_limit(),
            keeps_inputs: rt::is_watched(),
        };
        let outputs = model
            .run(inputs, context, &orders)
            .map_err(|failure| self.answer(*failure, context))?;
        binding::write(&outputs, &self.outputs)?;
        let shapes = outputs.iter().map(|output| output.shape().to_vec());
        *self.loaded.output_shapes.lock() = Some(shapes.collect());
        Ok(())
    }

    /// What the stream is told of a failure; of an operator's, whoever asked is told before.
    fn answer(&self, failure: RunFailure, context: &TaskContext<'_>) -> Error {
        let RunFailure { error, op, .. } = failure;
        if let Some(op) = op {
            let error = of_operator(error);
            self.tell(&op, context, &error);
            return error;
        }
        let aborted = context.stream().aborted().result();
        let stopped = error.code() == ErrorCode::ModelAbortNormal;
        aborted
            .filter(|_| stopped)
            .and_then(Result::err)
            .unwrap_or(error)
    }

    /// Keeps what is known of a failed operator, and tells whoever asked to be told.
    fn tell(&self, op: &FailedOp, context: &TaskContext<'_>, error: &Error) {
        let info = rt::ExceptionInfo {
            task_id: context.task_id(),
            stream_id: context.stream().id(),
            thread_id: self.submitter,
            device_id: context.device_id(),
            error_code: error.code().code().cast_unsigned(),
        };
        let nodes = self.loaded.model.engine().nodes();
        state().failed_ops.keep(Remembered::new(&info, nodes, op));
        if rt::is_watched() {
            optap_runtime::held(|| rt::raise(info));
        }
    }
}

/// Hardware has two codes for an operator: it takes too long, or it fails.
fn of_operator(error: Error) -> Error {
    match error.code() {
        ErrorCode::AicoreTimeout => error,
        _ => Error::new(ErrorCode::AicoreException, error.detail()),
    }
}
