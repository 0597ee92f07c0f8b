//! Objects by number.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use optap_runtime::{Error, ErrorCode, Result};
use parking_lot::Mutex;

/// Above every 32-bit number, so that no id, index or descriptor is taken for a handle.
const FIRST: u64 = 1 << 32;

/// The objects of one kind that a script knows by number. A number is never given twice, neither within a kind nor
/// across kinds: a destroyed handle and a handle of another kind are both unknown here.
///
/// ```
/// use std::sync::Arc;
/// use optap_acl::Handles;
/// use optap_runtime::ErrorCode;
/// let stamps = Handles::new("stamp", ErrorCode::InvalidParam);
/// let stamp = stamps.insert(Arc::new("stamp 1"));
/// assert_eq!(*stamps.get(stamp)?, "stamp 1");
/// stamps.take(stamp)?;
/// assert_eq!(stamps.get(stamp).unwrap_err().code(), ErrorCode::InvalidParam);
/// # Ok::<(), optap_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct Handles<T> {
    noun: &'static str,
    unknown: ErrorCode,
    live: Mutex<HashMap<u64, Arc<T>>>,
}

impl<T> Handles<T> {
    /// An empty table for things called `noun`; a number that it does not know is answered with `unknown`.
    pub fn new(noun: &'static str, unknown: ErrorCode) -> Self {
        Self {
            noun,
            unknown,
            live: Mutex::default(),
        }
    }

    /// Gives `value` a number.
    pub fn insert(&self, value: Arc<T>) -> u64 {
        let handle = fresh(1);
        self.live.lock().insert(handle, value);
        handle
    }

    /// Gives each of `values` a number, one after the other; the first is returned. Without values it is 0.
    pub fn insert_all(&self, values: impl ExactSizeIterator<Item = T>) -> u64 {
        if values.len() == 0 {
            return 0;
        }
        let first = fresh(values.len() as u64);
        let numbered = (first..).zip(values.map(Arc::new));
        self.live.lock().extend(numbered);
        first
    }

    /// The number of `value`, which gets one if it has none.
    pub fn number_of(&self, value: &Arc<T>) -> u64 {
        let mut live = self.live.lock();
        let known = live.iter().find(|(_, known)| Arc::ptr_eq(known, value));
        if let Some((&handle, _)) = known {
            return handle;
        }
        let handle = fresh(1);
        live.insert(handle, Arc::clone(value));
        handle
    }

    /// The object behind `handle`.
    ///
    /// # Errors
    /// 100000 for 0, else the code of the table for a handle that is destroyed or of another kind.
    pub fn get(&self, handle: u64) -> Result<Arc<T>> {
        self.get_live(handle).ok_or_else(|| self.refuse(handle))
    }

    /// As [`get`](Self::get), without a reason.
    pub fn get_live(&self, handle: u64) -> Option<Arc<T>> {
        self.live.lock().get(&handle).cloned()
    }

    /// Takes the object behind `handle` out of the table. Errors as [`get`](Self::get).
    pub fn take(&self, handle: u64) -> Result<Arc<T>> {
        let taken = self.live.lock().remove(&handle);
        taken.ok_or_else(|| self.refuse(handle))
    }

    /// Forgets every object that `keep` refuses.
    pub fn retain(&self, mut keep: impl FnMut(&T) -> bool) {
        let forgotten: Vec<_> = self
            .live
            .lock()
            .extract_if(|_, value| !keep(value))
            .collect();
        drop(forgotten);
    }

    /// How many objects have a number.
    pub fn len(&self) -> usize {
        self.live.lock().len()
    }

    /// True when no object has a number.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn refuse(&self, handle: u64) -> Error {
        let noun = self.noun;
        if handle == 0 {
            return Error::new(ErrorCode::InvalidParam, format!("the {noun} is null"));
        }
        let detail = format!("{handle:#x} is no {noun}, or one that is destroyed");
        Error::new(self.unknown, detail)
    }
}

/// The first of `count` numbers in a row that nobody has.
fn fresh(count: u64) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(FIRST);
    NEXT.fetch_add(count, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<T>(result: Result<T>) -> i32 {
        result.err().map_or(0, |error| error.code().code())
    }

    #[test]
    fn a_handle_dies_once() {
        let table = Handles::new("thing", ErrorCode::InvalidHandle);
        let handle = table.insert(Arc::new(1));
        assert_eq!(code(table.take(handle)), 0);
        assert_eq!(code(table.take(handle)), 107017);
        assert_ne!(table.insert(Arc::new(2)), handle);
    }

    #[test]
    fn null_and_foreign_handles_are_refused() {
        let table = Handles::new("thing", ErrorCode::InvalidHandle);
        let foreign = Handles::new("other", ErrorCode::InvalidParam).insert(Arc::new(1));
        table.insert(Arc::new(1));
        assert_eq!(code(table.get(0)), 100000);
        assert_eq!(code(table.get(foreign)), 107017);
    }

    #[test]
    fn one_object_keeps_one_number() {
        let table = Handles::new("thing", ErrorCode::InvalidHandle);
        let (one, other) = (Arc::new(1), Arc::new(1));
        let handle = table.number_of(&one);
        assert_eq!(table.number_of(&one), handle);
        assert_ne!(table.number_of(&other), handle);
    }

    #[test]
    fn a_row_of_objects_has_numbers_in_a_row() {
        let table = Handles::new("thing", ErrorCode::InvalidHandle);
        let first = table.insert_all([5, 6, 7].into_iter());
        let values: Vec<i32> = (first..first + 3)
            .map(|handle| *table.get(handle).unwrap())
            .collect();
        assert_eq!(values, [5, 6, 7]);
        assert_eq!(
            Handles::<i32>::new("thing", ErrorCode::InvalidHandle).insert_all([].into_iter()),
            0
        );
    }
}
