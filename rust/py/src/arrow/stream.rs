//! Several batches, one after another, in C's form.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use optap_profiler::Slice;

use super::array::ArrowArray;
use super::columns::columns;
use super::dictionary::TooLong;
use super::schema::ArrowSchema;

/// `struct ArrowArrayStream` of the C stream interface.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut Self, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Self, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Self) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

// SAFETY: what a stream points to is its own; its functions run on any thread, one at a time.
unsafe impl Send for ArrowArrayStream {}

struct State {
    slices: std::vec::IntoIter<Slice>,
    error: Option<CString>,
}

impl State {
    fn next(&mut self) -> Result<ArrowArray, TooLong> {
        let Some(slice) = self.slices.next() else {
            return Ok(ArrowArray::RELEASED);
        };
        Ok(ArrowArray::of_struct(slice.len(), columns(&slice)?))
    }

    /// Keeps the text of `error` for `get_last_error`, and gives its number.
    fn fail(&mut self, error: TooLong) -> c_int {
        self.error = CString::new(error.to_string()).ok();
        libc::EOVERFLOW
    }
}

impl ArrowArrayStream {
    /// The slices as arrays of the same struct.
    pub fn of_slices(slices: Vec<Slice>) -> Self {
        let state = State {
            slices: slices.into_iter(),
            error: None,
        };
        Self {
            get_schema: Some(get_schema),
            get_next: Some(get_next),
            get_last_error: Some(get_last_error),
            release: Some(release),
            private_data: Box::into_raw(Box::new(state)).cast(),
        }
    }
}

/// # Safety
/// The stream was made by `of_slices`, is not released, and nobody else uses it meanwhile.
unsafe fn state<'a>(stream: *mut ArrowArrayStream) -> &'a mut State {
    // SAFETY: `of_slices` made `private_data` of a box of this type.
    unsafe { &mut *(*stream).private_data.cast::<State>() }
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    let empty = Slice::of_gap(0);
    match columns(&empty) {
        Ok(columns) => {
            // SAFETY: the interface has `out` point to a place for a schema, with nothing in it to free.
            unsafe { out.write(ArrowSchema::of_struct(&columns)) };
            0
        }
        // SAFETY: the interface calls with a live stream, one call at a time.
        Err(error) => unsafe { state(stream) }.fail(error),
    }
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: the interface calls with a live stream, one call at a time.
    let state = unsafe { state(stream) };
    match state.next() {
        Ok(array) => {
            // SAFETY: the interface has `out` point to a place for an array, with nothing in it to free.
            unsafe { out.write(array) };
            0
        }
        Err(error) => state.fail(error),
    }
}

unsafe extern "C" fn get_last_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: the interface calls with a live stream, one call at a time.
    let error = unsafe { state(stream) }.error.as_ref();
    error.map_or(ptr::null(), |text| text.as_ptr())
}

/// Frees what the stream points to, and marks it as released.
unsafe extern "C" fn release(stream: *mut ArrowArrayStream) {
    // SAFETY: the interface has `stream` valid and not yet released; `of_slices` made its `private_data` of a box.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<State>()));
        (*stream).release = None;
    }
}

impl Drop for ArrowArrayStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: nobody moved the stream out, or its `release` would be null.
            unsafe { release(self) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use optap_profiler::Block;
    use optap_record::OpRecord;
    use std::sync::Arc;

    fn slice(len: usize) -> Slice {
        let records = vec![OpRecord::default(); len];
        Slice {
            range: 0..len,
            block: Arc::new(Block::new(records, Vec::new())),
            gap: 0,
        }
    }

    #[test]
    fn a_stream_gives_each_slice_and_then_the_end() {
        let mut stream = ArrowArrayStream::of_slices(vec![slice(3), slice(0), slice(5)]);
        let mut next = || {
            let mut array = ArrowArray::RELEASED;
            // SAFETY: the stream lives, and `array` is a place with nothing to free.
            let code = unsafe { get_next(&mut stream, &mut array) };
            (code, array.len())
        };
        let told: Vec<_> = (0..5).map(|_| next()).collect();
        assert_eq!(
            told,
            [
                (0, Some(3)),
                (0, Some(0)),
                (0, Some(5)),
                (0, None),
                (0, None)
            ]
        );
    }

    #[test]
    fn a_stream_that_nobody_reads_frees_its_blocks() {
        let slice = slice(3);
        let block = slice.block.clone();
        drop(ArrowArrayStream::of_slices(vec![slice.clone(), slice]));
        assert_eq!(Arc::strong_count(&block), 1);
    }

    #[test]
    fn a_stream_has_its_schema_before_its_first_array() {
        let mut stream = ArrowArrayStream::of_slices(Vec::new());
        let mut place = std::mem::MaybeUninit::uninit();
        // SAFETY: the stream lives, and the place is free.
        let code = unsafe { get_schema(&mut stream, place.as_mut_ptr()) };
        assert_eq!(code, 0);
        // SAFETY: the call went well, so that the schema is there.
        let schema = unsafe { place.assume_init() };
        assert_eq!(schema.children(), columns(&Slice::of_gap(0)).unwrap().len());
    }
}
