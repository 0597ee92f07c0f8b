//! Which kinds of records a subscriber chose.

use std::ops::{BitAnd, BitOr, Not};

use optap_record::Kind;

/// A set of the kinds that reach subscribers.
///
/// ```
/// use optap_profiler::Kinds;
/// use optap_record::Kind;
/// let kinds = Kinds::OPS | Kinds::RANGES;
/// assert!(kinds.contains(Kind::RANGE) && !kinds.contains(Kind::MARK));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kinds(u32);

impl Kinds {
    /// No kind.
    pub const NONE: Self = Self(0);
    /// Ops of the targets: what a subscriber gets who asks for nothing else.
    pub const OPS: Self = Self::of(Kind::OP);
    /// Ranges of the process.
    pub const RANGES: Self = Self::of(Kind::RANGE);
    /// Marks of the process.
    pub const MARKS: Self = Self::of(Kind::MARK);
    /// Steps of the process.
    pub const STEPS: Self = Self::of(Kind::STEP);
    /// Every kind.
    pub const ALL: Self = Self(Self::OPS.0 | Self::RANGES.0 | Self::MARKS.0 | Self::STEPS.0);

    /// The set of one kind; none for a kind that never reaches a subscriber.
    #[inline]
    pub const fn of(kind: Kind) -> Self {
        match kind {
            Kind::OP | Kind::RANGE | Kind::MARK | Kind::STEP => Self(1 << kind.0),
            _ => Self::NONE,
        }
    }

    /// Whether `kind` is one of them.
    #[inline]
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & Self::of(kind).0 != 0
    }

    #[inline]
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }
}

impl Default for Kinds {
    fn default() -> Self {
        Self::OPS
    }
}

impl BitOr for Kinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Kinds {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Not for Kinds {
    type Output = Self;

    fn not(self) -> Self {
        Self(Self::ALL.0 & !self.0)
    }
}
