//! Data buffers: an address and a size. They own nothing.

use optap_runtime::Result;
use parking_lot::Mutex;

use crate::{Acl, Handles};

/// Where data lies.
#[derive(Debug)]
pub(crate) struct DataBuffer(Mutex<(u64, u64)>);

impl DataBuffer {
    /// The address, and the size in bytes.
    pub(crate) fn span(&self) -> (u64, u64) {
        *self.0.lock()
    }
}

fn buffers() -> &'static Handles<DataBuffer> {
    &Acl::global().base.buffers
}

/// A new buffer for `size_bytes` at `address`, both of which may be 0.
pub fn create_data_buffer(address: u64, size_bytes: u64) -> Result<u64> {
    Ok(buffers().insert(DataBuffer(Mutex::new((address, size_bytes))).into()))
}

/// Destroys a buffer, not its data. 100000 for null and the second time.
pub fn destroy_data_buffer(buffer: u64) -> Result<()> {
    buffers().take(buffer).map(drop)
}

/// Gives a buffer another address and size. 100000 for null and for a destroyed one.
pub fn update_data_buffer(buffer: u64, address: u64, size_bytes: u64) -> Result<()> {
    *buffers().get(buffer)?.0.lock() = (address, size_bytes);
    Ok(())
}

/// The address. 100000 for null and for a destroyed buffer.
pub fn get_data_buffer_addr(buffer: u64) -> Result<u64> {
    Ok(buffers().get(buffer)?.span().0)
}

/// The size in bytes. 100000 for null and for a destroyed buffer.
pub fn get_data_buffer_size(buffer: u64) -> Result<u64> {
    Ok(buffers().get(buffer)?.span().1)
}
