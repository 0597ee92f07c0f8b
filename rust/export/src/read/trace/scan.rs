//! Events of a trace, one after another, without the whole of it.

use std::io::{self, BufRead};

/// The longest event that is read, bytes.
const LONGEST_BYTES: usize = 1 << 20;
/// How deep an event may nest.
const DEEPEST: usize = 64;
/// Bytes that may be read again after damage, beside one for each that is read.
const AGAIN_BYTES: u64 = 4 << 20;

/// Finds the objects of the array of events.
#[derive(Debug)]
pub(crate) struct Scan<R> {
    input: R,
    /// Bytes that are to be read again, from a place on.
    again: Vec<u8>,
    again_at: usize,
    again_room: u64,
    /// Where the next byte stands, bytes from the start of the file.
    next: u64,
    is_within: bool,
    /// Where the event begins.
    pub(crate) at: u64,
    pub(crate) event: Vec<u8>,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A whole object.
    Event,
    /// An object that the file's end cuts short.
    Cut,
    /// An object that is longer or deeper than any should be.
    Endless,
    /// The end.
    Nothing,
}

impl<R: BufRead> Scan<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            again: Vec::new(),
            again_at: 0,
            again_room: AGAIN_BYTES,
            next: 0,
            is_within: false,
            at: 0,
            event: Vec::new(),
        }
    }

    /// Goes to the array of events; whether there is one.
    pub(crate) fn find_events(&mut self) -> io::Result<bool> {
        while let Some(byte) = self.byte()? {
            match byte {
                b'[' => {
                    self.is_within = true;
                    return Ok(true);
                }
                b'{' => return self.find_member(),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Goes to the array of the member `traceEvents` of the outermost object.
    fn find_member(&mut self) -> io::Result<bool> {
        let (mut depth, mut text, mut is_key) = (0_usize, Vec::new(), false);
        while let Some(byte) = self.byte()? {
            match byte {
                b'"' => {
                    self.string(&mut text)?;
                    is_key = depth == 0 && text == b"traceEvents";
                    continue;
                }
                b'[' if is_key => {
                    self.is_within = true;
                    return Ok(true);
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                b':' | b' ' | b'\t' | b'\n' | b'\r' => continue,
                _ => {}
            }
            is_key = false;
        }
        Ok(false)
    }

    /// Reads a string to its closing quote; the text is kept as far as a key needs.
    fn string(&mut self, text: &mut Vec<u8>) -> io::Result<()> {
        text.clear();
        while let Some(byte) = self.byte()? {
            match byte {
                b'"' => return Ok(()),
                b'\\' => _ = self.byte()?,
                _ if text.len() < 16 => text.push(byte),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the next object into `event`.
    pub(crate) fn next_event(&mut self) -> io::Result<Found> {
        self.event.clear();
        while self.is_within {
            self.at = self.next;
            match self.byte()? {
                Some(b'{') => return self.rest_of_event(),
                Some(b']') | None => self.is_within = false,
                Some(_) => {}
            }
        }
        Ok(Found::Nothing)
    }

    fn rest_of_event(&mut self) -> io::Result<Found> {
        self.event.push(b'{');
        let (mut depth, mut is_text, mut is_escaped) = (1, false, false);
        while let Some(byte) = self.byte()? {
            self.event.push(byte);
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_text => is_escaped = true,
                b'"' => is_text = !is_text,
                _ if is_text => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(Found::Event);
            }
            if depth > DEEPEST || self.event.len() >= LONGEST_BYTES {
                return Ok(Found::Endless);
            }
        }
        Ok(Found::Cut)
    }

    /// Goes back to where the next event seems to begin within this one, which is damaged; gives how
    /// many bytes are passed over.
    pub(crate) fn resume(&mut self) -> u64 {
        let next = (1..self.event.len())
            .find(|&at| self.event[at] == b'{' && begins_element(&self.event[..at]));
        let bytes = next.unwrap_or(self.event.len());
        let rest = (self.event.len() - bytes) as u64;
        let Some(room) = self.again_room.checked_sub(rest) else {
            return self.event.len() as u64;
        };
        self.again_room = room;
        if self.again_at < self.again.len() {
            self.again_at -= rest as usize;
        } else {
            (self.again, self.again_at) = (self.event.split_off(bytes), 0);
        }
        self.next -= rest;
        bytes as u64
    }

    #[inline]
    fn byte(&mut self) -> io::Result<Option<u8>> {
        if let Some(&byte) = self.again.get(self.again_at) {
            self.again_at += 1;
            self.next += 1;
            return Ok(Some(byte));
        }
        loop {
            match self.input.fill_buf() {
                Ok(block) => {
                    let byte = block.first().copied();
                    if byte.is_some() {
                        self.input.consume(1);
                        self.next += 1;
                        self.again_room += 1;
                    }
                    return Ok(byte);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Whether an object that follows this text is an element of an array.
fn begins_element(before: &[u8]) -> bool {
    matches!(before.trim_ascii_end().last(), Some(b',' | b'['))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events(text: &str) -> Vec<(Found, u64, String)> {
        let mut scan = Scan::new(text.as_bytes());
        let mut events = Vec::new();
        assert!(scan.find_events().unwrap());
        loop {
            let found = scan.next_event().unwrap();
            let event = String::from_utf8_lossy(&scan.event).into_owned();
            match found {
                Found::Nothing => return events,
                Found::Event => {}
                Found::Cut | Found::Endless => _ = scan.resume(),
            }
            events.push((found, scan.at, event));
        }
    }

    #[test]
    fn both_forms_are_scanned() {
        let event = |at, text: &str| (Found::Event, at, text.to_owned());
        let text = r#" [{"a":"}]\""},{"b":[{}]}]"#;
        let expected = [event(2, r#"{"a":"}]\""}"#), event(15, r#"{"b":[{}]}"#)];
        assert_eq!(events(text), expected);
        let text = r#"{"other":[{"traceEvents":[{}]}],"x":"traceEvents","traceEvents" : [{"a":1}],"y":[{}]}"#;
        let at = text.find(r#"{"a""#).unwrap() as u64;
        assert_eq!(events(text), [event(at, r#"{"a":1}"#)]);
    }

    #[test]
    fn damage_ends_at_the_next_event() {
        let text = r#"[{"a":"x},{"b":2},{"c":3}"#;
        let found: Vec<(Found, u64)> = events(text)
            .iter()
            .map(|event| (event.0, event.1))
            .collect();
        assert_eq!(
            found,
            [(Found::Cut, 1), (Found::Event, 10), (Found::Event, 18)]
        );
    }

    #[test]
    fn hostile_nesting_takes_time_in_proportion() {
        for unit in ["{,", "{\"\\\",", "[{"] {
            let text = format!("[{}", unit.repeat(1 << 18));
            let scanned: usize = events(&text).iter().map(|event| event.2.len()).sum();
            assert!(
                scanned <= 80 * text.len() + AGAIN_BYTES as usize,
                "{unit}: {scanned}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_stops_the_scan(text in "[\\[\\]{}\",:\\\\a ]{0,200}") {
            let mut scan = Scan::new(text.as_bytes());
            if scan.find_events().unwrap() {
                while scan.next_event().unwrap() != Found::Nothing {
                    prop_assert!(scan.at < text.len() as u64);
                }
            }
        }
    }
}
