//! The functions of `acl.rt` that work on memory.

use optap_acl::rt::{self, Pitched, Span};

use super::answer::object;
use super::functions::functions;

functions! { "acl.rt"
    /// Return memory on the current device, and the code.
    pair malloc(size_bytes: u64, policy: u32) { rt::malloc(size_bytes, policy) }
    /// As `malloc`.
    pair malloc_align32(size_bytes: u64, policy: u32) { rt::malloc(size_bytes, policy) }
    /// As `malloc`.
    pair malloc_cached(size_bytes: u64, policy: u32) { rt::malloc(size_bytes, policy) }
    /// Free what `malloc` gave; return the code.
    code free(address: u64) { rt::free(address) }
    /// Return memory on the host, and the code.
    pair malloc_host(size_bytes: u64) { rt::malloc_host(size_bytes) }
    /// Free what `malloc_host` gave; return the code.
    code free_host(address: u64) { rt::free_host(address) }
    /// Set bytes to a value; return the code.
    blocking_code memset(dst: u64, room_bytes: u64, value: i32, count: u64) {
        // SAFETY: the script names memory that it may use.
        unsafe { rt::memset(span(dst, room_bytes), value, count) }
    }
    /// As `memset`, as a task of a stream.
    code memset_async(dst: u64, room_bytes: u64, value: i32, count: u64, stream: u64) {
        // SAFETY: the script names memory that it may use until the task has run.
        unsafe { rt::memset_async(span(dst, room_bytes), value, count, stream) }
    }
    /// Copy bytes; return the code.
    blocking_code memcpy(dst: u64, room_bytes: u64, src: u64, count: u64, kind: u32) {
        // SAFETY: the script names memory that it may use.
        unsafe { rt::memcpy(span(dst, room_bytes), src, count, kind) }
    }
    /// As `memcpy`, as a task of a stream.
    code memcpy_async(dst: u64, room_bytes: u64, src: u64, count: u64, kind: u32, stream: u64) {
        // SAFETY: the script names memory that it may use until the task has run.
        unsafe { rt::memcpy_async(span(dst, room_bytes), src, count, kind, stream) }
    }
    /// Copy rows of bytes; return the code.
    blocking_code memcpy2d(dst: u64, dst_pitch: u64, src: u64, src_pitch: u64, width: u64, height: u64, kind: u32) {
        // SAFETY: the script names memory that it may use.
        unsafe { rt::memcpy_2d(pitched(dst, dst_pitch), pitched(src, src_pitch), width, height, kind) }
    }
    /// As `memcpy2d`, as tasks of a stream.
    code memcpy2d_async(
        dst: u64, dst_pitch: u64, src: u64, src_pitch: u64, width: u64, height: u64, kind: u32, stream: u64
    ) {
        // SAFETY: the script names memory that it may use until the tasks have run.
        unsafe { rt::memcpy_2d_async(pitched(dst, dst_pitch), pitched(src, src_pitch), width, height, kind, stream) }
    }
    /// Return free and total bytes of the current device, and the code.
    object get_mem_info[py](attribute: i32) {
        let info = rt::get_mem_info(attribute);
        let ((free_bytes, total_bytes), code) = optap_acl::answer::pair("acl.rt.get_mem_info", info, (0, 0));
        object(py, (free_bytes, total_bytes, code))
    }
}

fn span(address: u64, room_bytes: u64) -> Span {
    Span {
        address,
        room_bytes,
    }
}

fn pitched(address: u64, pitch_bytes: u64) -> Pitched {
    Pitched {
        address,
        pitch_bytes,
    }
}
