//! The functions of `acl.mdl` that tell what a model takes and gives.

use optap_acl::mdl::{self, Dims, Side};
use optap_runtime::Result;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::answer::object;
use super::functions::functions;

functions! { "acl.mdl"
    /// Return a new description of a model.
    value create_desc() { mdl::create_desc() }
    /// Fill a description with what a model is; return the code.
    code get_desc(desc: u64, model_id: u32) { mdl::get_desc(desc, model_id) }
    /// Destroy a description; return the code.
    code destroy_desc(desc: u64) { mdl::destroy_desc(desc) }
    /// Return the number of inputs.
    value get_num_inputs(desc: u64) { mdl::get_num(desc, Side::Input) }
    /// Return the number of outputs.
    value get_num_outputs(desc: u64) { mdl::get_num(desc, Side::Output) }
    /// Return the size of an input in bytes; 0 where it is open.
    value get_input_size_by_index(desc: u64, index: u64) { mdl::get_size_by_index(desc, Side::Input, index) }
    /// Return the size of an output in bytes; 0 where it is open.
    value get_output_size_by_index(desc: u64, index: u64) { mdl::get_size_by_index(desc, Side::Output, index) }
    /// Return name and shape of an input as a dict, and the code.
    object get_input_dims[py](desc: u64, index: u64) {
        dims(py, "acl.mdl.get_input_dims", mdl::get_dims(desc, Side::Input, index))
    }
    /// As `get_input_dims`.
    object get_input_dims_v2[py](desc: u64, index: u64) {
        dims(py, "acl.mdl.get_input_dims_v2", mdl::get_dims(desc, Side::Input, index))
    }
    /// Return name and shape of an output as a dict, and the code.
    object get_output_dims[py](desc: u64, index: u64) {
        dims(py, "acl.mdl.get_output_dims", mdl::get_dims(desc, Side::Output, index))
    }
    /// Return name and shape of an output in the latest run as a dict, and the code.
    object get_cur_output_dims[py](desc: u64, index: u64) {
        dims(py, "acl.mdl.get_cur_output_dims", mdl::get_cur_output_dims(desc, index))
    }
    /// Return the name of an input.
    value get_input_name_by_index(desc: u64, index: u64) { mdl::get_name_by_index(desc, Side::Input, index) }
    /// Return the name of an output.
    value get_output_name_by_index(desc: u64, index: u64) { mdl::get_name_by_index(desc, Side::Output, index) }
    /// Return the layout of an input; -1 where it does not exist.
    value get_input_format(desc: u64, index: u64) or -1 { mdl::get_format(desc, Side::Input, index) }
    /// Return the layout of an output; -1 where it does not exist.
    value get_output_format(desc: u64, index: u64) or -1 { mdl::get_format(desc, Side::Output, index) }
    /// Return the data type of an input; -1 where it does not exist.
    value get_input_data_type(desc: u64, index: u64) or -1 { mdl::get_data_type(desc, Side::Input, index) }
    /// Return the data type of an output; -1 where it does not exist.
    value get_output_data_type(desc: u64, index: u64) or -1 { mdl::get_data_type(desc, Side::Output, index) }
    /// Return the index of the input with a name, and the code.
    pair get_input_index_by_name(desc: u64, name: &str) { mdl::get_index_by_name(desc, Side::Input, name) }
    /// Return the index of the output with a name, and the code.
    pair get_output_index_by_name(desc: u64, name: &str) { mdl::get_index_by_name(desc, Side::Output, name) }
}

fn dims<'py>(
    py: Python<'py>,
    function: &'static str,
    dims: Result<Dims>,
) -> PyResult<Bound<'py, PyAny>> {
    let (dims, code) = optap_acl::answer::pair(function, dims.map(Some), None);
    let told = PyDict::new(py);
    if let Some(Dims { name, dims }) = dims {
        told.set_item("name", name)?;
        told.set_item("dimCount", dims.len())?;
        told.set_item("dims", dims)?;
    }
    object(py, (told, code))
}
