//! Which devices and streams a Chrome trace has named.

use std::collections::HashSet;

/// Devices and streams that have a name already.
#[derive(Debug, Default)]
pub(crate) struct Tracks {
    latest: Option<(u32, u32)>,
    devices: HashSet<u32>,
    streams: HashSet<(u32, u32)>,
}

impl Tracks {
    /// Whether the stream is that of the latest record, and so has its names.
    #[inline]
    pub(crate) fn is_latest(&self, device_id: u32, stream_id: u32) -> bool {
        self.latest == Some((device_id, stream_id))
    }

    /// Makes the stream the latest.
    pub(crate) fn enter(&mut self, device_id: u32, stream_id: u32) {
        self.latest = Some((device_id, stream_id));
    }

    /// Notes a name for a device; whether it is the first one.
    pub(crate) fn name_device(&mut self, device_id: u32) -> bool {
        self.devices.insert(device_id)
    }

    /// Notes a name for a stream; whether it is the first one.
    pub(crate) fn name_stream(&mut self, device_id: u32, stream_id: u32) -> bool {
        self.streams.insert((device_id, stream_id))
    }
}
