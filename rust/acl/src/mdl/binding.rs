//! From the buffers of a dataset to tensors, and back.

use optap_engine::{BoundInputs, Dim, Model, Tensor, TensorSpec};
use optap_model::error_of;
use optap_runtime::{CopyKind, Error, ErrorCode, Result, Runtime};

use crate::base::to_dtype;
use crate::mdl::dataset::Part;

/// Copies the inputs of a run out of their buffers.
///
/// # Errors
/// 145000 for buffers that do not fit the inputs, 100000 for null, 107000 for one that ends too early.
pub(super) fn read(model: &Model, parts: &[Part]) -> Result<BoundInputs> {
    let specs = model.inputs();
    if parts.len() != specs.len() {
        let detail = format!(
            "the model takes {} inputs; the dataset has {} buffers",
            specs.len(),
            parts.len()
        );
        return Err(Error::new(ErrorCode::GeParamInvalid, detail));
    }
    let tensors: Result<Vec<_>> = specs
        .iter()
        .zip(parts)
        .map(|(spec, part)| tensor(spec, part))
        .collect();
    model.check(tensors?).map_err(|error| error_of(&error))
}

fn tensor(spec: &TensorSpec, part: &Part) -> Result<Tensor> {
    let shape = shape(spec, part)?;
    let dtype = part
        .desc
        .as_ref()
        .and_then(|desc| to_dtype(desc.data_type))
        .unwrap_or(spec.dtype);
    let elements = shape
        .iter()
        .try_fold(dtype.size_bytes(), |bytes, size| bytes.checked_mul(*size));
    let len_bytes = elements
        .filter(|bytes| *bytes as u64 <= part.size_bytes)
        .ok_or_else(|| {
            let detail = format!(
                "input '{}' is {spec}, shape {shape:?}; its buffer has {} bytes",
                spec.name, part.size_bytes
            );
            Error::new(ErrorCode::GeParamInvalid, detail)
        })?;
    let mut bytes = vec![0_u8; len_bytes];
    let to = bytes.as_mut_ptr().expose_provenance();
    // SAFETY: `to` is ours and as long; the address is the script's promise, checked where the runtime knows it.
    unsafe { copy(to, len_bytes, part.address as usize, len_bytes)? };
    Tensor::new(dtype, &shape, &bytes).map_err(|error| error_of(&error))
}

/// The shape of an input: as its description says, else as declared, with one open dimension found by the size.
fn shape(spec: &TensorSpec, part: &Part) -> Result<Vec<usize>> {
    if let Some(desc) = &part.desc {
        let sizes = desc.dims.iter().map(|size| usize::try_from(*size).ok());
        return sizes.collect::<Option<_>>().ok_or_else(|| open(spec));
    }
    let dims = spec.dims.as_ref().ok_or_else(|| open(spec))?;
    let known = dims
        .iter()
        .fold(spec.dtype.size_bytes(), |bytes, dim| match dim {
            Dim::Known(size) => bytes.saturating_mul(*size),
            Dim::Symbol(_) | Dim::Unknown => bytes,
        });
    let open_dims = dims
        .iter()
        .filter(|dim| !matches!(dim, Dim::Known(_)))
        .count();
    let found = (part.size_bytes as usize).checked_div(known);
    let found = found.filter(|found| {
        open_dims < 2 && (open_dims == 0 || found * known == part.size_bytes as usize)
    });
    let found = found
        .or((open_dims == 0).then_some(0))
        .ok_or_else(|| open(spec))?;
    let size = |dim: &Dim| {
        if let Dim::Known(size) = dim {
            *size
        } else {
            found
        }
    };
    Ok(dims.iter().map(size).collect())
}

fn open(spec: &TensorSpec) -> Error {
    let detail = format!(
        "input '{}' is {spec}, with open dimensions; give its shape by acl.mdl.set_dataset_tensor_desc",
        spec.name
    );
    Error::new(ErrorCode::GeParamInvalid, detail)
}

/// Copies the outputs of a run into their buffers.
///
/// # Errors
/// 145000 for buffers that do not fit the outputs, 100000 for null, 107000 for one that ends too early.
pub(super) fn write(outputs: &[Tensor], parts: &[Part]) -> Result<()> {
    if parts.len() != outputs.len() {
        let detail = format!(
            "the model gives {} outputs; the dataset has {} buffers",
            outputs.len(),
            parts.len()
        );
        return Err(Error::new(ErrorCode::GeParamInvalid, detail));
    }
    outputs
        .iter()
        .zip(parts)
        .enumerate()
        .try_for_each(|(index, (output, part))| {
            let bytes = output.as_bytes();
            if (bytes.len() as u64) > part.size_bytes {
                let detail = format!(
                    "output {index} is {output}, {} bytes; its buffer has {}",
                    bytes.len(),
                    part.size_bytes
                );
                return Err(Error::new(ErrorCode::GeParamInvalid, detail));
            }
            let (to, room) = (part.address as usize, part.size_bytes as usize);
            // SAFETY: the tensor is ours; the address is the script's promise, checked where the runtime knows it.
            unsafe { copy(to, room, bytes.as_ptr().expose_provenance(), bytes.len()) }
        })
}

/// # Safety
/// As for [`optap_runtime::Memory::copy`].
unsafe fn copy(to: usize, room: usize, from: usize, count: usize) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe {
        Runtime::global()?
            .memory()
            .copy(to, room, from, count, CopyKind::Default)
    }
}
