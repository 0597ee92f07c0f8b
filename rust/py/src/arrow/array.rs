//! Values in C's form.

use std::ffi::c_void;
use std::ptr;

use super::columns::Column;
use super::dictionary::Texts;
use super::owned::Owned;

/// `struct ArrowArray` of the C data interface.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

// SAFETY: what an array points to is its own; its release runs on any thread.
unsafe impl Send for ArrowArray {}

/// Bytes that an array points to, or none.
pub struct Buffer {
    address: *const c_void,
    _owner: Option<Box<dyn Send>>,
}

// SAFETY: the address is that of the owner's values, which may be sent, and nothing writes to them.
unsafe impl Send for Buffer {}

struct Parts {
    addresses: Vec<*const c_void>,
    _buffers: Vec<Buffer>,
    children: Owned<ArrowArray>,
    dictionary: Owned<ArrowArray>,
}

impl Buffer {
    /// No bytes, as where every value is valid.
    pub const NONE: Self = Self {
        address: ptr::null(),
        _owner: None,
    };
}

impl<T: Send + 'static> From<Vec<T>> for Buffer {
    fn from(values: Vec<T>) -> Self {
        Self {
            address: values.as_ptr().cast(),
            _owner: Some(Box::new(values)),
        }
    }
}

impl ArrowArray {
    /// No array: the end of a stream.
    pub const RELEASED: Self = Self {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: ptr::null_mut(),
        children: ptr::null_mut(),
        dictionary: ptr::null_mut(),
        release: None,
        private_data: ptr::null_mut(),
    };

    /// A struct of these columns, each of `len` values.
    pub fn of_struct(len: usize, columns: Vec<Column>) -> Self {
        let children = columns
            .into_iter()
            .map(|column| Self::of_column(len, column));
        Self::new(len, 0, vec![Buffer::NONE], children.collect(), Owned::NONE)
    }

    /// Number of values; `None` for no array.
    #[cfg(test)]
    pub fn len(&self) -> Option<i64> {
        self.release.map(|_| self.length)
    }

    fn of_column(len: usize, column: Column) -> Self {
        let buffers = vec![column.validity, column.values];
        let texts = column.dictionary.into_iter().map(Self::of_texts);
        Self::new(
            len,
            column.null_count,
            buffers,
            Owned::NONE,
            texts.collect(),
        )
    }

    fn of_texts(texts: Texts) -> Self {
        let buffers = vec![Buffer::NONE, texts.offsets.into(), texts.bytes.into()];
        Self::new(texts.count, 0, buffers, Owned::NONE, Owned::NONE)
    }

    fn new(
        len: usize,
        null_count: usize,
        buffers: Vec<Buffer>,
        children: Owned<Self>,
        dictionary: Owned<Self>,
    ) -> Self {
        let mut parts = Box::new(Parts {
            addresses: buffers.iter().map(|buffer| buffer.address).collect(),
            _buffers: buffers,
            children,
            dictionary,
        });
        Self {
            length: len as i64,
            null_count: null_count as i64,
            offset: 0,
            n_buffers: parts.addresses.len() as i64,
            n_children: parts.children.count(),
            buffers: parts.addresses.as_mut_ptr(),
            children: parts.children.addresses(),
            dictionary: parts.dictionary.first(),
            release: Some(release),
            private_data: Box::into_raw(parts).cast(),
        }
    }
}

/// Frees what the array points to, and marks it as released.
unsafe extern "C" fn release(array: *mut ArrowArray) {
    // SAFETY: the interface has `array` valid and not yet released; `new` made its `private_data` of a box.
    unsafe {
        drop(Box::from_raw((*array).private_data.cast::<Parts>()));
        (*array).release = None;
    }
}

impl Drop for ArrowArray {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: nobody moved the array out, or its `release` would be null.
            unsafe { release(self) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// A struct of two columns whose values are counted by `alive`.
    fn array(alive: &Arc<()>) -> ArrowArray {
        let column = |texts| Column {
            name: c"x",
            format: c"L",
            nullable: true,
            null_count: 0,
            validity: Buffer::from(vec![alive.clone()]),
            values: Buffer::from(vec![alive.clone()]),
            dictionary: texts,
        };
        let texts = Texts {
            count: 0,
            offsets: vec![0],
            bytes: Vec::new(),
        };
        ArrowArray::of_struct(1, vec![column(None), column(Some(texts))])
    }

    /// Moves an array out of its place, as a consumer does.
    fn take(place: &mut ArrowArray) -> ArrowArray {
        // SAFETY: the place is marked as released, so that only the copy frees what both point to.
        let taken = unsafe { ptr::read(place) };
        place.release = None;
        taken
    }

    #[test]
    fn all_is_freed_once() {
        let alive = Arc::new(());
        let array = array(&alive);
        assert_eq!(Arc::strong_count(&alive), 5);
        drop(array);
        assert_eq!(Arc::strong_count(&alive), 1);
    }

    #[test]
    fn a_moved_array_is_freed_by_its_new_place() {
        let alive = Arc::new(());
        let mut place = array(&alive);
        let taken = take(&mut place);
        drop(place);
        assert_eq!(Arc::strong_count(&alive), 5);
        drop(taken);
        assert_eq!(Arc::strong_count(&alive), 1);
    }

    #[test]
    fn a_moved_column_outlives_its_struct() {
        let alive = Arc::new(());
        let array = array(&alive);
        // SAFETY: the struct has two children, and lives.
        let column = take(unsafe { &mut **array.children.add(1) });
        drop(array);
        assert_eq!(Arc::strong_count(&alive), 3);
        assert!(!column.dictionary.is_null());
        drop(column);
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}
