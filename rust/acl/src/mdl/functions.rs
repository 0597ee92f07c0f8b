//! The functions of `acl.mdl`.

use crate::Function;

/// All functions of the module.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::same("acl.mdl.unload"),
    Function::same("acl.mdl.execute_async"),
    Function::same("acl.mdl.create_desc"),
    Function::same("acl.mdl.get_desc"),
    Function::same("acl.mdl.get_num_inputs"),
    Function::same("acl.mdl.get_num_outputs"),
    Function::same("acl.mdl.get_input_name_by_index"),
    Function::same("acl.mdl.get_output_name_by_index"),
    Function::same("acl.mdl.get_input_data_type"),
    Function::same("acl.mdl.get_output_data_type"),
    Function::same("acl.mdl.get_input_index_by_name"),
    Function::same("acl.mdl.get_output_index_by_name"),
    Function::same("acl.mdl.create_dataset"),
    Function::same("acl.mdl.add_dataset_buffer"),
    Function::same("acl.mdl.get_dataset_num_buffers"),
    Function::same("acl.mdl.get_dataset_buffer"),
    Function::same("acl.mdl.get_dataset_tensor_desc"),
    Function::same("acl.mdl.set_dataset_tensor_desc"),
    Function::same("acl.mdl.get_cur_output_dims"),
    Function::same("acl.mdl.create_config_handle"),
    Function::same("acl.mdl.set_config_opt"),
    Function::same("acl.mdl.load_with_config"),
    Function::differs(
        "acl.mdl.load_from_file",
        "models are ONNX files; an .om file gives 545001, for a CPU cannot run it",
    ),
    Function::differs(
        "acl.mdl.load_from_mem",
        "models are ONNX files; an .om file gives 545001, for a CPU cannot run it",
    ),
    Function::differs(
        "acl.mdl.load_from_file_with_mem",
        "the engine has memory of its own: that of the script is checked for null and left alone",
    ),
    Function::differs(
        "acl.mdl.load_from_mem_with_mem",
        "the engine has memory of its own: that of the script is checked for null and left alone",
    ),
    Function::differs(
        "acl.mdl.query_size",
        "what scripts may allocate: the size of the ends, and that of the file",
    ),
    Function::differs("acl.mdl.query_size_from_mem", "as query_size"),
    Function::differs(
        "acl.mdl.execute",
        "runs on the default stream of the current context",
    ),
    Function::differs(
        "acl.mdl.destroy_desc",
        "a destroyed description gives 100000 in place of a crash",
    ),
    Function::differs(
        "acl.mdl.destroy_dataset",
        "a destroyed dataset gives 100000 in place of a crash",
    ),
    Function::differs(
        "acl.mdl.destroy_config_handle",
        "a destroyed configuration gives 100000 in place of a crash",
    ),
    Function::differs(
        "acl.mdl.get_input_size_by_index",
        "0 for an input with open dimensions",
    ),
    Function::differs(
        "acl.mdl.get_output_size_by_index",
        "0 for an output with open dimensions",
    ),
    Function::differs(
        "acl.mdl.get_input_dims",
        "open dimensions are -1, an open rank is -2",
    ),
    Function::differs("acl.mdl.get_input_dims_v2", "as get_input_dims"),
    Function::differs("acl.mdl.get_output_dims", "as get_input_dims"),
    Function::differs(
        "acl.mdl.get_input_format",
        "always ND (2), for ONNX says nothing of layouts",
    ),
    Function::differs(
        "acl.mdl.get_output_format",
        "always ND (2), for ONNX says nothing of layouts",
    ),
    Function::differs(
        "acl.mdl.create_and_get_op_desc",
        "all descriptions are filled; the last 1000 failed operators are known, later ones give 145000",
    ),
    Function::unsupported("acl.mdl.init_dump", "operators are not dumped to files"),
    Function::unsupported("acl.mdl.set_dump", "operators are not dumped to files"),
    Function::unsupported("acl.mdl.finalize_dump", "operators are not dumped to files"),
];
