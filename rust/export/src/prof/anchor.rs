//! One instant on the two clocks of a profile.

use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// The same instant on the monotonic and on the wall clock.
///
/// ```
/// use optap_export::Anchor;
/// let anchor = Anchor::now();
/// assert!(anchor.unix_ns > anchor.monotonic_ns);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// `CLOCK_MONOTONIC`, the clock of the records, ns.
    pub monotonic_ns: u64,
    /// The wall clock, ns since 1970 in UTC.
    pub unix_ns: u64,
}

impl Anchor {
    /// Of a profile whose clocks are not told.
    pub(crate) const NONE: Self = Self {
        monotonic_ns: 0,
        unix_ns: 0,
    };

    /// The wall clock at a monotonic time, ns.
    ///
    /// ```
    /// use optap_export::Anchor;
    /// let anchor = Anchor { monotonic_ns: 1_000, unix_ns: 5_000_000 };
    /// assert_eq!(anchor.wall_ns(900), 4_999_900);
    /// ```
    #[inline]
    #[must_use]
    pub fn wall_ns(self, monotonic_ns: u64) -> u64 {
        let since_ns = monotonic_ns.wrapping_sub(self.monotonic_ns);
        self.unix_ns.wrapping_add(since_ns)
    }

    /// The monotonic time at which the wall clock shows this, ns.
    #[inline]
    #[must_use]
    pub(crate) fn monotonic_at(self, unix_ns: u64) -> u64 {
        let since_ns = unix_ns.wrapping_sub(self.unix_ns);
        self.monotonic_ns.wrapping_add(since_ns)
    }

    /// Reads both clocks; the wall clock is read between two readings of the monotonic one.
    #[must_use]
    pub fn now() -> Self {
        let (before, unix_ns, after) = (monotonic_ns(), unix_ns(), monotonic_ns());
        Self {
            monotonic_ns: before.midpoint(after),
            unix_ns,
        }
    }

    /// An instant less than 1 us before, at which the wall clock shows whole microseconds.
    pub(crate) fn whole_us(self) -> Self {
        let fraction_ns = self.unix_ns % 1_000;
        Self {
            monotonic_ns: self.monotonic_ns.saturating_sub(fraction_ns),
            unix_ns: self.unix_ns - fraction_ns.min(self.monotonic_ns),
        }
    }
}

fn monotonic_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn unix_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whole_microseconds_keep_the_distance_of_the_clocks(
            monotonic_ns in 1_000..u64::MAX / 2, distance_ns in 0..u64::MAX / 2,
        ) {
            let anchor = Anchor { monotonic_ns, unix_ns: monotonic_ns + distance_ns };
            let whole = anchor.whole_us();
            prop_assert_eq!(whole.unix_ns % 1_000, 0);
            prop_assert_eq!(whole.unix_ns - whole.monotonic_ns, distance_ns);
        }
    }
}
