//! Datasets: the buffers of one run, by handle.

use std::collections::HashMap;
use std::sync::Arc;

use optap_runtime::{Error, ErrorCode, Result};
use parking_lot::Mutex;

use crate::Acl;
use crate::base::TensorDesc;
use crate::mdl::state::state;

/// Buffers in order, and the descriptions of some.
#[derive(Debug, Default)]
pub(crate) struct Dataset(Mutex<Parts>);

#[derive(Debug, Default)]
struct Parts {
    buffers: Vec<u64>,
    descs: HashMap<usize, u64>,
}

/// What one place of a dataset holds now.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) address: u64,
    pub(crate) size_bytes: u64,
    pub(crate) desc: Option<Arc<TensorDesc>>,
}

impl Dataset {
    /// What the dataset holds. 100000 for a buffer or a description that is destroyed.
    pub(crate) fn parts(&self) -> Result<Vec<Part>> {
        let parts = self.0.lock();
        let part = |(index, buffer): (usize, &u64)| {
            let (address, size_bytes) = Acl::global().base.buffers.get(*buffer)?.span();
            let desc = parts
                .descs
                .get(&index)
                .map(|desc| Acl::global().base.descs.get(*desc));
            Ok(Part {
                address,
                size_bytes,
                desc: desc.transpose()?,
            })
        };
        parts.buffers.iter().enumerate().map(part).collect()
    }
}

/// An empty dataset.
pub fn create_dataset() -> Result<u64> {
    Ok(state().datasets.insert(Dataset::default().into()))
}

/// Destroys a dataset, not its buffers. 100000 for null and the second time.
pub fn destroy_dataset(dataset: u64) -> Result<()> {
    state().datasets.take(dataset).map(drop)
}

/// Appends a buffer; gives the dataset. 100000 for null or destroyed ones.
pub fn add_dataset_buffer(dataset: u64, buffer: u64) -> Result<u64> {
    Acl::global().base.buffers.get(buffer)?;
    state().datasets.get(dataset)?.0.lock().buffers.push(buffer);
    Ok(dataset)
}

/// How many buffers there are. 100000 for null or a destroyed dataset.
pub fn get_dataset_num_buffers(dataset: u64) -> Result<usize> {
    Ok(state().datasets.get(dataset)?.0.lock().buffers.len())
}

/// The buffer at `index`. 100000 for one that does not exist.
pub fn get_dataset_buffer(dataset: u64, index: u64) -> Result<u64> {
    let dataset = state().datasets.get(dataset)?;
    let parts = dataset.0.lock();
    let index = place(&parts, index)?;
    Ok(parts.buffers[index])
}

/// Describes the buffer at `index`: the shape of an input with open dimensions. 100000 for a buffer that does not exist.
pub fn set_dataset_tensor_desc(dataset: u64, desc: u64, index: u64) -> Result<u64> {
    Acl::global().base.descs.get(desc)?;
    let held = state().datasets.get(dataset)?;
    let mut parts = held.0.lock();
    let index = place(&parts, index)?;
    parts.descs.insert(index, desc);
    Ok(dataset)
}

/// The description of the buffer at `index`; 0 where none is set. 100000 for a buffer that does not exist.
pub fn get_dataset_tensor_desc(dataset: u64, index: u64) -> Result<u64> {
    let dataset = state().datasets.get(dataset)?;
    let parts = dataset.0.lock();
    let index = place(&parts, index)?;
    Ok(parts.descs.get(&index).copied().unwrap_or(0))
}

fn place(parts: &Parts, index: u64) -> Result<usize> {
    let count = parts.buffers.len();
    let place = usize::try_from(index).ok().filter(|index| *index < count);
    place.ok_or_else(|| {
        let detail = format!("buffer {index} does not exist; the dataset has {count}");
        Error::new(ErrorCode::InvalidParam, detail)
    })
}
