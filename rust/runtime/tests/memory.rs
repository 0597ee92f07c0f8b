//! The laws of memory.
#![allow(missing_docs, unsafe_code)]

mod common;

use common::{GUARD, code, context, gate, runtime};
use optap_runtime::{Config, CopyKind, ErrorCode, MemoryInfo, Place, Runtime};

const DEVICE: Place = Place::Device(0);

#[test]
fn bytes_go_to_the_device_and_back() {
    let runtime = runtime(1);
    let memory = runtime.memory();
    let device = memory.allocate(DEVICE, 16).unwrap();
    let source: Vec<u8> = (0..16).collect();
    let mut target = [0u8; 16];
    // SAFETY: both host arrays live here, are 16 bytes long and used by nobody else.
    unsafe {
        memory
            .copy(
                device,
                16,
                source.as_ptr() as usize,
                16,
                CopyKind::HostToDevice,
            )
            .unwrap();
        memory.fill(device + 4, 12, 9, 2).unwrap();
        memory
            .copy(
                target.as_mut_ptr() as usize,
                16,
                device,
                16,
                CopyKind::DeviceToHost,
            )
            .unwrap();
    }
    assert_eq!(
        target,
        [0, 1, 2, 3, 9, 9, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    );
}

#[test]
fn a_stream_copies_in_its_order_and_keeps_freed_memory_until_then() {
    let runtime = runtime(1);
    let stream = context(&runtime).create_stream().unwrap();
    let memory = runtime.memory();
    let [host, device, back] =
        [Place::Host, DEVICE, Place::Host].map(|place| memory.allocate(place, 1 << 16).unwrap());
    let open = gate(&stream);
    // SAFETY: every address is memory of the runtime, and only the stream uses it.
    unsafe {
        memory.fill_on(&stream, host, 1 << 16, 7, 1 << 16).unwrap();
        memory
            .copy_on(
                &stream,
                device,
                1 << 16,
                host,
                1 << 16,
                CopyKind::HostToDevice,
            )
            .unwrap();
        memory
            .copy_on(&stream, back, 1 << 16, device, 1 << 16, CopyKind::Default)
            .unwrap();
    }
    memory.free(host, false).unwrap();
    memory.free(device, true).unwrap();
    open.complete(Ok(()));
    stream.synchronize(GUARD).unwrap();
    let mut bytes = vec![0u8; 1 << 16];
    // SAFETY: `bytes` has the length that is copied and is used by nobody else.
    unsafe {
        memory
            .copy(
                bytes.as_mut_ptr() as usize,
                1 << 16,
                back,
                1 << 16,
                CopyKind::HostToHost,
            )
            .unwrap()
    };
    assert!(bytes.iter().all(|byte| *byte == 7));
    assert_eq!(
        memory
            .info(0)
            .map(|info| info.total_bytes - info.free_bytes),
        Ok(0)
    );
}

#[test]
fn a_copy_is_checked_before_a_byte_moves() {
    let runtime = runtime(1);
    let memory = runtime.memory();
    let device = memory.allocate(DEVICE, 100).unwrap();
    let host = memory.allocate(Place::Host, 100).unwrap();
    // SAFETY: every address is memory of the runtime or refused.
    let copy =
        |dst, dst_max, src, count, kind| unsafe { memory.copy(dst, dst_max, src, count, kind) };
    assert_eq!(copy(0, 0, 0, 0, CopyKind::Default), Ok(()));
    assert_eq!(
        copy(device, 100, device, 100, CopyKind::DeviceToDevice),
        Ok(())
    );
    assert_eq!(
        code(copy(0, 100, host, 100, CopyKind::Default)),
        ErrorCode::InvalidParam
    );
    assert_eq!(
        code(copy(device, 100, 0, 100, CopyKind::Default)),
        ErrorCode::InvalidParam
    );
    assert_eq!(
        code(copy(device, 99, host, 100, CopyKind::HostToDevice)),
        ErrorCode::ParamInvalid
    );
    assert_eq!(
        code(copy(device, 0, host, 1, CopyKind::HostToDevice)),
        ErrorCode::ParamInvalid
    );
    assert_eq!(
        code(copy(device + 1, 200, host, 100, CopyKind::HostToDevice)),
        ErrorCode::ParamInvalid
    );
    assert_eq!(
        code(copy(device, 200, host + 1, 100, CopyKind::HostToDevice)),
        ErrorCode::ParamInvalid
    );
    assert_eq!(
        code(copy(host, 100, device, 100, CopyKind::HostToDevice)),
        ErrorCode::ParamInvalid
    );
    assert_eq!(
        code(copy(host, 100, device, 100, CopyKind::HostToHost)),
        ErrorCode::ParamInvalid
    );
    assert_eq!(code(CopyKind::from_code(6)), ErrorCode::InvalidParam);
    assert_eq!(CopyKind::from_code(5), Ok(CopyKind::HostBufferToDevice));
}

#[test]
fn memory_is_freed_once_and_only_where_it_lies() {
    let runtime = runtime(1);
    let memory = runtime.memory();
    let device = memory.allocate(DEVICE, 8).unwrap();
    assert_eq!(memory.place_of(device + 7), Some(DEVICE));
    assert_eq!(memory.place_of(device + 8), None);
    assert_eq!(code(memory.free(0, true)), ErrorCode::InvalidParam);
    assert_eq!(code(memory.free(device, false)), ErrorCode::ParamInvalid);
    assert_eq!(code(memory.free(device + 1, true)), ErrorCode::ParamInvalid);
    memory.free(device, true).unwrap();
    assert_eq!(code(memory.free(device, true)), ErrorCode::ParamInvalid);
    assert_eq!(memory.place_of(device), None);
}

#[test]
fn a_device_has_as_much_memory_as_it_says() {
    let runtime = Runtime::new(Config {
        memory_bytes: 1000,
        ..Config::default()
    })
    .unwrap();
    let memory = runtime.memory();
    let first = memory.allocate(DEVICE, 600).unwrap();
    assert_eq!(
        memory.info(0),
        Ok(MemoryInfo {
            free_bytes: 400,
            total_bytes: 1000
        })
    );
    assert_eq!(
        code(memory.allocate(DEVICE, 401)),
        ErrorCode::MemoryAllocation
    );
    memory.allocate(Place::Host, 5000).unwrap();
    memory.free(first, true).unwrap();
    memory.allocate(DEVICE, 1000).unwrap();
    assert_eq!(code(memory.allocate(DEVICE, 0)), ErrorCode::InvalidParam);
    assert_eq!(
        code(memory.allocate(Place::Device(1), 1)),
        ErrorCode::InvalidDeviceId
    );
    assert_eq!(
        code(memory.allocate(Place::Host, usize::MAX)),
        ErrorCode::MemoryAllocation
    );
    assert_eq!(code(memory.info(1)), ErrorCode::InvalidDeviceId);
}

#[test]
fn a_buffer_stays_within_its_bounds_and_goes_with_its_owner() {
    let runtime = runtime(1);
    let buffer = runtime.device(0).unwrap().allocate(10).unwrap();
    let address = buffer.address();
    assert_eq!(runtime.memory().place_of(address), Some(DEVICE));
    buffer.copy_from(8, &[1, 2]).unwrap();
    assert_eq!(code(buffer.copy_from(9, &[1, 2])), ErrorCode::ParamInvalid);
    assert_eq!(
        code(buffer.copy_to(usize::MAX, &mut [0])),
        ErrorCode::ParamInvalid
    );
    let mut bytes = [9; 10];
    buffer.copy_to(0, &mut bytes).unwrap();
    assert_eq!(bytes, [0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    drop(buffer);
    assert_eq!(runtime.memory().place_of(address), None);
}
