"""Memory by address."""

import ctypes
import warnings

import numpy as np
import pytest
from optap import acl
from optap.acl_constants import MemcpyKind

H2H, H2D, D2H, D2D = (MemcpyKind(kind) for kind in range(4))


@pytest.fixture
def block(device):
    address, ret = acl.rt.malloc(64, 0)
    assert ret == 0
    yield address
    assert acl.rt.free(address) == 0


def test_addresses_are_real_and_zeroed(block):
    assert block % 64 == 0
    memory = (ctypes.c_char * 64).from_address(block)
    assert memory.raw == bytes(64)
    memory[3] = b"x"
    assert acl.util.ptr_to_bytes(block, 4) == b"\0\0\0x"


@pytest.mark.parametrize("name", ["malloc", "malloc_align32", "malloc_cached"])
def test_no_bytes_no_memory(device, name):
    assert getattr(acl.rt, name)(0, 0) == (0, 100000)
    assert getattr(acl.rt, name)(1 << 62, 0) == (0, 207001)
    assert getattr(acl.rt, name)(8, 0x80000000) == (0, 107000)


def test_device_memory_needs_a_context():
    assert acl.rt.malloc(8, 0) == (0, 107002)
    host, ret = acl.rt.malloc_host(8)
    assert (ret, acl.rt.free_host(host)) == (0, 0)
    assert acl.rt.malloc_host(0) == (0, 100000)


def test_memory_is_freed_once_and_where_it_lies(device):
    address, _ = acl.rt.malloc(8, 0)
    assert (acl.rt.free(0), acl.rt.free_host(address), acl.rt.free(address + 1)) == (100000, 107000, 107000)
    assert (acl.rt.free(address), acl.rt.free(address)) == (0, 107000)


def test_fills(block):
    assert acl.rt.memset(block, 64, 0x1FF, 8) == 0
    assert acl.util.ptr_to_bytes(block, 9) == b"\xff" * 8 + b"\0"
    assert acl.rt.memset(0, 0, 0, 0) == 0
    assert (acl.rt.memset(0, 8, 1, 8), acl.rt.memset(block, 8, 1, 9), acl.rt.memset(block, 100, 1, 65)) == (
        100000,
        107000,
        107000,
    )


def test_copies_both_ways(block):
    data = bytes(range(64))
    assert acl.rt.memcpy(block, 64, acl.util.bytes_to_ptr(data), 64, H2D) == 0
    back, _ = acl.rt.malloc_host(64)
    assert acl.rt.memcpy(back, 64, block, 64, D2H) == 0
    assert acl.util.ptr_to_bytes(back, 64) == data
    assert acl.rt.free_host(back) == 0


def test_what_copies_refuse(block):
    data = acl.util.bytes_to_ptr(bytes(64))
    assert acl.rt.memcpy(0, 0, 0, 0, 99) == 0
    assert acl.rt.memcpy(0, 64, data, 8, H2D) == 100000
    assert acl.rt.memcpy(block, 64, 0, 8, H2D) == 100000
    assert acl.rt.memcpy(block, 64, data, 8, 6) == 100000
    assert acl.rt.memcpy(block, 4, data, 8, H2D) == 107000
    assert acl.rt.memcpy(block, 0, data, 8, H2D) == 107000
    assert acl.rt.memcpy(block, 100, data, 65, H2D) == 107000
    assert acl.rt.memcpy(block, 64, data, 8, D2D) == 107000
    assert acl.rt.memcpy(block, 64, block, 8, D2D) == 0


def test_copies_and_fills_follow_their_stream(block):
    stream, _ = acl.rt.create_stream()
    source, _ = acl.rt.malloc(64, 0)
    assert acl.rt.memset_async(source, 64, 7, 64, stream) == 0
    assert acl.rt.memcpy_async(block, 64, source, 64, D2D, stream) == 0
    assert acl.rt.free(source) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.util.ptr_to_bytes(block, 64) == b"\7" * 64
    assert acl.rt.memcpy_async(block, 64, 0, 8, H2D, stream) == 100000
    assert acl.rt.destroy_stream(stream) == 0
    assert acl.rt.memcpy_async(block, 64, block, 8, D2D, stream) == 107017


@pytest.mark.parametrize("later", [False, True])
def test_rows(block, later):
    data = bytes(range(12))
    source = acl.util.bytes_to_ptr(data)
    copy = (lambda *given: acl.rt.memcpy2d_async(*given, 0)) if later else acl.rt.memcpy2d
    assert copy(block, 8, source, 4, 3, 3, H2D) == 0
    assert acl.rt.synchronize_device() == 0
    assert acl.util.ptr_to_bytes(block, 20) == b"\0\1\2" + bytes(5) + b"\4\5\6" + bytes(5) + b"\x08\x09\x0a\0"
    assert copy(block, 2, source, 4, 3, 3, H2D) == 107000
    assert copy(block, 8, source, 4, 3, 0, H2D) == 107000
    assert copy(block, 32, source, 4, 3, 3, H2D) == 107000
    assert copy(0, 8, source, 4, 3, 3, H2D) == 100000


def test_how_much_there_is(device):
    free, total, ret = acl.rt.get_mem_info(0)
    assert (ret, 0 < free <= total) == (0, True)
    assert acl.rt.get_mem_info(-1) == (0, 0, 107000)


def test_numpy_and_bytes_share_their_memory():
    data = b"abcdef"
    assert acl.util.ptr_to_bytes(acl.util.bytes_to_ptr(data), 6) == data
    assert acl.util.ptr_to_bytes(0, 0) == b""
    with pytest.raises(ValueError, match="bytes"):
        acl.util.bytes_to_ptr("abc")
    array = np.array(data)
    with pytest.warns(Warning, match="deprecated"):
        address = acl.util.numpy_to_ptr(array)
    assert acl.util.ptr_to_bytes(address, array.itemsize * array.size) == data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="ndarray"):
            acl.util.numpy_to_ptr(data)
        grid = np.arange(6, dtype="<f4").reshape(2, 3)
        address, copy = acl.util.numpy_contiguous_to_ptr(grid.T)
        assert (copy.flags.c_contiguous, copy.ctypes.data) == (True, address)
        view = acl.util.ptr_to_numpy(address, (3, 2), 11)
        view[0, 0] = 9
    assert copy[0, 0] == 9
