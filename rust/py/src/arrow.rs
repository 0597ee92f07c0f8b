//! Batches as Arrow arrays, handed over by Arrow's C data interface: any Arrow library reads them, and none is needed here.

mod array;
mod columns;
mod dictionary;
mod owned;
mod schema;
mod stream;

use optap_profiler::Slice;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use array::ArrowArray;
use columns::columns;
use schema::ArrowSchema;
use stream::ArrowArrayStream;

/// The ops of `slice` as capsules `arrow_schema` and `arrow_array`: a struct array with one column a field.
///
/// The values are copied once, into columns that live as long as a reader holds them.
///
/// # Errors
///
/// `OverflowError` if the batch's names together are longer than the 2 GiB of a text column.
pub fn export<'py>(
    py: Python<'py>,
    slice: &Slice,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let columns = py
        .detach(|| columns(slice))
        .map_err(|error| PyOverflowError::new_err(error.to_string()))?;
    let schema = ArrowSchema::of_struct(&columns);
    let array = ArrowArray::of_struct(slice.len(), columns);
    Ok((
        PyCapsule::new_with_value(py, schema, c"arrow_schema")?,
        PyCapsule::new_with_value(py, array, c"arrow_array")?,
    ))
}

/// The ops of `slices` as the capsule `arrow_array_stream`: a struct array for each.
///
/// The columns of a slice are laid out when the reader comes to it.
pub fn export_stream(py: Python<'_>, slices: Vec<Slice>) -> PyResult<Bound<'_, PyCapsule>> {
    let stream = ArrowArrayStream::of_slices(slices);
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}
