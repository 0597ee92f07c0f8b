//! Memory of devices and of the host, by address.

use optap_runtime::{CopyKind, Error, ErrorCode, Place, Result, context};

use crate::rt::state::runtime;
use crate::rt::stream::own_stream;

/// Policies of pages and of peers, and what may be added to them.
const PAGE_POLICIES: u32 = 0x7;
const ADDED_POLICIES: u32 = 0x100 | 0x1000 | 0x10_0000;
/// The kinds of memory that the attribute of [`get_mem_info`] may name.
const MEMORY_ATTRIBUTES: std::ops::RangeInclusive<i32> = 0..=11;

/// A destination with room for `room_bytes`.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The address.
    pub address: u64,
    /// How many bytes there are.
    pub room_bytes: u64,
}

/// A side of a copy in two dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Pitched {
    /// The address of the first row.
    pub address: u64,
    /// How far it is from one row to the next, in bytes.
    pub pitch_bytes: u64,
}

/// Memory on the current device, zeroed, aligned to 64 bytes.
///
/// # Errors
/// 100000 for a size of 0, 107000 for an unknown policy, 107002 without a context, 207001 when memory is exhausted.
pub fn malloc(size_bytes: u64, policy: u32) -> Result<usize> {
    let size_bytes = some_bytes(size_bytes)?;
    if policy & !(PAGE_POLICIES | ADDED_POLICIES) != 0 {
        let detail =
            format!("allocation policy {policy:#x} is not known; use 0 for huge pages first");
        return Err(Error::new(ErrorCode::ParamInvalid, detail));
    }
    let place = Place::Device(context::current()?.device().id());
    runtime()?.memory().allocate(place, size_bytes)
}

/// Memory on the host. Errors as [`malloc`], but it needs no context.
pub fn malloc_host(size_bytes: u64) -> Result<usize> {
    runtime()?
        .memory()
        .allocate(Place::Host, some_bytes(size_bytes)?)
}

fn some_bytes(size_bytes: u64) -> Result<usize> {
    match usize::try_from(size_bytes) {
        Ok(size) if size > 0 => Ok(size),
        _ => {
            let detail = format!("{size_bytes} bytes cannot be allocated; ask for 1 or more");
            Err(Error::new(ErrorCode::InvalidParam, detail))
        }
    }
}

/// Frees what [`malloc`] gave. 100000 for null, 107000 for what is no such memory, or is freed already.
pub fn free(address: u64) -> Result<()> {
    runtime()?.memory().free(address as usize, true)
}

/// Frees what [`malloc_host`] gave. Errors as [`free`].
pub fn free_host(address: u64) -> Result<()> {
    runtime()?.memory().free(address as usize, false)
}

/// Free and total bytes of the current device. 107002 without a context, 107000 for an unknown attribute.
pub fn get_mem_info(attribute: i32) -> Result<(u64, u64)> {
    if !MEMORY_ATTRIBUTES.contains(&attribute) {
        let detail = format!("memory attribute {attribute} is not known; use 0 or 1");
        return Err(Error::new(ErrorCode::ParamInvalid, detail));
    }
    let info = runtime()?
        .memory()
        .info(context::current()?.device().id())?;
    Ok((info.free_bytes, info.total_bytes))
}

/// Sets `count` bytes to the low byte of `value`.
///
/// # Safety
/// Addresses that the runtime did not allocate are used as given: they name live memory that nobody else uses.
///
/// # Errors
/// 100000 for null, 107000 when `count` exceeds the room. A count of 0 does nothing.
pub unsafe fn memset(dst: Span, value: i32, count: u64) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe {
        runtime()?.memory().fill(
            dst.address as usize,
            dst.room_bytes as usize,
            value as u8,
            count as usize,
        )
    }
}

