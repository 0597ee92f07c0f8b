//! The labels of the strings that were used lately, found by where those lie.

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use optap_profiler::Label;
use pyo3::ffi::{self, PyObject};

const PLACES: usize = 256;

/// Longer strings are not kept for their labels' sake.
const LONGEST: isize = 512;

/// Message, domain and category: exact strings, or null.
type Key = [*mut PyObject; 3];

/// A place owns a reference to each of its strings, so no other string can lie where they do.
struct Place {
    key: Key,
    label: Option<Arc<Label>>,
}

/// The places, for one user at a time. A second one does without: a mutex would cost two atomic exchanges a call.
struct Cache {
    is_used: AtomicBool,
    places: UnsafeCell<[Place; PLACES]>,
}

// SAFETY: the places are touched by the one user that set `is_used`; their strings only while attached.
unsafe impl Sync for Cache {}

static CACHE: Cache = Cache {
    is_used: AtomicBool::new(false),
    places: UnsafeCell::new(
        [const {
            Place {
                key: [ptr::null_mut(); 3],
                label: None,
            }
        }; PLACES],
    ),
};

impl Cache {
    #[inline]
    fn try_use<T>(&self, key: Key, use_place: impl FnOnce(&mut Place) -> T) -> Option<T> {
        if self.is_used.swap(true, Ordering::Acquire) {
            return None;
        }
        // SAFETY: nobody else has set `is_used`, and the index lies in the array.
        let place = unsafe { &mut (&mut *self.places.get())[index(key)] };
        let used = use_place(place);
        self.is_used.store(false, Ordering::Release);
        Some(used)
    }
}

#[inline]
fn index(key: Key) -> usize {
    let mixed = key
        .iter()
        .fold(0, |mixed: usize, text| mixed.rotate_left(7) ^ text.addr());
    // Objects lie at multiples of 16.
    (mixed >> 4 ^ mixed >> 12) % PLACES
}

/// Calls `use_label` with the label of these strings, if it is kept; gives it back otherwise.
#[inline]
pub fn with<T, F: FnOnce(&Arc<Label>) -> T>(key: Key, use_label: F) -> Result<T, F> {
    let mut use_label = Some(use_label);
    let used = CACHE.try_use(key, |place| {
        let known = place.label.as_ref().filter(|_| place.key == key);
        let label = known.filter(|label| label.is_own())?;
        use_label.take().map(|use_label| use_label(label))
    });
    match (used.flatten(), use_label) {
        (Some(used), _) => Ok(used),
        (None, Some(use_label)) => Err(use_label),
        (None, None) => unreachable!("a label that was used gives a result"),
    }
}

/// Keeps the label of these strings, in place of another one.
///
/// # Safety
/// Attached; the strings are alive.
pub unsafe fn keep(key: Key, label: Arc<Label>) {
    // SAFETY: see above; what is taken out is dropped outside, for that can run any code.
    unsafe {
        if !key.iter().all(|text| is_kept(*text)) {
            return;
        }
        let previous = CACHE.try_use(key, |place| {
            key.iter().for_each(|text| ffi::Py_XINCREF(*text));
            let label = Some(label);
            std::mem::replace(place, Place { key, label })
        });
        if let Some(previous) = previous {
            previous.key.iter().for_each(|text| ffi::Py_XDECREF(*text));
        }
    }
}

unsafe fn is_kept(text: *mut PyObject) -> bool {
    // SAFETY: the text is null or alive.
    unsafe {
        text.is_null()
            || (ffi::PyUnicode_CheckExact(text) != 0 && ffi::PyUnicode_GetLength(text) <= LONGEST)
    }
}
