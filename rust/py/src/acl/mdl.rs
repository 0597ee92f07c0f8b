//! The functions of `acl.mdl`: loading, datasets, runs.

use optap_acl::mdl::{self, Setting};
use optap_acl::{answer, bytes};
use optap_runtime::{Error, ErrorCode, Result};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::answer::{code, object};
use super::args;
use super::functions::functions;

functions! { "acl.mdl"
    /// Load a model from a file; return its id, and the code.
    blocking_pair load_from_file(path: &str) { mdl::load_from_file(path) }
    /// Load a model from memory; return its id, and the code.
    blocking_pair load_from_mem(address: u64, size_bytes: u64) {
        // SAFETY: the script names memory that it does not write meanwhile.
        mdl::load_from_mem(unsafe { bytes::at(address, size_bytes) })
    }
    /// As `load_from_file`, with memory for work and weights.
    blocking_pair load_from_file_with_mem(path: &str, work: u64, work_bytes: u64, weight: u64, weight_bytes: u64) {
        mdl::load_from_file_with_mem(path, offers(work, work_bytes, weight, weight_bytes))
    }
    /// As `load_from_mem`, with memory for work and weights.
    blocking_pair load_from_mem_with_mem(
        address: u64, size_bytes: u64, work: u64, work_bytes: u64, weight: u64, weight_bytes: u64
    ) {
        let offers = offers(work, work_bytes, weight, weight_bytes);
        // SAFETY: the script names memory that it does not write meanwhile.
        mdl::load_from_mem_with_mem(unsafe { bytes::at(address, size_bytes) }, offers)
    }
    /// Return a new configuration for loading.
    value create_config_handle() { mdl::create_config_handle() }
    /// Destroy a configuration; return the code.
    code destroy_config_handle(config: u64) { mdl::destroy_config_handle(config) }
    /// Set an attribute of a configuration; return the code.
    object set_config_opt[py](config: u64, attribute: u32, value: Bound<'py, PyAny>) {
        const NAME: &str = "acl.mdl.set_config_opt";
        code(py, NAME, mdl::set_config_opt(config, attribute, setting(NAME, &value)?))
    }
    /// Load a model as a configuration says; return its id, and the code.
    blocking_pair load_with_config(config: u64) {
        // SAFETY: the script names memory that it does not write meanwhile.
        unsafe { mdl::load_with_config(config) }
    }
    /// Unload a model; return the code.
    blocking_code unload(model_id: u32) { mdl::unload(model_id) }
    /// Return how many bytes a model asks for to work in, for its weights, and the code.
    object query_size[py](path: &str) {
        sizes(py, "acl.mdl.query_size", py.detach(|| mdl::query_size(path)))
    }
    /// As `query_size`, for a model in memory.
    object query_size_from_mem[py](address: u64, size_bytes: u64) {
        // SAFETY: the script names memory that it does not write meanwhile.
        let model = unsafe { bytes::at(address, size_bytes) };
        sizes(py, "acl.mdl.query_size_from_mem", py.detach(|| mdl::query_size_from_mem(model)))
    }
    /// Run a model and wait for it; return the code.
    blocking_code execute(model_id: u32, inputs: u64, outputs: u64) { mdl::execute(model_id, inputs, outputs) }
    /// Queue a run of a model on a stream; return the code.
    code execute_async(model_id: u32, inputs: u64, outputs: u64, stream: u64) {
        mdl::execute_async(model_id, inputs, outputs, stream)
    }

    /// Return a new dataset.
    value create_dataset() { mdl::create_dataset() }
    /// Destroy a dataset, not its buffers; return the code.
    code destroy_dataset(dataset: u64) { mdl::destroy_dataset(dataset) }
    /// Append a buffer; return the dataset, and the code.
    pair add_dataset_buffer(dataset: u64, buffer: u64) { mdl::add_dataset_buffer(dataset, buffer) }
    /// Return the number of buffers.
    value get_dataset_num_buffers(dataset: u64) { mdl::get_dataset_num_buffers(dataset) }
    /// Return the buffer at an index; 0 where it does not exist.
    value get_dataset_buffer(dataset: u64, index: u64) { mdl::get_dataset_buffer(dataset, index) }
    /// Describe the buffer at an index; return the dataset, and the code.
    pair set_dataset_tensor_desc(dataset: u64, desc: u64, index: u64) {
        mdl::set_dataset_tensor_desc(dataset, desc, index)
    }
    /// Return the description of the buffer at an index; 0 where there is none.
    value get_dataset_tensor_desc(dataset: u64, index: u64) { mdl::get_dataset_tensor_desc(dataset, index) }

    /// Return name, inputs, their number, outputs, their number of the operator that failed in a task, and the code.
    object create_and_get_op_desc[py](device_id: u32, stream_id: u32, task_id: u32, name_bytes: u64) {
        let found = mdl::create_and_get_op_desc(device_id, stream_id, task_id, name_bytes);
        let (op, code) = answer::pair("acl.mdl.create_and_get_op_desc", found, Default::default());
        object(py, (op.name, op.inputs, op.num_inputs, op.outputs, op.num_outputs, code))
    }
    /// Not supported: operators are not dumped.
    code init_dump() { no_dump() }
    /// Not supported: operators are not dumped.
    code set_dump(_path: Option<&str>) { no_dump() }
    /// Not supported: operators are not dumped.
    code finalize_dump() { no_dump() }
}

fn offers(work: u64, work_bytes: u64, weight: u64, weight_bytes: u64) -> [mdl::Offer; 2] {
    [(work, work_bytes), (weight, weight_bytes)].map(|(address, size_bytes)| mdl::Offer {
        address,
        size_bytes,
    })
}

fn sizes<'py>(
    py: Python<'py>,
    function: &'static str,
    sizes: Result<(usize, usize)>,
) -> PyResult<Bound<'py, PyAny>> {
    let ((work_bytes, weight_bytes), code) = answer::pair(function, sizes, (0, 0));
    object(py, (work_bytes, weight_bytes, code))
}

fn setting(function: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Setting> {
    let number = <u64 as args::Arg<'_, '_>>::parse(value.as_borrowed())?.map(Setting::Number);
    number
        .or_else(|| value.extract().ok().map(Setting::Text))
        .ok_or_else(|| PyTypeError::new_err(format!("{function} args parse failed")))
}

fn no_dump() -> Result<()> {
    let detail = "operators are not dumped to files; subscribe to the model to see them";
    Err(Error::new(ErrorCode::FeatureNotSupport, detail))
}
