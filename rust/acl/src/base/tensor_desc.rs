//! Tensor descriptions.

use std::fmt;
use std::sync::Arc;

use optap_runtime::{Error, ErrorCode, Result};

use crate::base::data_type::data_type_size;
use crate::{Acl, Handles};

/// The most dimensions that a tensor has.
const MOST_DIMS: usize = 128;
/// The most numbers that a range of a dimension is asked for.
const MOST_RANGE: u64 = 4096;

/// What a description keeps readable.
pub(crate) type Data = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Type, shape, layout and place of a tensor.
#[derive(Clone, Default)]
pub(crate) struct TensorDesc {
    pub(crate) data_type: i32,
    pub(crate) format: i32,
    /// The size of each dimension; -1 is open, -2 leaves the number of dimensions open.
    pub(crate) dims: Vec<i64>,
    pub(crate) name: String,
    pub(crate) data: Option<Data>,
    /// How many descriptions of the same row stand from this one to the end.
    pub(crate) row: u64,
}

impl TensorDesc {
    fn element_count(&self) -> Option<usize> {
        self.dims.iter().try_fold(1_usize, |count, size| {
            count.checked_mul(usize::try_from(*size).ok()?)
        })
    }
}

fn descs() -> &'static Handles<TensorDesc> {
    &Acl::global().base.descs
}

/// A new description. 100000 for more than 128 dimensions, or sizes below -2.
pub fn create_tensor_desc(data_type: i32, dims: Vec<i64>, format: i32) -> Result<u64> {
    if dims.len() > MOST_DIMS || dims.iter().any(|size| *size < -2) {
        let detail =
            format!("{dims:?} is no shape; give at most {MOST_DIMS} sizes, -1 for an open one");
        return Err(Error::new(ErrorCode::InvalidParam, detail));
    }
    let desc = TensorDesc {
        data_type,
        format,
        dims,
        row: 1,
        ..TensorDesc::default()
    };
    Ok(descs().insert(desc.into()))
}

/// Destroys a description, or the row that begins with it. 100000 for null and the second time.
pub fn destroy_tensor_desc(desc: u64) -> Result<()> {
    let first = descs().take(desc)?;
    for next in 1..first.row {
        // Descriptions of the row may have been destroyed one by one.
        let _ = descs().take(desc + next);
    }
    Ok(())
}

/// The data type. 100000 for null and for a destroyed description, here and below.
pub fn get_tensor_desc_type(desc: u64) -> Result<i32> {
    Ok(descs().get(desc)?.data_type)
}

/// The layout.
pub fn get_tensor_desc_format(desc: u64) -> Result<i32> {
    Ok(descs().get(desc)?.format)
}

/// The size in bytes; 0 with an open dimension.
pub fn get_tensor_desc_size(desc: u64) -> Result<usize> {
    let desc = descs().get(desc)?;
    let bytes = desc
        .element_count()
        .and_then(|count| count.checked_mul(data_type_size(desc.data_type)));
    Ok(bytes.unwrap_or(0))
}

/// The number of elements; 0 with an open dimension.
pub fn get_tensor_desc_element_count(desc: u64) -> Result<usize> {
    Ok(descs().get(desc)?.element_count().unwrap_or(0))
}

/// The number of dimensions.
pub fn get_tensor_desc_num_dims(desc: u64) -> Result<usize> {
    Ok(descs().get(desc)?.dims.len())
}

/// The size of a dimension. 100000 for one that does not exist.
pub fn get_tensor_desc_dim(desc: u64, index: u64) -> Result<i64> {
    let desc = descs().get(desc)?;
    let size = usize::try_from(index)
        .ok()
        .and_then(|index| desc.dims.get(index));
    size.copied().ok_or_else(|| {
        let detail = format!(
            "dimension {index} does not exist; there are {}",
            desc.dims.len()
        );
        Error::new(ErrorCode::InvalidParam, detail)
    })
}

/// The least and the most that a dimension can be, as the first two of `count` numbers.
///
/// # Errors
/// 100000 for a dimension that does not exist, and a count below 2 or above 4096.
pub fn get_tensor_desc_dim_range(desc: u64, index: u64, count: u64) -> Result<Vec<i64>> {
    if !(2..=MOST_RANGE).contains(&count) {
        let detail = format!("a range of {count} numbers is not possible; use 2 to {MOST_RANGE}");
        return Err(Error::new(ErrorCode::InvalidParam, detail));
    }
    let size = get_tensor_desc_dim(desc, index)?;
    let mut range = vec![0; count as usize];
    range[..2].fill(size);
    Ok(range)
}

/// The description at `index` of the row that begins with `desc`. 100000 for one that does not exist.
pub fn get_tensor_desc_by_index(desc: u64, index: u64) -> Result<u64> {
    let row = descs().get(desc)?.row;
    if index < row {
        return Ok(desc + index);
    }
    let detail = format!("description {index} does not exist; there are {row}");
    Err(Error::new(ErrorCode::InvalidParam, detail))
}

/// The address of the data; 0 where the description has none.
pub fn get_tensor_desc_address(desc: u64) -> Result<usize> {
    let desc = descs().get(desc)?;
    let address = |data: &Data| data.as_ref().as_ref().as_ptr().expose_provenance();
    Ok(desc.data.as_ref().map_or(0, address))
}

/// The name; empty where the description has none.
pub fn get_tensor_desc_name(desc: u64) -> Result<String> {
    Ok(descs().get(desc)?.name.clone())
}

impl fmt::Debug for TensorDesc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorDesc")
            .field("name", &self.name)
            .field("data_type", &self.data_type)
            .field("dims", &self.dims)
            .finish_non_exhaustive()
    }
}
