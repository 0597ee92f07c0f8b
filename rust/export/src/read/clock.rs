//! Counters and what they mean.

/// A counter of the host or of a device, with an instant at which both it and the time are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    pub(crate) counter: u64,
    pub(crate) monotonic_ns: u64,
    /// How fast it counts; `None` for a counter of ns.
    pub(crate) hz: Option<u64>,
}

impl Clock {
    /// A counter that is the monotonic clock.
    pub(crate) const MONOTONIC: Self = Self {
        counter: 0,
        monotonic_ns: 0,
        hz: None,
    };

    /// The monotonic time of a reading, ns; 0 for one that lies before all time.
    pub(crate) fn ns(&self, reading: u64) -> u64 {
        let Some(hz) = self.hz else {
            return reading;
        };
        let counted = i128::from(reading) - i128::from(self.counter);
        let passed_ns = (counted * 1_000_000_000).div_euclid(hz.into());
        let ns = i128::from(self.monotonic_ns) + passed_ns;
        ns.clamp(0, u64::MAX.into()) as u64
    }
}

/// The frequency of a text in MHz, or `None` where it is none, or that of ns.
pub(crate) fn hz(mhz: &str) -> Option<u64> {
    let hz = mhz.trim().parse::<f64>().ok()? * 1e6;
    let is_known = hz.is_finite() && (1.0..1e12).contains(&hz) && hz != 1e9;
    is_known.then(|| hz.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_told_in_ns() {
        let clock = Clock {
            counter: 700,
            monotonic_ns: 5_000,
            hz: hz("50.000000"),
        };
        let readings = [750, 700, 650, 0, u64::MAX].map(|reading| clock.ns(reading));
        assert_eq!(readings, [6_000, 5_000, 4_000, 0, u64::MAX]);
    }

    #[test]
    fn a_frequency_that_is_none_counts_ns() {
        for text in ["", "0", "-1", "nan", "inf", "1000.000000", "1e300"] {
            assert_eq!(hz(text), None);
        }
        assert_eq!(hz("38.4"), Some(38_400_000));
    }
}
