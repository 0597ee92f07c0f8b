//! Memory of the devices and of the host. A device is the CPU, so addresses are real and can be read by anybody.

mod block;
mod buffer;
mod copy;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::codes::ErrorCode;
use crate::error::{Error, Result};
use block::Block;

pub use buffer::DeviceBuffer;
pub use copy::CopyKind;

/// Where memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the host.
    Host,
    /// On the device with this id.
    Device(u32),
}

/// How much memory a device has, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// What can still be allocated.
    pub free_bytes: u64,
    /// All of it.
    pub total_bytes: u64,
}

/// Every allocation of one runtime, by address.
///
/// ```
/// use optap_runtime::{Config, ErrorCode, Place, Runtime};
/// let runtime = Runtime::new(Config::default())?;
/// let address = runtime.memory().allocate(Place::Device(0), 1000)?;
/// assert_eq!(address % 64, 0);
/// runtime.memory().free(address, true)?;
/// assert_eq!(runtime.memory().free(address, true).unwrap_err().code(), ErrorCode::ParamInvalid);
/// # Ok::<(), optap_runtime::Error>(())
/// ```
pub struct Memory {
    blocks: Mutex<BTreeMap<usize, Arc<Block>>>,
    used_bytes: Vec<Arc<AtomicU64>>,
    host_used_bytes: Arc<AtomicU64>,
    device_bytes: u64,
}

impl Memory {
    pub(crate) fn new(devices: u32, device_bytes: u64) -> Arc<Self> {
        Arc::new(Self {
            blocks: Mutex::default(),
            used_bytes: (0..devices).map(|_| Arc::default()).collect(),
            host_used_bytes: Arc::default(),
            device_bytes,
        })
    }

    /// Allocates `len_bytes` of zeroed memory, aligned to 64 bytes; gives its address.
    ///
    /// # Errors
    /// 100000 for a length of 0, 107001 for a device that does not exist, 207001 when memory is exhausted.
    pub fn allocate(&self, place: Place, len_bytes: usize) -> Result<usize> {
        self.allocate_block(place, len_bytes)
            .map(|block| block.address())
    }

    fn allocate_block(&self, place: Place, len_bytes: usize) -> Result<Arc<Block>> {
        if len_bytes == 0 {
            return Err(Error::new(
                ErrorCode::InvalidParam,
                "0 bytes cannot be allocated; ask for 1 or more",
            ));
        }
        let used = self.used(place)?;
        let block = self
            .reserve(used, place, len_bytes)
            .and_then(|()| Block::new(place, len_bytes, Arc::clone(used)));
        let block = Arc::new(block.ok_or_else(|| {
            let detail = format!(
                "{len_bytes} bytes cannot be allocated on {place}; free some or ask for less"
            );
            Error::new(ErrorCode::MemoryAllocation, detail)
        })?);
        self.blocks
            .lock()
            .insert(block.address(), Arc::clone(&block));
        Ok(block)
    }

    /// Counts the bytes as used, if the place has as many left.
    fn reserve(&self, used: &AtomicU64, place: Place, len_bytes: usize) -> Option<()> {
        let limit = if place == Place::Host {
            u64::MAX
        } else {
            self.device_bytes
        };
        let more = |used: u64| {
            used.checked_add(len_bytes as u64)
                .filter(|total| *total <= limit)
        };
        used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .ok()?;
        Some(())
    }

    fn used(&self, place: Place) -> Result<&Arc<AtomicU64>> {
        match place {
            Place::Host => Ok(&self.host_used_bytes),
            Place::Device(id) => self.used_bytes.get(id as usize).ok_or_else(|| {
                Error::new(
                    ErrorCode::InvalidDeviceId,
                    format!("device {id} does not exist; use another id"),
                )
            }),
        }
    }

    /// Frees what [`allocate`](Self::allocate) gave, on a device or on the host. Queued copies keep the memory until
    /// they have run.
    ///
    /// # Errors
    /// 100000 for address 0; 107000 for an address that was not allocated there, or is freed already.
    pub fn free(&self, address: usize, on_device: bool) -> Result<()> {
        if address == 0 {
            return Err(Error::new(
                ErrorCode::InvalidParam,
                "address 0 cannot be freed",
            ));
        }
        let mut blocks = self.blocks.lock();
        let matches = blocks
            .get(&address)
            .is_some_and(|block| (block.place() != Place::Host) == on_device);
        let freed = if matches {
            blocks.remove(&address)
        } else {
            None
        };
        drop(blocks);
        freed.map(drop).ok_or_else(|| {
            let side = if on_device { "a device" } else { "the host" };
            let detail = format!(
                "{address:#x} is not the start of memory on {side}; it may be freed already"
            );
            Error::new(ErrorCode::ParamInvalid, detail)
        })
    }

    /// Takes a block off the table, unless that address belongs to another one by now.
    fn forget(&self, block: &Arc<Block>) {
        let mut blocks = self.blocks.lock();
        if blocks
            .get(&block.address())
            .is_some_and(|other| Arc::ptr_eq(other, block))
        {
            blocks.remove(&block.address());
        }
    }

    /// Where the memory at this address lies; `None` when this runtime did not allocate it.
    pub fn place_of(&self, address: usize) -> Option<Place> {
        self.block_at(address).map(|block| block.place())
    }

    fn block_at(&self, address: usize) -> Option<Arc<Block>> {
        let blocks = self.blocks.lock();
        let (_, block) = blocks.range(..=address).next_back()?;
        (address < block.end()).then(|| Arc::clone(block))
    }

    /// How much memory a device has. 107001 when it does not exist.
    pub fn info(&self, device_id: u32) -> Result<MemoryInfo> {
        let used_bytes = self.used(Place::Device(device_id))?.load(Ordering::Relaxed);
        let total_bytes = self.device_bytes;
        Ok(MemoryInfo {
            free_bytes: total_bytes - used_bytes,
            total_bytes,
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("the host"),
            Self::Device(id) => write!(f, "device {id}"),
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("blocks", &self.blocks.lock().len())
            .finish_non_exhaustive()
    }
}
