//! The clock of the line: raw ticks where an op runs, nanoseconds of `CLOCK_MONOTONIC` where it is batched.
//!
//! A producer pays one counter read (`rdtsc`, `cntvct_el0`). The drainer maps ticks to nanoseconds with a
//! piecewise-linear function that is continuous, never runs backwards and is pulled onto the system clock at
//! each anchor. Where the counter is not invariant, ticks are nanoseconds and the map is the identity.

use std::collections::VecDeque;
use std::sync::OnceLock;

/// Time between two anchors, in nanoseconds.
pub const ANCHOR_INTERVAL_NS: u64 = 50_000_000;

const FRACTION_BITS: u32 = 32;
const SEGMENTS_KEPT: usize = 128;
const FIRST_RATE_WINDOW_NS: u64 = 2_000_000;

/// `CLOCK_MONOTONIC` in nanoseconds, the clock of Python's `time.monotonic_ns`.
pub fn monotonic_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid, writable timespec for the duration of the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Name of the counter that stamps ops: `tsc`, `cntvct` or `clock_gettime`.
pub fn source() -> &'static str {
    match (counter_is_invariant(), cfg!(target_arch = "aarch64")) {
        (false, _) => "clock_gettime",
        (true, true) => "cntvct",
        (true, false) => "tsc",
    }
}

/// One reading of the counter, in ticks.
#[inline]
pub fn ticks() -> u64 {
    if counter_is_invariant() {
        counter()
    } else {
        monotonic_ns()
    }
}

/// About how many ticks `ns` nanoseconds take.
pub fn ticks_in_ns(ns: u64) -> u64 {
    let rate = if counter_is_invariant() {
        Clock::default().segments[0].rate
    } else {
        1 << FRACTION_BITS
    };
    ((u128::from(ns) << FRACTION_BITS) / u128::from(rate.max(1))) as u64
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the time stamp counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn counter() -> u64 {
    let value: u64;
    // SAFETY: the virtual counter is readable from user space on every supported system.
    unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) value, options(nomem, nostack)) };
    value
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn counter() -> u64 {
    monotonic_ns()
}

#[inline]
fn counter_is_invariant() -> bool {
    static INVARIANT: OnceLock<bool> = OnceLock::new();
    *INVARIANT.get_or_init(detect_invariant)
}

#[cfg(target_arch = "x86_64")]
fn detect_invariant() -> bool {
    const ADVANCED_POWER: u32 = 0x8000_0007;
    let highest = core::arch::x86_64::__cpuid(0x8000_0000).eax;
    highest >= ADVANCED_POWER && core::arch::x86_64::__cpuid(ADVANCED_POWER).edx & (1 << 8) != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn detect_invariant() -> bool {
    cfg!(target_arch = "aarch64")
}

/// One moment read on both clocks.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    ticks: u64,
    ns: u64,
}

impl Anchor {
    /// Reads the system clock between two counter readings; the closest of five pairs wins.
    fn now() -> Self {
        (0..5)
            .map(|_| Self::once())
            .min_by_key(|(width, _)| *width)
            .map_or(Self { ticks: 0, ns: 0 }, |(_, anchor)| anchor)
    }

    fn once() -> (u64, Self) {
        let before = ticks();
        let ns = monotonic_ns();
        let width = ticks().saturating_sub(before);
        (
            width,
            Self {
                ticks: before + width / 2,
                ns,
            },
        )
    }
}

/// From `ticks` on, time runs at `rate` (nanoseconds a tick, 32 fraction bits).
#[derive(Clone, Copy, Debug)]
struct Segment {
    ticks: u64,
    ns: u64,
    rate: u64,
}

impl Segment {
    #[inline]
    fn ns(&self, ticks: u64) -> u64 {
        let scale =
            |delta: u64| ((u128::from(delta) * u128::from(self.rate)) >> FRACTION_BITS) as u64;
        match ticks.checked_sub(self.ticks) {
            Some(delta) => self.ns + scale(delta),
            None => self.ns.saturating_sub(scale(self.ticks - ticks)),
        }
    }
}

fn rate(ns: u64, ticks: u64) -> u64 {
    ((u128::from(ns) << FRACTION_BITS) / u128::from(ticks.max(1))) as u64
}

/// Maps ticks to nanoseconds of `CLOCK_MONOTONIC`.
#[derive(Debug)]
pub struct Clock {
    segments: VecDeque<Segment>,
    anchor: Anchor,
    /// No tick above this one has been mapped yet.
    mapped_to: u64,
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(Self::first_anchor())
    }
}

impl Clock {
    /// Marks the moment from which the first rate is measured; call it early, at load.
    pub fn prepare() {
        Self::first_anchor();
    }

