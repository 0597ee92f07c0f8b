//! One executed operator in one cache line.

use std::mem::{align_of, offset_of, size_of};

use crate::{Flags, Kind};

/// One executed operator (or range, mark, step, or control record): 64 bytes without padding.
///
/// Times are nanoseconds of the monotonic clock, or raw ticks while [`Flags::TICKS`] is set. A time
/// of 0 is unknown.
///
/// A [range](Kind::RANGE), [mark](Kind::MARK) or [step](Kind::STEP) uses some fields in its own way:
///
/// | field | range | mark | step |
/// |---|---|---|---|
/// | `op_id` | message, domain, category | the same | 0 |
/// | `run_id` | the bits of its [payload](OpRecord::payload) | the same | its number |
/// | `sequence` | its place among the annotations of its thread | the same | the same |
/// | `range_id` | its own id | the range in force, 0 for none | the range in force |
/// | `stream_id` | the range it lies in, 0 for none | 0 | 0 |
/// | `device_id` | [`NO_DEVICE`] | [`NO_DEVICE`] | a device, or [`NO_DEVICE`] |
/// | `model_id` | 0 | 0 | 0 |
///
/// ```
/// use optap_record::OpRecord;
/// let record = OpRecord { start_ns: 1_000, end_ns: 1_500, ..OpRecord::default() };
/// assert_eq!(record.duration_ns(), Some(500));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct OpRecord {
    /// When the operator began, ns; 0 when unknown.
    pub start_ns: u64,
    /// When the operator ended, ns; 0 when unknown.
    pub end_ns: u64,
    /// The run of the model that executed the operator; 0 outside a run.
    pub run_id: u64,
    /// The place in its stream, counted at completion.
    pub sequence: u64,
    /// The operator in the [`OpTable`](crate::OpTable); 0 for none.
    pub op_id: u32,
    /// The loaded model; 0 for none.
    pub model_id: u32,
    /// The stream that the operator ran on.
    pub stream_id: u32,
    /// The operating system's id of the thread that executed it.
    pub thread_id: u32,
    /// The range in force where the run was launched; 0 for none.
    pub range_id: u32,
    /// What is special about the record.
    pub flags: Flags,
    /// The device that the operator ran on.
    pub device_id: u32,
    /// What the record is about.
    pub kind: Kind,
    /// Zero.
    pub reserved: u16,
}

/// One field of [`OpRecord`] as the numpy array protocol describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name.
    pub name: &'static str,
    /// Where it begins, bytes from the start of the record.
    pub offset: usize,
    /// Its numpy type string, such as `"<u8"`.
    pub format: &'static str,
}

macro_rules! fields {
    ($($name:ident: $format:literal),* $(,)?) => {
        &[$(Field { name: stringify!($name), offset: offset_of!(OpRecord, $name), format: $format }),*]
    };
}

/// The layout of [`OpRecord`], field by field in order: the one source for every view of its bytes.
pub const FIELDS: &[Field] = fields! {
    start_ns: "<u8", end_ns: "<u8", run_id: "<u8", sequence: "<u8",
    op_id: "<u4", model_id: "<u4", stream_id: "<u4", thread_id: "<u4",
    range_id: "<u4", flags: "<u4", device_id: "<u4",
    kind: "<u2", reserved: "<u2",
};

/// The size of [`OpRecord`] in bytes.
pub const OP_RECORD_BYTES: usize = size_of::<OpRecord>();

const _: () = {
    assert!(OP_RECORD_BYTES == 64 && align_of::<OpRecord>() == 8);
    assert!(cfg!(target_endian = "little"));
    let offsets = [0, 8, 16, 24, 32, 36, 40, 44, 48, 52, 56, 60, 62];
    assert!(FIELDS.len() == offsets.len());
    let mut index = 0;
    while index < offsets.len() {
        let width = (FIELDS[index].format.as_bytes()[2] - b'0') as usize;
        let next = if index + 1 < offsets.len() {
            offsets[index + 1]
        } else {
            OP_RECORD_BYTES
        };
        assert!(FIELDS[index].offset == offsets[index] && offsets[index] + width == next);
        index += 1;
    }
};

/// The `device_id` of a record that belongs to no device.
pub const NO_DEVICE: u32 = u32::MAX;

impl OpRecord {
    /// The range that this record lies in; 0 for none.
    #[inline]
    #[must_use]
    pub const fn parent_id(&self) -> u32 {
        match self.kind {
            Kind::RANGE => self.stream_id,
            _ => self.range_id,
        }
    }

    /// How long the operator took, ns; `None` where a time is unknown, still in ticks, or the end
    /// lies before the start.
    #[inline]
    #[must_use]
    pub const fn duration_ns(&self) -> Option<u64> {
        let known = self.start_ns != 0 && self.end_ns != 0 && !self.flags.contains(Flags::TICKS);
        if known {
            self.end_ns.checked_sub(self.start_ns)
        } else {
            None
        }
    }

    /// Sets [`Flags::TIME_ZERO`] or [`Flags::TIME_REVERSED`] where the times give no duration, and
    /// clears both elsewhere.
    ///
    /// The times themselves stay as they are. An unknown time comes first: it is never also
    /// reversed.
    #[inline]
    pub const fn flag_times(&mut self) {
        self.flags.remove(Flags::from_bits(
            Flags::TIME_ZERO.bits() | Flags::TIME_REVERSED.bits(),
        ));
        if self.start_ns == 0 || self.end_ns == 0 {
            self.flags.insert(Flags::TIME_ZERO);
        } else if self.end_ns < self.start_ns {
            self.flags.insert(Flags::TIME_REVERSED);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(start_ns: u64, end_ns: u64) -> OpRecord {
        let mut record = OpRecord {
            start_ns,
            end_ns,
            ..OpRecord::default()
        };
        record.flag_times();
        record
    }

    #[test]
    fn impossible_times_have_no_duration_and_a_reason() {
        for (start, end, reason) in [
            (0, 0, Flags::TIME_ZERO),
            (5, 0, Flags::TIME_ZERO),
            (0, 5, Flags::TIME_ZERO),
            (u64::MAX, 0, Flags::TIME_ZERO),
            (10, 4, Flags::TIME_REVERSED),
        ] {
            let record = timed(start, end);
            assert_eq!((record.start_ns, record.end_ns), (start, end));
            assert_eq!((record.duration_ns(), record.flags), (None, reason));
        }
    }

    #[test]
    fn possible_times_have_a_duration_and_no_reason() {
        for (start, end, duration) in [
            (7, 7, 0),
            (1 << 63, (1 << 63) + 5, 5),
            (1, u64::MAX, u64::MAX - 1),
        ] {
            let record = timed(start, end);
            assert_eq!(
                (record.duration_ns(), record.flags),
                (Some(duration), Flags::NONE)
            );
        }
    }

    #[test]
    fn a_corrected_time_loses_its_reason() {
        let mut record = timed(10, 4);
        record.end_ns = 12;
        record.flag_times();
        assert_eq!(record.flags, Flags::NONE);
    }

    #[test]
    fn ticks_are_no_duration() {
        let record = OpRecord {
            flags: Flags::TICKS,
            ..timed(1, 2)
        };
        assert_eq!(record.duration_ns(), None);
    }
}
