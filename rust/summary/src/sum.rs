//! What is known of one key.

use crate::histogram::Histogram;

/// Count, total, extremes and distribution of the durations of one key, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Sum {
    /// Ops counted.
    pub count: u64,
    /// Those of `count` without a valid duration; all below leaves them out.
    pub untimed: u64,
    /// Sum of the durations, ns.
    pub total_ns: u128,
    /// How often the range or step itself was told.
    pub spans: u64,
    /// Sum of the ranges' or steps' own durations, ns.
    pub span_ns: u128,
    min_ns: u64,
    max_ns: u64,
    histogram: Histogram,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            count: 0,
            untimed: 0,
            total_ns: 0,
            spans: 0,
            span_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            histogram: Histogram::default(),
        }
    }
}

impl Sum {
    /// Counts an op.
    #[inline]
    pub fn add(&mut self, duration_ns: Option<u64>) {
        self.count += 1;
        let Some(duration_ns) = duration_ns else {
            self.untimed += 1;
            return;
        };
        self.total_ns += u128::from(duration_ns);
        self.min_ns = self.min_ns.min(duration_ns);
        self.max_ns = self.max_ns.max(duration_ns);
        self.histogram.add(duration_ns);
    }

    /// Counts a range or step of this key.
    pub(crate) fn add_span(&mut self, duration_ns: Option<u64>) {
        self.spans += 1;
        self.span_ns += u128::from(duration_ns.unwrap_or(0));
    }

    /// Counts what `other` has counted.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.untimed += other.untimed;
        self.total_ns += other.total_ns;
        self.spans += other.spans;
        self.span_ns += other.span_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.histogram.merge(&other.histogram);
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.spans == 0
    }

    /// Durations counted.
    #[must_use]
    pub fn timed(&self) -> u64 {
        self.count - self.untimed
    }

    /// The shortest duration, ns; 0 where there is none.
    #[must_use]
    pub fn min_ns(&self) -> u64 {
        self.min_ns.min(self.max_ns)
    }

    /// The longest duration, ns; 0 where there is none.
    #[must_use]
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// The mean duration, ns; 0 where there is none.
    #[must_use]
    pub fn mean_ns(&self) -> f64 {
        self.total_ns as f64 / self.timed().max(1) as f64
    }

    /// The duration, ns, that a `share` of the ops does not exceed, within 0.8 %; 0 where there is none.
    #[must_use]
    pub fn quantile_ns(&self, share: f64) -> f64 {
        let middle = self.histogram.quantile(share).unwrap_or(0.0);
        middle.clamp(self.min_ns() as f64, self.max_ns as f64)
    }
}
