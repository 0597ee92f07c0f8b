//! Structs that C code points to.

use std::ptr;

/// Items at addresses that stay as long as this owner.
#[derive(Debug)]
pub struct Owned<T>(Vec<*mut T>);

impl<T> Owned<T> {
    /// No items.
    pub const NONE: Self = Self(Vec::new());

    /// Number of items, as C counts them.
    pub fn count(&self) -> i64 {
        self.0.len() as i64
    }

    /// The addresses of the items.
    pub fn addresses(&mut self) -> *mut *mut T {
        self.0.as_mut_ptr()
    }

    /// The address of the first item, null if there is none.
    pub fn first(&self) -> *mut T {
        self.0.first().copied().unwrap_or(ptr::null_mut())
    }
}

impl<T> FromIterator<T> for Owned<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let place = |item| Box::into_raw(Box::new(item));
        Self(items.into_iter().map(place).collect())
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        for &item in &self.0 {
            // SAFETY: the address came from `Box::into_raw`, and only this owner frees it.
            drop(unsafe { Box::from_raw(item) });
        }
    }
}
