//! The module `acl.mdl`: models, what goes in and out of them, their runs and failures.

mod binding;
mod dataset;
mod desc;
mod execute;
mod failed_op;
mod functions;
mod job;
mod load;
mod load_config;
mod loaded;
mod state;

pub use dataset::{
    add_dataset_buffer, create_dataset, destroy_dataset, get_dataset_buffer,
    get_dataset_num_buffers, get_dataset_tensor_desc, set_dataset_tensor_desc,
};
pub use desc::{
    Dims, Side, create_desc, destroy_desc, get_cur_output_dims, get_data_type, get_desc, get_dims,
    get_format, get_index_by_name, get_name_by_index, get_num, get_size_by_index,
};
pub use execute::{execute, execute_async};
pub use failed_op::{OpDesc, create_and_get_op_desc};
pub(crate) use functions::FUNCTIONS;
pub use load::{
    Offer, device_of, load_from_file, load_from_file_with_mem, load_from_mem,
    load_from_mem_with_mem, query_size, query_size_from_mem, unload,
};
pub use load_config::{
    Setting, create_config_handle, destroy_config_handle, load_with_config, set_config_opt,
};
pub(crate) use state::State;
