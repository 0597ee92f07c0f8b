//! A distribution in bounded memory.

/// Buckets of one doubling: a value is known to 1/64 of itself, its middle to half of that.
const SPLITS: usize = 1 << SPLIT_BITS;
const SPLIT_BITS: u32 = 6;

/// The first octave holds the values below [`SPLITS`] exactly; each other one holds a doubling.
const OCTAVES: usize = (u64::BITS - SPLIT_BITS + 1) as usize;

/// Counts of values in 64 buckets for each doubling: a quantile is off by less than 0.8 %, whatever the values.
///
/// An octave takes 512 bytes, once a value falls into it; there are 59.
///
/// ```
/// use optap_summary::Histogram;
/// let mut histogram = Histogram::default();
/// (1..=1_000).for_each(|value| histogram.add(value));
/// assert!((histogram.quantile(0.99).unwrap() - 990.0).abs() < 8.0);
/// ```
#[derive(Clone, Debug)]
pub struct Histogram {
    octaves: [Option<Box<[u64; SPLITS]>>; OCTAVES],
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            octaves: [const { None }; OCTAVES],
        }
    }
}

impl Histogram {
    /// Counts a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        let (octave, split) = place(value);
        match &mut self.octaves[octave] {
            Some(counts) => counts[split] += 1,
            empty => begin(empty, split),
        }
    }

    /// Counts what `other` has counted.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.octaves.iter_mut().zip(&other.octaves) {
            let Some(theirs) = theirs else { continue };
            let mine = mine.get_or_insert_with(|| Box::new([0; SPLITS]));
            for (mine, theirs) in mine.iter_mut().zip(theirs.iter()) {
                *mine += theirs;
            }
        }
    }

    /// Values counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets().map(|(_, _, count)| count).sum()
    }

    /// The value that a `share` of the counted ones does not exceed; `None` if none was counted.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let rank = ((share * self.count() as f64).ceil() as u64).max(1);
        let mut below = 0;
        let mut last = None;
        for (octave, split, count) in self.buckets() {
            below += count;
            last = Some(middle(octave, split));
            if below >= rank {
                break;
            }
        }
        last
    }

    /// Octave, split and count of each bucket that is not empty, in the order of their values.
    fn buckets(&self) -> impl Iterator<Item = (usize, usize, u64)> {
        let octaves = self.octaves.iter().enumerate();
        let counts = octaves.filter_map(|(octave, counts)| Some((octave, counts.as_ref()?)));
        counts.flat_map(|(octave, counts)| {
            let counts = counts.iter().enumerate();
            counts.filter_map(move |(split, &count)| (count > 0).then_some((octave, split, count)))
        })
    }
}

#[cold]
fn begin(octave: &mut Option<Box<[u64; SPLITS]>>, split: usize) {
    octave.insert(Box::new([0; SPLITS]))[split] = 1;
}

/// Octave and split of a value.
#[inline]
fn place(value: u64) -> (usize, usize) {
    let octave = (u64::BITS - (value >> SPLIT_BITS).leading_zeros()) as usize;
    let shift = octave.saturating_sub(1);
    (octave, (value >> shift) as usize & (SPLITS - 1))
}

/// The middle of the values of a bucket.
fn middle(octave: usize, split: usize) -> f64 {
    if octave == 0 {
        return split as f64;
    }
    let width = (octave as f64 - 1.0).exp2();
    (SPLITS + split) as f64 * width + (width - 1.0) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_its_own_middle() {
        for value in (0..u64::BITS).flat_map(|bit| [1 << bit, (1 << bit) - 1, u64::MAX >> bit]) {
            let (octave, split) = place(value);
            let middle = middle(octave, split);
            assert!(
                (middle - value as f64).abs() <= value as f64 / 127.0,
                "{value}: {middle}"
            );
        }
    }

    #[test]
    fn the_order_of_buckets_is_that_of_values() {
        let values = (0..1 << 12).chain((12..64).map(|bit| 1 << bit));
        let places: Vec<_> = values.map(place).collect();
        assert!(places.is_sorted());
    }
}
