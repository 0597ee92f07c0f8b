//! Checked copies and fills by address, at once or as tasks of a stream.
#![allow(unsafe_code)]

use std::sync::Arc;

use super::block::{self, Block};
use super::{Memory, Place};
use crate::codes::ErrorCode;
use crate::error::{Error, Result};
use crate::stream::Stream;
use crate::task::Task;

/// From where to where a copy goes, as CANN numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CopyKind {
    /// From the host to the host.
    HostToHost = 0,
    /// From the host to a device.
    HostToDevice = 1,
    /// From a device to the host.
    DeviceToHost = 2,
    /// From a device to a device.
    DeviceToDevice = 3,
    /// As the addresses say.
    Default = 4,
    /// From the host through a buffer of the runtime to a device.
    HostBufferToDevice = 5,
}

impl CopyKind {
    /// The kind with this number; 100000 for one that copies do not take.
    pub fn from_code(code: u32) -> Result<Self> {
        const ALL: [CopyKind; 6] = [
            CopyKind::HostToHost,
            CopyKind::HostToDevice,
            CopyKind::DeviceToHost,
            CopyKind::DeviceToDevice,
            CopyKind::Default,
            CopyKind::HostBufferToDevice,
        ];
        ALL.get(code as usize).copied().ok_or_else(|| {
            Error::new(
                ErrorCode::InvalidParam,
                format!("copy kind {code} is not known; use 0 to 5"),
            )
        })
    }

    /// Whether the destination and the source must lie on a device; `None` leaves it to the address.
    fn on_device(self) -> [Option<bool>; 2] {
        match self {
            Self::HostToHost => [Some(false), Some(false)],
            Self::HostToDevice | Self::HostBufferToDevice => [Some(true), Some(false)],
            Self::DeviceToHost => [Some(false), Some(true)],
            Self::DeviceToDevice => [Some(true), Some(true)],
            Self::Default => [None, None],
        }
    }
}

/// One side of a copy. It keeps memory of the runtime alive; foreign memory is the caller's promise.
struct Side {
    address: usize,
    _block: Option<Arc<Block>>,
}

impl Memory {
    /// Copies `count` bytes from address `src` to address `dst`, where `dst_max` bytes have room. Memory that this
    /// runtime allocated is checked; any other address counts as the host's.
    ///
    /// # Safety
    /// Addresses that this runtime did not allocate name live memory of `count` bytes, and nobody else writes `src`
    /// or uses `dst` during the copy.
    ///
    /// # Errors
    /// 100000 for a null address; 107000 when `count` exceeds `dst_max` or the memory at an address, or when an
    /// address does not lie where `kind` says. A count of 0 does nothing.
    pub unsafe fn copy(
        &self,
        dst: usize,
        dst_max: usize,
        src: usize,
        count: usize,
        kind: CopyKind,
    ) -> Result<()> {
        if let Some((dst, src)) = self.sides(dst, dst_max, src, count, kind)? {
            // SAFETY: ranges inside blocks are checked and kept alive; the caller promises the rest.
            unsafe { block::copy(dst.address, src.address, count) };
        }
        Ok(())
    }

