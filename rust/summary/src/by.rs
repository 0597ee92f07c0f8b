//! What a summary tells apart.

/// What makes the rows of a [`Summary`](crate::Summary).
///
/// ```
/// use optap_summary::By;
/// assert_eq!(By::named("step"), Some(By::Step));
/// assert_eq!(By::named("colour"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The operator's type.
    Type,
    /// The operator: its name, type and kernel together.
    Name,
    /// The step in which the operator began.
    Step,
    /// The range in which the operator's run was launched, by the range's name.
    Range,
    /// The device and the stream.
    Stream,
}

impl By {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Type,
        Self::Name,
        Self::Step,
        Self::Range,
        Self::Stream,
    ];

    /// The lower-case name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Name => "name",
            Self::Step => "step",
            Self::Range => "range",
            Self::Stream => "stream",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.name() == name)
    }
}
