//! The functions of `acl` itself.

use crate::Function;

/// All functions of the module.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::same("acl.finalize"),
    Function::same("acl.finalize_reference"),
    Function::same("acl.get_version"),
    Function::same("acl.get_recent_err_msg"),
    Function::same("acl.data_type_size"),
    Function::same("acl.float16_to_float"),
    Function::same("acl.float_to_float16"),
    Function::same("acl.create_data_buffer"),
    Function::same("acl.update_data_buffer"),
    Function::same("acl.get_data_buffer_addr"),
    Function::same("acl.get_data_buffer_size"),
    Function::same("acl.get_data_buffer_size_v2"),
    Function::same("acl.create_tensor_desc"),
    Function::same("acl.get_tensor_desc_type"),
    Function::same("acl.get_tensor_desc_format"),
    Function::same("acl.get_tensor_desc_size"),
    Function::same("acl.get_tensor_desc_element_count"),
    Function::same("acl.get_tensor_desc_num_dims"),
    Function::same("acl.get_tensor_desc_dim"),
    Function::same("acl.get_tensor_desc_dim_v2"),
    Function::same("acl.get_tensor_desc_dim_range"),
    Function::same("acl.get_tensor_desc_address"),
    Function::same("acl.get_tensor_desc_name"),
    Function::differs(
        "acl.init",
        "without `output` and ASCEND_WORK_PATH, profiles by the configuration go below the current folder: the executable is Python's",
    ),
    Function::differs("acl.get_soc_name", "always CPU"),
    Function::differs(
        "acl.destroy_data_buffer",
        "a destroyed buffer gives 100000 in place of a crash",
    ),
    Function::differs(
        "acl.destroy_tensor_desc",
        "a destroyed description is reported in place of a crash",
    ),
    Function::differs(
        "acl.get_tensor_desc_by_index",
        "an index behind the end gives 0 in place of an address outside of the array",
    ),
];