    /// As [`copy`](Self::copy), as a task of `stream`; the checks are made now.
    ///
    /// # Safety
    /// As for [`copy`](Self::copy), until the task has run or is dropped.
    ///
    /// # Errors
    /// Those of [`copy`](Self::copy) and of [`Stream::launch`].
    pub unsafe fn copy_on(
        &self,
        stream: &Arc<Stream>,
        dst: usize,
        dst_max: usize,
        src: usize,
        count: usize,
        kind: CopyKind,
    ) -> Result<()> {
        let Some((dst, src)) = self.sides(dst, dst_max, src, count, kind)? else {
            return Ok(());
        };
        let work = move |_: &crate::TaskContext<'_>| {
            let (dst, src) = (dst, src);
            // SAFETY: ranges inside blocks are checked and kept alive; the caller promises the rest.
            unsafe { block::copy(dst.address, src.address, count) };
            Ok(())
        };
        stream.launch(Task::work(work)).map(drop)
    }

    /// Sets `count` bytes at address `dst`, where `dst_max` bytes have room, to `value`.
    ///
    /// # Safety
    /// An address that this runtime did not allocate names live memory of `count` bytes, and nobody else uses it
    /// during the call.
    ///
    /// # Errors
    /// 100000 for a null address, 107000 when `count` exceeds `dst_max` or the memory. A count of 0 does nothing.
    pub unsafe fn fill(&self, dst: usize, dst_max: usize, value: u8, count: usize) -> Result<()> {
        if let Some(dst) = self.target(dst, dst_max, count)? {
            // SAFETY: ranges inside blocks are checked and kept alive; the caller promises the rest.
            unsafe { block::fill(dst.address, value, count) };
        }
        Ok(())
    }

    /// As [`fill`](Self::fill), as a task of `stream`; the checks are made now.
    ///
    /// # Safety
    /// As for [`fill`](Self::fill), until the task has run or is dropped.
    ///
    /// # Errors
    /// Those of [`fill`](Self::fill) and of [`Stream::launch`].
    pub unsafe fn fill_on(
        &self,
        stream: &Arc<Stream>,
        dst: usize,
        dst_max: usize,
        value: u8,
        count: usize,
    ) -> Result<()> {
        let Some(dst) = self.target(dst, dst_max, count)? else {
            return Ok(());
        };
        let work = move |_: &crate::TaskContext<'_>| {
            let dst = dst;
            // SAFETY: ranges inside blocks are checked and kept alive; the caller promises the rest.
            unsafe { block::fill(dst.address, value, count) };
            Ok(())
        };
        stream.launch(Task::work(work)).map(drop)
    }

    /// Both sides of a copy, checked; `None` when there is nothing to do.
    fn sides(
        &self,
        dst: usize,
        dst_max: usize,
        src: usize,
        count: usize,
        kind: CopyKind,
    ) -> Result<Option<(Side, Side)>> {
        if count == 0 {
            return Ok(None);
        }
        check_room(&[dst, src], dst_max, count)?;
        let [dst_on_device, src_on_device] = kind.on_device();
        let dst_side = self.side("destination", dst, count, dst_on_device)?;
        let src_side = self.side("source", src, count, src_on_device)?;
        Ok((dst != src).then_some((dst_side, src_side)))
    }

    fn target(&self, dst: usize, dst_max: usize, count: usize) -> Result<Option<Side>> {
        if count == 0 {
            return Ok(None);
        }
        check_room(&[dst], dst_max, count)?;
        self.side("destination", dst, count, None).map(Some)
    }

    fn side(
        &self,
        role: &str,
        address: usize,
        count: usize,
        on_device: Option<bool>,
    ) -> Result<Side> {
        let block = self.block_at(address);
        let is_on_device = block
            .as_ref()
            .is_some_and(|block| block.place() != Place::Host);
        let room = block
            .as_ref()
            .map_or(usize::MAX, |block| block.end() - address);
        let fault = if on_device.is_some_and(|wanted| wanted != is_on_device) {
            let wanted = if is_on_device { "the host" } else { "a device" };
            format!("the {role} {address:#x} does not lie on {wanted}, as the copy kind says")
        } else if count > room {
            format!(
                "{count} bytes at the {role} {address:#x} run past its end; {room} bytes are left"
            )
        } else {
            return Ok(Side {
                address,
                _block: block,
            });
        };
        Err(Error::new(ErrorCode::ParamInvalid, fault))
    }
}

fn check_room(addresses: &[usize], dst_max: usize, count: usize) -> Result<()> {
    if addresses.contains(&0) {
        return Err(Error::new(
            ErrorCode::InvalidParam,
            "address 0 cannot be copied or filled",
        ));
    }
    if count > dst_max {
        let detail =
            format!("{count} bytes do not fit into the {dst_max} bytes of the destination");
        return Err(Error::new(ErrorCode::ParamInvalid, detail));
    }
    Ok(())
}
