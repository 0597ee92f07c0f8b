//! What is special about a record or an operator.

use std::fmt;
use std::ops::BitOr;

/// A set of facts about a record or an operator, one bit each.
///
/// ```
/// use optap_record::Flags;
/// let flags = Flags::FUSED | Flags::ENGINE;
/// assert!(flags.contains(Flags::FUSED));
/// assert_eq!(flags.names().collect::<Vec<_>>(), ["engine", "fused"]);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Flags(u32);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $text:literal;)*) => {
        impl Flags {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*

            /// Every named flag with its lower-case name, by rising bit.
            pub const ALL: &[(Self, &str)] = &[$((Self::$name, $text)),*];
        }
    };
}

flags! {
    /// The times are still raw ticks of the clock; the drainer makes them nanoseconds.
    TICKS = 0, "ticks";
    /// The engine made this node; the user's model has none like it.
    ENGINE = 1, "engine";
    /// The body of a Scan, If or Loop ran inside this operator.
    NESTED = 2, "nested";
    /// Several nodes of the user's model became this operator.
    FUSED = 3, "fused";
    /// The operator failed.
    FAILED = 4, "failed";
    /// A script made the record; no model ran.
    SCRIPTED = 5, "scripted";
    /// A time is zero, that is, unknown.
    TIME_ZERO = 6, "time_zero";
    /// The end lies before the start.
    TIME_REVERSED = 7, "time_reversed";
    /// The range had not ended when its subscription did; its end is that moment.
    UNCLOSED = 8, "unclosed";
    /// The range or mark has an integer as its [payload](crate::Payload).
    PAYLOAD_INT = 9, "payload_int";
    /// The range or mark has a float as its [payload](crate::Payload).
    PAYLOAD_FLOAT = 10, "payload_float";
}

impl Flags {
    /// No flag at all.
    pub const NONE: Self = Self(0);

    /// The set with exactly these bits; bits without a name are kept.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether no bit is set.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every flag of `other` is set.
    #[inline]
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Sets every flag of `other`.
    #[inline]
    pub const fn insert(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Clears every flag of `other`.
    #[inline]
    pub const fn remove(&mut self, other: Self) {
        self.0 &= !other.0;
    }

    /// The lower-case names of the set flags, by rising bit.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::ALL
            .iter()
            .filter(move |(flag, _)| self.contains(*flag))
            .map(|(_, name)| *name)
    }
}

impl BitOr for Flags {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Flags({:#x}", self.0)?;
        for name in self.names() {
            write!(f, " {name}")?;
        }
        f.write_str(")")
    }
}
