//! Memory of the caller, by address.

use std::ptr;

/// The bytes at an address; `None` for null and for no bytes.
///
/// # Safety
/// Unless null, the address names `len_bytes` readable bytes, which nobody writes as long as they are borrowed.
pub unsafe fn at<'a>(address: u64, len_bytes: u64) -> Option<&'a [u8]> {
    let (address, len_bytes) = (
        usize::try_from(address).ok()?,
        usize::try_from(len_bytes).ok()?,
    );
    let fits = address.checked_add(len_bytes).is_some() && len_bytes <= isize::MAX as usize;
    // SAFETY: promised by the caller.
    (address != 0 && len_bytes != 0 && fits).then(|| unsafe {
        std::slice::from_raw_parts(ptr::with_exposed_provenance(address), len_bytes)
    })
}
