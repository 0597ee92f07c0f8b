//! What a full queue does.

use std::str::FromStr;

/// What happens to an op that finds its subscriber's queue full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The oldest unread op makes room.
    DropOldest,
    /// The op itself is dropped.
    DropNewest,
    /// Only the newest op is kept, whatever the capacity.
    Latest,
    /// The runtime waits before the next node until there is room; ranges, marks and steps are dropped.
    Block,
}

impl Overflow {
    /// Every policy, in the order of the documentation.
    pub const ALL: [Self; 4] = [
        Self::DropOldest,
        Self::DropNewest,
        Self::Latest,
        Self::Block,
    ];

    /// The name a user writes.
    pub fn name(self) -> &'static str {
        match self {
            Self::DropOldest => "drop_oldest",
            Self::DropNewest => "drop_newest",
            Self::Latest => "latest",
            Self::Block => "block",
        }
    }
}

impl FromStr for Overflow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|policy| policy.name() == text);
        found.ok_or_else(|| format!("overflow={text:?} is no policy; choose one of {}", names()))
    }
}
