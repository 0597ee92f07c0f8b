//! JSON text, appended to a buffer of bytes.

/// Bytes of JSON that grow at their end.
#[derive(Debug, Default)]
pub(crate) struct Json {
    bytes: Vec<u8>,
}

impl Json {
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

    /// Keeps only what comes after the first `bytes`.
    pub(crate) fn drop_front(&mut self, bytes: usize) {
        self.bytes.drain(..bytes);
    }

    /// Removes these bytes from the end, if they stand there.
    pub(crate) fn strip_end(&mut self, end: &[u8]) {
        if self.bytes.ends_with(end) {
            self.bytes.truncate(self.bytes.len() - end.len());
        }
    }

    /// Appends text that is JSON already.
    #[inline]
    pub(crate) fn raw(&mut self, json: &[u8]) {
        self.bytes.extend_from_slice(json);
    }

    #[inline]
    pub(crate) fn integer(&mut self, value: impl itoa::Integer) {
        let mut digits = itoa::Buffer::new();
        self.raw(digits.format(value).as_bytes());
    }

    /// Appends nanoseconds as microseconds, exactly: `1234567` becomes `1234.567`.
    #[inline]
    pub(crate) fn micros(&mut self, ns: u64) {
        self.integer(ns / 1_000);
        let fraction = (ns % 1_000) as u16;
        let digit = |value: u16| b'0' + (value % 10) as u8;
        self.raw(&[
            b'.',
            digit(fraction / 100),
            digit(fraction / 10),
            digit(fraction),
        ]);
    }

    /// Appends a quoted and escaped string.
    pub(crate) fn string(&mut self, text: &str) {
        self.raw(b"\"");
        let mut plain_from = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte < b' ' || byte == b'"' || byte == b'\\' {
                self.raw(&text.as_bytes()[plain_from..at]);
                self.escape(byte);
                plain_from = at + 1;
            }
        }
        self.raw(&text.as_bytes()[plain_from..]);
        self.raw(b"\"");
    }

    fn escape(&mut self, byte: u8) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        match byte {
            b'"' => self.raw(b"\\\""),
            b'\\' => self.raw(b"\\\\"),
            b'\n' => self.raw(b"\\n"),
            b'\t' => self.raw(b"\\t"),
            b'\r' => self.raw(b"\\r"),
            _ => {
                let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
                self.raw(&[b'\\', b'u', b'0', b'0', HEX[high], HEX[low]]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn micros(ns: u64) -> String {
        let mut json = Json::default();
        json.micros(ns);
        String::from_utf8(json.bytes).unwrap()
    }

    #[test]
    fn microseconds_keep_every_nanosecond() {
        for (ns, text) in [
            (0, "0.000"),
            (7, "0.007"),
            (1_050, "1.050"),
            ((1 << 63) + 5, "9223372036854775.813"),
            (u64::MAX, "18446744073709551.615"),
        ] {
            assert_eq!(micros(ns), text);
        }
    }

    proptest! {
        #[test]
        fn a_string_reads_back(text: String) {
            let mut json = Json::default();
            json.string(&text);
            prop_assert_eq!(serde_json::from_slice::<String>(&json.bytes).unwrap(), text);
        }

        #[test]
        fn microseconds_without_their_point_are_the_nanoseconds(ns: u64) {
            prop_assert_eq!(micros(ns).replace('.', "").parse::<u64>().unwrap(), ns);
        }
    }
}
