//! What an event can do, by how it was created.

use crate::codes::ErrorCode;
use crate::error::{Error, Result};

/// A set of event flags, as CANN numbers them.
///
/// ```
/// use optap_runtime::EventFlags;
/// let flags = EventFlags::SYNC | EventFlags::TIME_LINE;
/// assert_eq!(flags.bits(), 0x9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventFlags(u32);

impl EventFlags {
    /// Streams can wait for the event.
    pub const SYNC: Self = Self(0x1);
    /// The event follows the progress of a stream.
    pub const CAPTURE_STREAM_PROGRESS: Self = Self(0x2);
    /// The event keeps the time at which it is reached.
    pub const TIME_LINE: Self = Self(0x8);
    /// The event is used on the device only.
    pub const DEVICE_USE_ONLY: Self = Self(0x10);
    /// The event is used outside of captured graphs.
    pub const EXTERNAL: Self = Self(0x20);
    /// The event can be shared between processes; extended events only.
    pub const IPC: Self = Self(0x40);

    /// Flags from their bits; checked when an event is created.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// True when every flag of `other` is set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for EventFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How an event was created, which decides what it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Can do everything; a wait before the first recording is refused.
    Default,
    /// Can do what the flags say; with `SYNC`, a wait before the first recording lasts until that.
    Flags(EventFlags),
    /// Can be waited for always; a wait before the first recording passes.
    Extended(EventFlags),
}

/// What a wait before the first recording does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unrecorded {
    Refuse,
    Wait,
    Pass,
}

impl EventKind {
    /// Refuses flags that cannot be: none, unknown ones, and those that do not go together.
    pub(crate) fn check(self) -> Result<()> {
        let (flags, known, exclusive) = match self {
            Self::Default => return Ok(()),
            Self::Flags(flags) => (
                flags.0,
                0x3b,
                [EventFlags::EXTERNAL.0, EventFlags::DEVICE_USE_ONLY.0],
            ),
            Self::Extended(flags) => (flags.0, 0x4b, [EventFlags::IPC.0, EventFlags::IPC.0]),
        };
        let combined = exclusive
            .iter()
            .any(|alone| flags & alone != 0 && flags != *alone);
        if flags == 0 || flags & !known != 0 || combined {
            let detail = format!(
                "event flags {flags:#x} are not valid; use a sum of {known:#x} in which none excludes another"
            );
            return Err(Error::new(ErrorCode::ParamInvalid, detail));
        }
        Ok(())
    }

    pub(crate) fn is_extended(self) -> bool {
        matches!(self, Self::Extended(_))
    }

    /// Whether streams can wait for the event.
    pub(crate) fn waits(self) -> bool {
        match self {
            Self::Flags(flags) => flags.contains(EventFlags::SYNC),
            Self::Default | Self::Extended(_) => true,
        }
    }

    /// Whether the event keeps its time.
    pub(crate) fn times(self) -> bool {
        match self {
            Self::Default => true,
            Self::Flags(flags) | Self::Extended(flags) => flags.contains(EventFlags::TIME_LINE),
        }
    }

    pub(crate) fn unrecorded(self) -> Unrecorded {
        match self {
            Self::Default => Unrecorded::Refuse,
            Self::Flags(_) => Unrecorded::Wait,
            Self::Extended(_) => Unrecorded::Pass,
        }
    }

    pub(crate) fn refuse(self, code: ErrorCode, action: &str) -> Error {
        Error::new(
            code,
            format!("an event of kind {self:?} cannot {action}; create it with other flags"),
        )
    }
}
