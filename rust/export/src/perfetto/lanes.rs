//! Tracks for what may overlap: each lane holds slices that follow each other or nest.

/// Latest slices of a lane that are remembered.
const DEPTH: usize = 64;
/// The most lanes; what fits in none of them goes to the last.
const LANES: usize = 256;

/// Places slices, which come in the order of their ends.
#[derive(Debug, Default)]
pub(crate) struct Lanes(Vec<Lane>);

/// The outermost slices so far, as start and end; nothing may start before `closed_ns`.
#[derive(Debug, Default)]
struct Lane {
    outermost: Vec<(u64, u64)>,
    closed_ns: u64,
}

impl Lanes {
    /// The first lane in which the slice overlaps none, unless it holds it as a whole.
    pub(crate) fn place(&mut self, start_ns: u64, end_ns: u64) -> usize {
        let free = self
            .0
            .iter_mut()
            .position(|lane| lane.add(start_ns, end_ns));
        if let Some(lane) = free {
            return lane;
        }
        if self.0.len() < LANES {
            let mut lane = Lane::default();
            lane.add(start_ns, end_ns);
            self.0.push(lane);
        }
        self.0.len() - 1
    }
}

impl Lane {
    fn add(&mut self, start_ns: u64, end_ns: u64) -> bool {
        let held = |&&(start, end): &&(u64, u64)| start > start_ns && end <= end_ns;
        let nested = self.outermost.iter().rev().take_while(held).count();
        let rest = self.outermost.len() - nested;
        let before_ns = match rest {
            0 => self.closed_ns,
            _ => self.outermost[rest - 1].1,
        };
        if before_ns > start_ns {
            return false;
        }
        self.outermost.truncate(rest);
        if self.outermost.len() == DEPTH {
            self.closed_ns = self.outermost.remove(0).1;
        }
        self.outermost.push((start_ns, end_ns));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nested_and_successive_slices_share_a_lane() {
        let mut lanes = Lanes::default();
        for (start_ns, end_ns) in [(2, 3), (3, 4), (1, 5), (5, 9)] {
            assert_eq!(lanes.place(start_ns, end_ns), 0);
        }
    }

    proptest! {
        #[test]
        fn slices_of_a_lane_never_cross(mut slices in prop::collection::vec((0..200_u64, 0..40_u64), 1..200)) {
            slices.iter_mut().for_each(|slice| slice.1 += slice.0);
            slices.sort_by_key(|slice| slice.1);
            let mut lanes = Lanes::default();
            let mut placed: Vec<(usize, u64, u64)> = Vec::new();
            for (start, end) in slices {
                let lane = lanes.place(start, end);
                for &(other, from, to) in placed.iter().filter(|_| lane + 1 < LANES) {
                    let apart = to <= start || (from > start && to <= end);
                    prop_assert!(other != lane || apart);
                }
                placed.push((lane, start, end));
            }
        }
    }
}
