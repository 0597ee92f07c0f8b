//! Protobuf, appended to a buffer of bytes.

/// Bytes that the length of a message of names takes: enough for 256 MiB.
pub(crate) const LONG: usize = 4;
/// Bytes that the length of an event takes: enough for 16 KiB.
pub(crate) const EVENT: usize = 2;
/// Bytes that the length of a message of few numbers takes.
pub(crate) const SHORT: usize = 1;

/// Bytes of protobuf that grow at their end.
#[derive(Debug, Default)]
pub(crate) struct Proto {
    bytes: Vec<u8>,
}

/// The place of a message's length, to be filled in when the message ends.
#[must_use]
pub(crate) struct Open<const BYTES: usize>(usize);

impl Proto {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Appends fields that are protobuf already.
    #[inline]
    pub(crate) fn raw(&mut self, fields: &[u8]) {
        self.bytes.extend_from_slice(fields);
    }

    /// Appends a whole number, as a varint.
    #[inline]
    pub(crate) fn uint(&mut self, field: u32, value: u64) {
        self.tag(field, 0);
        self.varint(value);
    }

    /// Appends a floating-point number.
    pub(crate) fn double(&mut self, field: u32, value: f64) {
        self.tag(field, 1);
        self.raw(&value.to_le_bytes());
    }

    /// Appends a whole number of 8 bytes.
    pub(crate) fn fixed(&mut self, field: u32, value: u64) {
        self.tag(field, 1);
        self.raw(&value.to_le_bytes());
    }

    /// Appends text.
    pub(crate) fn string(&mut self, field: u32, text: &str) {
        self.tag(field, 2);
        self.varint(text.len() as u64);
        self.raw(text.as_bytes());
    }

    /// Begins a message within, whose length is to take so many bytes, at 7 bits each.
    #[inline]
    pub(crate) fn begin<const BYTES: usize>(&mut self, field: u32) -> Open<BYTES> {
        self.tag(field, 2);
        self.raw(&[0; BYTES]);
        Open(self.bytes.len())
    }

    /// Ends the message. Its length takes as many bytes as were left for it: a varint may be longer
    /// than it must.
    #[inline]
    pub(crate) fn end<const BYTES: usize>(&mut self, open: Open<BYTES>) {
        let length = self.bytes.len() - open.0;
        debug_assert!(length < 1 << (7 * BYTES));
        let place = &mut self.bytes[open.0 - BYTES..open.0];
        for (at, byte) in place.iter_mut().enumerate() {
            let more = if at + 1 < BYTES { 0x80 } else { 0 };
            *byte = (length >> (7 * at)) as u8 & 0x7F | more;
        }
    }

    #[inline]
    fn tag(&mut self, field: u32, wire: u32) {
        self.varint((field << 3 | wire).into());
    }

    #[inline]
    fn varint(&mut self, mut value: u64) {
        let (mut bytes, mut length) = ([0; 10], 0);
        while value >= 0x80 {
            bytes[length] = value as u8 | 0x80;
            length += 1;
            value >>= 7;
        }
        bytes[length] = value as u8;
        self.raw(&bytes[..=length]);
    }
}
