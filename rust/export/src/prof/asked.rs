//! What a directory is asked to hold.

/// How much is told of each operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Its times alone: the tables by operator type stay away.
    L0,
    /// Its times, name and type.
    L1,
    /// As [`L1`](Self::L1); the format has room for attributes that a processor does not have.
    L2,
}

/// What a directory is asked to hold, as its `sample.json` tells; what is not asked for is left out.
///
/// ```
/// use optap_export::{Asked, Level};
/// let times_alone = Asked { level: Some(Level::L0), ..Asked::NOTHING };
/// assert!(!times_alone.ranges && Asked::default().ranges);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Operators, and how much of each; `None` for no operators.
    pub level: Option<Level>,
    /// Timed calls of the host's interface.
    pub calls: bool,
    /// Ranges and marks.
    pub ranges: bool,
    /// Steps.
    pub steps: bool,
    /// The set of core counters that was wished for. A processor has none: the columns stay N/A.
    pub metrics: Option<&'static str>,
}

impl Asked {
    /// Nothing at all.
    pub const NOTHING: Self = Self {
        level: None,
        calls: false,
        ranges: false,
        steps: false,
        metrics: None,
    };

    /// The level as `sample.json` spells it.
    pub(crate) fn level_name(&self) -> &'static str {
        match self.level {
            None | Some(Level::L0) => "l0",
            Some(Level::L1) => "l1",
            Some(Level::L2) => "l2",
        }
    }
}

impl Default for Asked {
    /// Everything but counters.
    fn default() -> Self {
        Self {
            level: Some(Level::L1),
            calls: true,
            ranges: true,
            steps: true,
            metrics: None,
        }
    }
}
