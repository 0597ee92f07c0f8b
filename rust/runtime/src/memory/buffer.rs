//! Device memory that is owned and safe to use.

use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;

use super::block::Block;
use super::{Memory, Place};
use crate::codes::ErrorCode;
use crate::error::{Error, Result};

/// Memory on a device that is freed with its last owner. Zeroed at first, aligned to 64 bytes.
///
/// Reads share the buffer and a write has it alone. Access by [`address`](Self::address) is outside of that.
///
/// ```
/// use optap_runtime::{Config, Runtime};
/// let runtime = Runtime::new(Config::default())?;
/// let buffer = runtime.device(0)?.allocate(4)?;
/// buffer.copy_from(1, &[7, 8])?;
/// let mut bytes = [1; 4];
/// buffer.copy_to(0, &mut bytes)?;
/// assert_eq!(bytes, [0, 7, 8, 0]);
/// # Ok::<(), optap_runtime::Error>(())
/// ```
pub struct DeviceBuffer {
    memory: Arc<Memory>,
    block: Arc<Block>,
    access: RwLock<()>,
}

impl DeviceBuffer {
    pub(crate) fn new(memory: &Arc<Memory>, device_id: u32, len_bytes: usize) -> Result<Self> {
        let block = memory.allocate_block(Place::Device(device_id), len_bytes)?;
        Ok(Self {
            memory: Arc::clone(memory),
            block,
            access: RwLock::default(),
        })
    }

    /// The address, for copies by address.
    pub fn address(&self) -> usize {
        self.block.address()
    }

    /// The length in bytes, 1 or more.
    pub fn len_bytes(&self) -> usize {
        self.block.len_bytes()
    }

    /// Where the memory lies.
    pub fn place(&self) -> Place {
        self.block.place()
    }

    /// Writes `bytes` at `offset`; 107000 when they do not fit.
    pub fn copy_from(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.check(offset, bytes.len())?;
        let _alone = self.access.write();
        self.block.write(offset, bytes);
        Ok(())
    }

    /// Reads into `bytes` from `offset`; 107000 when there are not as many.
    pub fn copy_to(&self, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.check(offset, bytes.len())?;
        let _shared = self.access.read();
        self.block.read(offset, bytes);
        Ok(())
    }

    fn check(&self, offset: usize, count: usize) -> Result<()> {
        let len_bytes = self.len_bytes();
        if offset
            .checked_add(count)
            .is_some_and(|end| end <= len_bytes)
        {
            return Ok(());
        }
        let detail = format!(
            "{count} bytes at offset {offset} are outside of a buffer of {len_bytes} bytes"
        );
        Err(Error::new(ErrorCode::ParamInvalid, detail))
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        self.memory.forget(&self.block);
    }
}

impl fmt::Debug for DeviceBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer")
            .field("place", &self.place())
            .field("len_bytes", &self.len_bytes())
            .finish_non_exhaustive()
    }
}
