//! Wire records out of a byte stream that arrives in any pieces and may be damaged.

use crate::{Layout, WireRecord, verify};

/// What became of a stream's bytes.
///
/// A damaged stretch is what lies between two good records. Of its bytes each whole record's size
/// counts as one bad signature, and a stretch shorter than that as one too. What is left at the end
/// of the stream counts as truncated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Good records.
    pub decoded: u64,
    /// Records lost to a signature that does not fit.
    pub bad_signature: u64,
    /// Records cut short by the end of the stream.
    pub truncated: u64,
    /// Bytes that belong to no good record.
    pub skipped_bytes: u64,
}

/// Reads wire records from a byte stream, cut at any byte, and finds the next good record behind
/// damage.
///
/// The records and counts do not depend on where the stream was cut. Each good record is checked
/// once. Behind one bad record the next is looked for where it should begin; if there is none, at
/// every byte. Only for this choice is a record ever held back, until the bytes of the following
/// one or the end are seen.
///
/// ```
/// use optap_record::{Decoder, Layout, WireRecord};
/// let mut bytes = Vec::new();
/// WireRecord { op_index: 1, ..WireRecord::default() }.encode(Layout::Cann80, &mut bytes);
/// let (mut decoder, mut records) = (Decoder::new(Layout::Cann80), Vec::new());
/// decoder.push(&bytes[..33], |record| records.push(record));
/// decoder.push(&bytes[33..], |record| records.push(record));
/// decoder.finish(|record| records.push(record));
/// assert_eq!((records.len(), decoder.counters().decoded), (1, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Decoder {
    layout: Layout,
    carry: Vec<u8>,
    searching: bool,
    damaged_bytes: u64,
    closed: Counters,
}

impl Decoder {
    /// A decoder at the start of a stream.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        Self {
            layout,
            carry: Vec::new(),
            searching: false,
            damaged_bytes: 0,
            closed: Counters::default(),
        }
    }

    /// Takes the next bytes of the stream and gives every record that is whole with them.
    pub fn push(&mut self, bytes: &[u8], mut sink: impl FnMut(WireRecord)) {
        let rest = if self.carry.is_empty() {
            bytes
        } else {
            self.push_carried(bytes, &mut sink)
        };
        let read = self.scan(rest, &mut sink);
        self.carry.extend_from_slice(&rest[read..]);
    }

    /// Ends the stream: gives what was held back, and counts what is left as truncated.
    ///
    /// The decoder then stands at the start of a new stream; the counters go on.
    pub fn finish(&mut self, mut sink: impl FnMut(WireRecord)) {
        let carry = std::mem::take(&mut self.carry);
        let read = self.scan(&carry, &mut sink);
        self.searching = true;
        let searched = self.scan(&carry[read..], &mut sink);
        self.damaged_bytes += (carry.len() - read - searched) as u64;
        self.closed.truncated += u64::from(!self.damaged_bytes.is_multiple_of(self.size()));
        self.close_damage(self.damaged_bytes / self.size());
    }

    /// What became of the bytes so far. Bytes that wait for the rest of their record are in none of
    /// the counts.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let open = self.damaged_bytes / self.size();
        Counters {
            bad_signature: self.closed.bad_signature + open,
            skipped_bytes: self.closed.skipped_bytes + self.damaged_bytes,
            ..self.closed
        }
    }

    fn size(&self) -> u64 {
        self.layout.size_bytes() as u64
    }

    /// Reads on from the carried bytes; gives the part of `bytes` that is still to be read on its
    /// own.
    fn push_carried<'a>(&mut self, bytes: &'a [u8], sink: &mut impl FnMut(WireRecord)) -> &'a [u8] {
        let carried = self.carry.len();
        let lent = bytes.len().min(2 * self.layout.size_bytes());
        let mut window = std::mem::take(&mut self.carry);
        window.extend_from_slice(&bytes[..lent]);
        let read = self.scan(&window, sink);
        if read >= carried {
            return &bytes[read - carried..];
        }
        // Two records' bytes behind a position decide it, so all of `bytes` has been lent.
        window.drain(..read);
        self.carry = window;
        &[]
    }

    /// Reads records from `window` as far as its bytes decide; gives how many bytes were read.
    fn scan(&mut self, window: &[u8], sink: &mut impl FnMut(WireRecord)) -> usize {
        let mut read = 0;
        while let Some(slot) = window.get(read..read + self.layout.size_bytes()) {
            if let Ok(record) = WireRecord::decode(slot, self.layout) {
                self.accept();
                sink(record);
                read += slot.len();
            } else if let Some(step) = self.step(&window[read + slot.len()..]) {
                self.damaged_bytes += step as u64;
                read += step;
            } else {
                break;
            }
        }
        read
    }

    #[inline]
    fn accept(&mut self) {
        self.closed.decoded += 1;
        if self.damaged_bytes > 0 {
            self.close_damage((self.damaged_bytes / self.size()).max(1));
        }
    }

    #[cold]
    fn close_damage(&mut self, bad_signature: u64) {
        self.closed.bad_signature += bad_signature;
        self.closed.skipped_bytes += self.damaged_bytes;
        self.damaged_bytes = 0;
        self.searching = false;
    }

    /// How far to go from a bad slot, given the bytes behind it; `None` if they are too few to
    /// tell.
    #[cold]
    fn step(&mut self, behind: &[u8]) -> Option<usize> {
        if !self.searching {
            let next = behind.get(..self.layout.size_bytes())?;
            if verify(next, self.layout).is_ok() {
                return Some(next.len());
            }
            self.searching = true;
        }
        Some(1)
    }
}
