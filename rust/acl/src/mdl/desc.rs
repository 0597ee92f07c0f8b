//! What a model takes and gives.

use std::sync::Arc;

use optap_engine::{Dim, TensorSpec};
use optap_runtime::{Error, ErrorCode, Result};
use parking_lot::Mutex;

use crate::base::from_dtype;
use crate::mdl::load::size_of_spec;
use crate::mdl::loaded::Loaded;
use crate::mdl::state::{model, state};

/// Any layout: ONNX says nothing of it.
const ND: i32 = 2;
const OPEN_DIM: i64 = -1;
const OPEN_RANK: i64 = -2;

/// A description that is filled by [`get_desc`].
#[derive(Debug, Default)]
pub(crate) struct Desc(Mutex<Option<Arc<Loaded>>>);

/// Which end of the model is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What the model takes.
    Input,
    /// What the model gives.
    Output,
}

impl Side {
    fn specs(self, loaded: &Loaded) -> &[TensorSpec] {
        match self {
            Self::Input => loaded.model.engine().inputs(),
            Self::Output => loaded.model.engine().outputs(),
        }
    }
}

/// The name and the shape of an end; -1 is an open dimension, and -2 alone an open number of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dims {
    /// The name in the graph.
    pub name: String,
    /// The size of each dimension.
    pub dims: Vec<i64>,
}

/// An empty description.
pub fn create_desc() -> Result<u64> {
    Ok(state().descs.insert(Desc::default().into()))
}

/// Destroys a description. 100000 for null and the second time.
pub fn destroy_desc(desc: u64) -> Result<()> {
    state().descs.take(desc).map(drop)
}

/// Fills a description with what a model is. 100000 for null, 145003 for an unknown model.
pub fn get_desc(desc: u64, model_id: u32) -> Result<()> {
    let desc = state().descs.get(desc)?;
    *desc.0.lock() = Some(model(model_id)?);
    Ok(())
}

fn described(desc: u64) -> Result<Arc<Loaded>> {
    let loaded = state().descs.get(desc)?.0.lock().clone();
    let empty = || {
        Error::new(
            ErrorCode::InvalidParam,
            "the description is empty; call acl.mdl.get_desc first",
        )
    };
    loaded.ok_or_else(empty)
}

fn with_spec<T>(
    desc: u64,
    side: Side,
    index: u64,
    tell: impl FnOnce(&TensorSpec) -> T,
) -> Result<T> {
    let loaded = described(desc)?;
    let specs = side.specs(&loaded);
    let spec = usize::try_from(index)
        .ok()
        .and_then(|index| specs.get(index));
    spec.map(tell).ok_or_else(|| {
        let detail = format!(
            "{side:?} {index} does not exist; the model has {}",
            specs.len()
        );
        Error::new(ErrorCode::InvalidParam, detail)
    })
}

/// How many inputs or outputs there are. 100000 for null and an empty description, here and below.
pub fn get_num(desc: u64, side: Side) -> Result<usize> {
    Ok(side.specs(&*described(desc)?).len())
}

/// The size of an end in bytes; 0 with an open dimension.
pub fn get_size_by_index(desc: u64, side: Side, index: u64) -> Result<usize> {
    with_spec(desc, side, index, |spec| size_of_spec(spec).unwrap_or(0))
}

/// The name and the shape of an end.
pub fn get_dims(desc: u64, side: Side, index: u64) -> Result<Dims> {
    with_spec(desc, side, index, declared)
}

fn declared(spec: &TensorSpec) -> Dims {
    let size = |dim: &Dim| match dim {
        Dim::Known(size) => *size as i64,
        Dim::Symbol(_) | Dim::Unknown => OPEN_DIM,
    };
    let dims = spec.dims.as_ref();
    Dims {
        name: spec.name.clone(),
        dims: dims.map_or_else(|| vec![OPEN_RANK], |dims| dims.iter().map(size).collect()),
    }
}

/// The name and the shape of an output in the latest run; as declared, before any.
pub fn get_cur_output_dims(desc: u64, index: u64) -> Result<Dims> {
    let declared = get_dims(desc, Side::Output, index)?;
    let shapes = described(desc)?.output_shapes.lock().clone();
    let current = shapes.and_then(|shapes| shapes.get(index as usize).cloned());
    let dims = current.map_or(declared.dims, |shape| {
        shape.iter().map(|size| *size as i64).collect()
    });
    Ok(Dims {
        name: declared.name,
        dims,
    })
}

/// The name of an end.
pub fn get_name_by_index(desc: u64, side: Side, index: u64) -> Result<String> {
    with_spec(desc, side, index, |spec| spec.name.clone())
}

/// The layout of an end: any.
pub fn get_format(desc: u64, side: Side, index: u64) -> Result<i32> {
    with_spec(desc, side, index, |_| ND)
}

/// The data type of an end.
pub fn get_data_type(desc: u64, side: Side, index: u64) -> Result<i32> {
    with_spec(desc, side, index, |spec| from_dtype(spec.dtype))
}

/// The index of the end with this name. 100000 when there is none.
pub fn get_index_by_name(desc: u64, side: Side, name: &str) -> Result<usize> {
    let loaded = described(desc)?;
    let index = side
        .specs(&loaded)
        .iter()
        .position(|spec| spec.name == name);
    index.ok_or_else(|| {
        Error::new(
            ErrorCode::InvalidParam,
            format!("{side:?} '{name}' does not exist"),
        )
    })
}
