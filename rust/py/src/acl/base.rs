//! The functions of `acl` itself.

use optap_acl::{answer, base};

use super::answer::object;
use super::args::Numbers;
use super::functions::functions;

functions! { "acl"
    /// Begin; a path names a configuration. Return the code.
    blocking_code init(path: Option<&str>) { base::init(path) }
    /// End, whoever has begun. Return the code.
    blocking_code finalize() { base::finalize() }
    /// Count one user less; return how many are left, and the code.
    blocking_pair finalize_reference() { base::finalize_reference() }
    /// Return major, minor and patch version, and the code.
    object get_version[py]() {
        let ((major, minor, patch), code) = answer::pair("acl.get_version", base::get_version(), (0, 0, 0));
        object(py, (major, minor, patch, code))
    }
    /// Return what computes.
    object get_soc_name[py]() { object(py, base::get_soc_name()) }
    /// Return why the latest failed call of this thread failed, once; `None` when none did.
    object get_recent_err_msg[py]() { object(py, answer::take_recent()) }
    /// Return the size of an element in bytes.
    value data_type_size(data_type: i32) { Ok(base::data_type_size(data_type)) }
    /// Return the value of half-precision bits.
    value float16_to_float(bits: u16) { Ok(base::float16_to_float(bits)) }
    /// Return the half-precision bits of a value.
    value float_to_float16(value: f32) { Ok(base::float_to_float16(value)) }

    /// Return a new data buffer.
    value create_data_buffer(address: u64, size_bytes: u64) { base::create_data_buffer(address, size_bytes) }
    /// Destroy a data buffer, not its data; return the code.
    code destroy_data_buffer(buffer: u64) { base::destroy_data_buffer(buffer) }
    /// Give a data buffer another address and size; return the code.
    code update_data_buffer(buffer: u64, address: u64, size_bytes: u64) {
        base::update_data_buffer(buffer, address, size_bytes)
    }
    /// Return the address of a data buffer; 0 for null.
    value get_data_buffer_addr(buffer: u64) { base::get_data_buffer_addr(buffer) }
    /// Return the size of a data buffer in bytes, cut to 32 bits; 0 for null.
    value get_data_buffer_size(buffer: u64) { base::get_data_buffer_size(buffer).map(|size| size as u32) }
    /// Return the size of a data buffer in bytes; 0 for null.
    value get_data_buffer_size_v2(buffer: u64) { base::get_data_buffer_size(buffer) }

    /// Return a new tensor description; 0 for a shape that cannot be.
    value create_tensor_desc(data_type: i32, dims: Numbers<i64>, format: i32) {
        base::create_tensor_desc(data_type, dims.0, format)
    }
    /// Destroy a tensor description, or the row that begins with it.
    nothing destroy_tensor_desc(desc: u64) { base::destroy_tensor_desc(desc) }
    /// Return the data type; -1 for null.
    value get_tensor_desc_type(desc: u64) or -1 { base::get_tensor_desc_type(desc) }
    /// Return the layout; -1 for null.
    value get_tensor_desc_format(desc: u64) or -1 { base::get_tensor_desc_format(desc) }
    /// Return the size in bytes; 0 for null and with an open dimension.
    value get_tensor_desc_size(desc: u64) { base::get_tensor_desc_size(desc) }
    /// Return the number of elements; 0 for null and with an open dimension.
    value get_tensor_desc_element_count(desc: u64) { base::get_tensor_desc_element_count(desc) }
    /// Return the number of dimensions; 0 for null.
    value get_tensor_desc_num_dims(desc: u64) { base::get_tensor_desc_num_dims(desc) }
    /// Return the size of a dimension; -1 where it does not exist.
    value get_tensor_desc_dim(desc: u64, index: u64) or -1 { base::get_tensor_desc_dim(desc, index) }
    /// Return the size of a dimension, and the code.
    pair get_tensor_desc_dim_v2(desc: u64, index: u64) { base::get_tensor_desc_dim(desc, index) }
    /// Return the range of a dimension as a list, and the code.
    pair get_tensor_desc_dim_range(desc: u64, index: u64, count: u64) {
        base::get_tensor_desc_dim_range(desc, index, count).map(Some)
    }
    /// Return the description at an index of a row; 0 where it does not exist.
    value get_tensor_desc_by_index(desc: u64, index: u64) { base::get_tensor_desc_by_index(desc, index) }
    /// Return the address of the data; 0 where there is none.
    value get_tensor_desc_address(desc: u64) { base::get_tensor_desc_address(desc) }
    /// Return the name; empty where there is none.
    value get_tensor_desc_name(desc: u64) { base::get_tensor_desc_name(desc) }
}
