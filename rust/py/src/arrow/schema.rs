//! What columns there are, in C's form.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use super::columns::Column;
use super::owned::Owned;

const NULLABLE: i64 = 2;

/// `struct ArrowSchema` of the C data interface.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

// SAFETY: what a schema points to is its own, or static; its release runs on any thread.
unsafe impl Send for ArrowSchema {}

struct Parts {
    children: Owned<ArrowSchema>,
    dictionary: Owned<ArrowSchema>,
}

impl ArrowSchema {
    /// The schema of a struct of these columns.
    pub fn of_struct(columns: &[Column]) -> Self {
        let children = columns.iter().map(Self::of_column).collect();
        Self::new(c"+s", c"", 0, children, Owned::NONE)
    }

    /// Number of columns.
    #[cfg(test)]
    pub fn children(&self) -> usize {
        self.n_children as usize
    }

    fn of_column(column: &Column) -> Self {
        let flags = if column.nullable { NULLABLE } else { 0 };
        let text = |_| Self::new(c"u", c"", 0, Owned::NONE, Owned::NONE);
        let dictionary = column.dictionary.iter().map(text).collect();
        Self::new(column.format, column.name, flags, Owned::NONE, dictionary)
    }

    fn new(
        format: &'static CStr,
        name: &'static CStr,
        flags: i64,
        children: Owned<Self>,
        dictionary: Owned<Self>,
    ) -> Self {
        let mut parts = Box::new(Parts {
            children,
            dictionary,
        });
        Self {
            format: format.as_ptr(),
            name: name.as_ptr(),
            metadata: ptr::null(),
            flags,
            n_children: parts.children.count(),
            children: parts.children.addresses(),
            dictionary: parts.dictionary.first(),
            release: Some(release),
            private_data: Box::into_raw(parts).cast(),
        }
    }
}

/// Frees what the schema points to, and marks it as released.
unsafe extern "C" fn release(schema: *mut ArrowSchema) {
    // SAFETY: the interface has `schema` valid and not yet released; `new` made its `private_data` of a box.
    unsafe {
        drop(Box::from_raw((*schema).private_data.cast::<Parts>()));
        (*schema).release = None;
    }
}

impl Drop for ArrowSchema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: nobody moved the schema out, or its `release` would be null.
            unsafe { release(self) };
        }
    }
}
