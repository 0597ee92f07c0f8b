//! What a record is about.

/// What an [`OpRecord`](crate::OpRecord) is about.
///
/// Any 16 bits are a valid value, so that a record can be read from bytes without a check.
///
/// ```
/// use optap_record::Kind;
/// assert_eq!(Kind::RANGE.name(), "range");
/// assert!(Kind::FENCE.is_control());
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Kind(pub u16);

impl Kind {
    /// One operator of a model, executed once.
    pub const OP: Self = Self(0);
    /// Control: records that never reached the ring.
    pub const LOSS: Self = Self(1);
    /// Control: what another ring must have given before this one goes on.
    pub const FENCE: Self = Self(2);
    /// A named stretch of the user's own code.
    pub const RANGE: Self = Self(3);
    /// A named instant of the user's own code.
    pub const MARK: Self = Self(4);
    /// One step of a training or serving loop.
    pub const STEP: Self = Self(5);
    /// Control: a range that has begun, so that it can be told if it never ends.
    pub const BEGIN: Self = Self(6);

    /// Whether the record steers the line of data itself; such a record never reaches a batch.
    #[inline]
    #[must_use]
    pub const fn is_control(self) -> bool {
        matches!(self, Self::LOSS | Self::FENCE | Self::BEGIN)
    }

    /// Whether the record comes from the user's own code, and so from the process and from no model.
    #[inline]
    #[must_use]
    pub const fn is_annotation(self) -> bool {
        matches!(self, Self::RANGE | Self::MARK | Self::STEP)
    }

    /// The lower-case name, `"unknown"` for a value that has none.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OP => "op",
            Self::LOSS => "loss",
            Self::FENCE => "fence",
            Self::RANGE => "range",
            Self::MARK => "mark",
            Self::STEP => "step",
            Self::BEGIN => "begin",
            _ => "unknown",
        }
    }
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kind({} = {})", self.0, self.name())
    }
}