    fn first_anchor() -> Anchor {
        static FIRST: OnceLock<Anchor> = OnceLock::new();
        *FIRST.get_or_init(Anchor::now)
    }

    fn new(first: Anchor) -> Self {
        while monotonic_ns() < first.ns + FIRST_RATE_WINDOW_NS {
            std::hint::spin_loop();
        }
        let now = Anchor::now();
        let rate = rate(now.ns - first.ns, now.ticks - first.ticks);
        let segment = Segment {
            ticks: now.ticks,
            ns: now.ns,
            rate,
        };
        Self {
            segments: VecDeque::from([segment]),
            anchor: now,
            mapped_to: now.ticks,
        }
    }

    /// Prepares the map for ticks read before this call.
    pub fn advance(&mut self) {
        let now = ticks();
        let due = self.ns(now).saturating_sub(self.anchor.ns) > ANCHOR_INTERVAL_NS;
        if due {
            self.adopt(Anchor::now());
        } else {
            self.mapped_to = now;
        }
    }

    fn adopt(&mut self, anchor: Anchor) {
        let measured = rate(anchor.ns - self.anchor.ns, anchor.ticks - self.anchor.ticks);
        let from = Segment {
            ticks: self.mapped_to,
            ns: self.ns(self.mapped_to),
            rate: 0,
        };
        let idle_ticks = anchor.ticks.saturating_sub(self.mapped_to);
        let straight = anchor.ns > from.ns && idle_ticks > (anchor.ticks - self.anchor.ticks) / 2;
        if straight {
            self.open(Segment {
                rate: rate(anchor.ns - from.ns, idle_ticks),
                ..from
            });
            self.open(Segment {
                ticks: anchor.ticks,
                ns: anchor.ns,
                rate: measured,
            });
        } else {
            self.open(Segment {
                rate: self.slewed(measured, anchor),
                ..from
            });
        }
        self.anchor = anchor;
        self.mapped_to = anchor.ticks;
    }

    /// The measured rate, bent so that today's error is gone at the next anchor.
    fn slewed(&self, measured: u64, anchor: Anchor) -> u64 {
        let error_ns = anchor.ns as i64 - self.ns(anchor.ticks) as i64;
        let bend = i128::from(measured) * i128::from(error_ns) / i128::from(ANCHOR_INTERVAL_NS);
        (i128::from(measured) + bend).clamp(i128::from(measured / 2), i128::from(measured) * 2)
            as u64
    }

    fn open(&mut self, segment: Segment) {
        if self.segments.len() == SEGMENTS_KEPT {
            self.segments.pop_front();
        }
        self.segments.push_back(segment);
    }

    /// Nanoseconds of `CLOCK_MONOTONIC` at `ticks`.
    #[inline]
    pub fn ns(&self, ticks: u64) -> u64 {
        if !counter_is_invariant() {
            return ticks;
        }
        let mut newest_first = self.segments.iter().rev();
        let holds = newest_first.find(|segment| segment.ticks <= ticks);
        holds
            .or(self.segments.front())
            .map_or(ticks, |segment| segment.ns(ticks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Far above what an anchor can be wrong by, far below what anyone would take for another time.
    const DRIFT_BOUND_NS: u64 = 100_000;

    fn error_ns(clock: &Clock) -> u64 {
        let anchor = Anchor::now();
        clock.ns(anchor.ticks).abs_diff(anchor.ns)
    }

    #[test]
    fn mapped_time_stays_on_the_system_clock() {
        let mut clock = Clock::default();
        let end = Instant::now() + Duration::from_secs(1);
        while Instant::now() < end {
            clock.advance();
            assert!(
                error_ns(&clock) < DRIFT_BOUND_NS,
                "off by {} ns",
                error_ns(&clock)
            );
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn an_idle_pause_is_bridged_exactly() {
        let mut clock = Clock::default();
        std::thread::sleep(Duration::from_millis(300));
        let inside = Anchor::now();
        std::thread::sleep(Duration::from_millis(100));
        clock.advance();
        assert!(clock.ns(inside.ticks).abs_diff(inside.ns) < DRIFT_BOUND_NS);
    }

    #[test]
    fn mapped_time_never_runs_backwards_and_never_changes() {
        let mut clock = Clock::default();
        let mut last = (0, 0);
        let end = Instant::now() + Duration::from_millis(400);
        while Instant::now() < end {
            let stamp = ticks();
            clock.advance();
            assert_eq!(
                clock.ns(last.0),
                if last.0 == 0 { clock.ns(0) } else { last.1 }
            );
            let ns = clock.ns(stamp);
            assert!(ns >= last.1, "{ns} < {}", last.1);
            last = (stamp, ns);
        }
    }
}