/// As [`memset`], as a task of a stream.
///
/// # Safety
/// As for [`memset`], until the task has run.
///
/// # Errors
/// Those of [`memset`], and 107003 for a stream of another context.
pub unsafe fn memset_async(dst: Span, value: i32, count: u64, stream: u64) -> Result<()> {
    let (runtime, stream) = (runtime()?, own_stream(stream)?);
    // SAFETY: promised by the caller.
    unsafe {
        runtime.memory().fill_on(
            &stream,
            dst.address as usize,
            dst.room_bytes as usize,
            value as u8,
            count as usize,
        )
    }
}

/// Copies `count` bytes from address `src`.
///
/// # Safety
/// As for [`memset`], for both sides.
///
/// # Errors
/// 100000 for null and for an unknown kind; 107000 when `count` exceeds the room, or an address does not lie where the
/// kind says. A count of 0 does nothing.
pub unsafe fn memcpy(dst: Span, src: u64, count: u64, kind: u32) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let kind = CopyKind::from_code(kind)?;
    let (to, room) = (dst.address as usize, dst.room_bytes as usize);
    // SAFETY: promised by the caller.
    unsafe {
        runtime()?
            .memory()
            .copy(to, room, src as usize, count as usize, kind)
    }
}

/// As [`memcpy`], as a task of a stream.
///
/// # Safety
/// As for [`memcpy`], until the task has run.
///
/// # Errors
/// Those of [`memcpy`], and 107003 for a stream of another context.
pub unsafe fn memcpy_async(dst: Span, src: u64, count: u64, kind: u32, stream: u64) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let (runtime, kind) = (runtime()?, CopyKind::from_code(kind)?);
    let stream = own_stream(stream)?;
    let (to, room) = (dst.address as usize, dst.room_bytes as usize);
    // SAFETY: promised by the caller.
    unsafe {
        runtime
            .memory()
            .copy_on(&stream, to, room, src as usize, count as usize, kind)
    }
}

/// Copies `height` rows of `width` bytes.
///
/// # Safety
/// As for [`memcpy`], for every row.
///
/// # Errors
/// 107000 for a width of 0 or above a pitch and for a height of 0, and those of [`memcpy`].
pub unsafe fn memcpy_2d(
    dst: Pitched,
    src: Pitched,
    width: u64,
    height: u64,
    kind: u32,
) -> Result<()> {
    for (to, from) in rows(dst, src, width, height)? {
        // SAFETY: promised by the caller.
        unsafe { memcpy(to, from, width, kind)? };
    }
    Ok(())
}

/// As [`memcpy_2d`], as tasks of a stream.
///
/// # Safety
/// As for [`memcpy_2d`], until the tasks have run.
///
/// # Errors
/// Those of [`memcpy_2d`], and 107003 for a stream of another context.
pub unsafe fn memcpy_2d_async(
    dst: Pitched,
    src: Pitched,
    width: u64,
    height: u64,
    kind: u32,
    stream: u64,
) -> Result<()> {
    for (to, from) in rows(dst, src, width, height)? {
        // SAFETY: promised by the caller.
        unsafe { memcpy_async(to, from, width, kind, stream)? };
    }
    Ok(())
}

/// The rows of a copy, the last one first: what does not fit is refused before anything is copied.
fn rows(
    dst: Pitched,
    src: Pitched,
    width: u64,
    height: u64,
) -> Result<impl Iterator<Item = (Span, u64)>> {
    let fits = |side: Pitched| {
        let last = (height.max(1) - 1).checked_mul(side.pitch_bytes);
        let end = last.and_then(|last| side.address.checked_add(last)?.checked_add(width));
        width <= side.pitch_bytes && end.is_some()
    };
    if width == 0 || height == 0 || !fits(dst) || !fits(src) {
        let detail = format!(
            "{height} rows of {width} bytes are not possible with pitches of {} and {} bytes",
            dst.pitch_bytes, src.pitch_bytes
        );
        return Err(Error::new(ErrorCode::ParamInvalid, detail));
    }
    let row = move |side: Pitched, at: u64| {
        if side.address == 0 {
            0
        } else {
            side.address + at * side.pitch_bytes
        }
    };
    Ok((0..height).rev().map(move |at| {
        let to = Span {
            address: row(dst, at),
            room_bytes: width,
        };
        (to, row(src, at))
    }))
}
