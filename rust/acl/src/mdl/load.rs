//! Loading and unloading.

use std::fs;
use std::path::Path;

use optap_engine::{Dim, ModelOptions, TensorSpec};
use optap_model::{Model, error_of};
use optap_runtime::{Error, ErrorCode, Result, context};

use crate::mdl::loaded::Loaded;
use crate::mdl::state::{state, unknown};

type EngineResult<T> = std::result::Result<T, optap_engine::Error>;

/// What a model is said to work in at least, in bytes, so that scripts can allocate it.
const LEAST_WORK_BYTES: usize = 32;

/// Memory that a script offers to a model.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// The address.
    pub address: u64,
    /// The size in bytes.
    pub size_bytes: u64,
}

/// Loads the ONNX model in a file; gives its id.
///
/// # Errors
/// 107002 without a context, 145002 for a file that cannot be read, 545001 for one that cannot be run, `.om` files
/// among them, 100000 for faults in the environment that cannot be understood.
pub fn load_from_file(path: &str) -> Result<u32> {
    load(path, |options| options.load_path(Path::new(path)))
}

/// Loads the ONNX model in `bytes`; gives its id. Errors as [`load_from_file`], and 100000 without bytes.
pub fn load_from_mem(bytes: Option<&[u8]>) -> Result<u32> {
    let bytes = given(bytes)?;
    load("model", |options| options.load_bytes(bytes))
}

/// As [`load_from_file`], with memory for work and weights, which is checked and left alone: the engine has its own.
pub fn load_from_file_with_mem(path: &str, offers: [Offer; 2]) -> Result<u32> {
    check_offers(offers)?;
    load_from_file(path)
}

/// As [`load_from_mem`], with memory as for [`load_from_file_with_mem`].
pub fn load_from_mem_with_mem(bytes: Option<&[u8]>, offers: [Offer; 2]) -> Result<u32> {
    check_offers(offers)?;
    load_from_mem(bytes)
}

fn load(
    name: &str,
    read: impl FnOnce(&ModelOptions) -> EngineResult<optap_engine::Model>,
) -> Result<u32> {
    let device_id = context::current()?.device().id();
    let model = ModelOptions::from_env()
        .and_then(|options| read(&options))
        .and_then(|engine| Model::new(engine, name.to_owned(), device_id))
        .map_err(|error| error_of(&error))?;
    let model_id = model.id();
    let loaded = Loaded::new(model);
    state().models.lock().insert(model_id, loaded.into());
    Ok(model_id)
}

fn given(bytes: Option<&[u8]>) -> Result<&[u8]> {
    bytes.ok_or_else(|| {
        Error::new(
            ErrorCode::InvalidParam,
            "the model is null, or has no bytes",
        )
    })
}

fn check_offers(offers: [Offer; 2]) -> Result<()> {
    if offers
        .iter()
        .any(|offer| offer.address == 0 && offer.size_bytes > 0)
    {
        return Err(Error::new(
            ErrorCode::InvalidParam,
            "the memory for the model is null",
        ));
    }
    Ok(())
}

/// Unloads a model; a run that has begun goes on. 145003 for an unknown id.
pub fn unload(model_id: u32) -> Result<()> {
    let unloaded = state().models.lock().remove(&model_id);
    unloaded.map(drop).ok_or_else(|| unknown(model_id))
}

/// The device of a loaded model; `None` for an unknown id.
pub fn device_of(model_id: u32) -> Option<u32> {
    let models = state().models.lock();
    models.get(&model_id).map(|loaded| loaded.model.device_id())
}

/// How many bytes the model in a file asks for: to work in, and for its weights. Errors as [`load_from_file`].
pub fn query_size(path: &str) -> Result<(usize, usize)> {
    let model = ModelOptions::from_env().and_then(|options| options.load_path(Path::new(path)));
    let model = model.map_err(|error| error_of(&error))?;
    let file_bytes = fs::metadata(path).map_or(0, |file| file.len());
    Ok(sizes(&model, file_bytes as usize))
}

/// As [`query_size`], for a model in memory.
pub fn query_size_from_mem(bytes: Option<&[u8]>) -> Result<(usize, usize)> {
    let bytes = given(bytes)?;
    let model = ModelOptions::from_env().and_then(|options| options.load_bytes(bytes));
    Ok(sizes(
        &model.map_err(|error| error_of(&error))?,
        bytes.len(),
    ))
}

fn sizes(model: &optap_engine::Model, weight_bytes: usize) -> (usize, usize) {
    let ends = model.inputs().iter().chain(model.outputs());
    let work_bytes: usize = ends.map(|spec| size_of_spec(spec).unwrap_or(0)).sum();
    (work_bytes.max(LEAST_WORK_BYTES), weight_bytes)
}

/// The size of a tensor in bytes; `None` with an open dimension.
pub(crate) fn size_of_spec(spec: &TensorSpec) -> Option<usize> {
    let size = |dim: &Dim| match dim {
        Dim::Known(size) => Some(*size),
        Dim::Symbol(_) | Dim::Unknown => None,
    };
    let mut sizes = spec.dims.as_ref()?.iter().map(size);
    sizes.try_fold(spec.dtype.size_bytes(), |bytes, size| {
        bytes.checked_mul(size?)
    })
}
