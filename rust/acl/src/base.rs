//! The module `acl` itself: the process, numbers, data buffers, tensor descriptions.

mod buffer;
mod config;
mod data_type;
mod float16;
mod functions;
mod process;
mod tensor_desc;

use crate::Handles;
use optap_runtime::ErrorCode;

pub(crate) use buffer::DataBuffer;
pub use buffer::{
    create_data_buffer, destroy_data_buffer, get_data_buffer_addr, get_data_buffer_size,
    update_data_buffer,
};
pub use data_type::data_type_size;
pub(crate) use data_type::{from_dtype, to_dtype};
pub use float16::{float_to_float16, float16_to_float};
pub(crate) use functions::FUNCTIONS;
pub use process::{finalize, finalize_reference, get_soc_name, get_version, init};
pub(crate) use tensor_desc::{Data, TensorDesc};
pub use tensor_desc::{
    create_tensor_desc, destroy_tensor_desc, get_tensor_desc_address, get_tensor_desc_by_index,
    get_tensor_desc_dim, get_tensor_desc_dim_range, get_tensor_desc_element_count,
    get_tensor_desc_format, get_tensor_desc_name, get_tensor_desc_num_dims, get_tensor_desc_size,
    get_tensor_desc_type,
};

/// What the calls of this module share.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) process: process::Process,
    pub(crate) buffers: Handles<DataBuffer>,
    pub(crate) descs: Handles<TensorDesc>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            process: process::Process::default(),
            buffers: Handles::new("data buffer", ErrorCode::InvalidParam),
            descs: Handles::new("tensor description", ErrorCode::InvalidParam),
        }
    }
}
