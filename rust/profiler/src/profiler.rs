//! The process-wide line: rings, drainer, subscribers.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use optap_record::OpLease;
use optap_ring::{Parker, Producer};
use optap_runtime::fork_generation;
use parking_lot::{Mutex, MutexGuard};

use crate::annotation::listen;
use crate::clock::Clock;
use crate::filter::Sieve;
use crate::kinds::Kinds;
use crate::label::Labels;
use crate::line::{Line, Rest};
use crate::ranges::Ranges;
use crate::staging::Item;
use crate::subscriber::Subscriber;
use crate::tap::Tap;

/// How long the drainer stays after the last subscriber left.
const LINGER: Duration = Duration::from_millis(200);

/// What the line itself has cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Times that a producer woke the drainer.
    pub drainer_wakes: u64,
    /// Processor time of the drainer, in nanoseconds.
    pub drainer_cpu_ns: u64,
    /// Passes over the rings.
    pub passes: u64,
}

/// Rings, drainer and subscribers of this process.
pub struct Profiler {
    line: Mutex<Line>,
    labels: Labels,
    ranges: Ranges,
    parker: Parker,
    is_urgent: AtomicBool,
    is_draining: AtomicBool,
    passes: AtomicU64,
    drainer_cpu_ns: AtomicU64,
    generation: u32,
}

impl Profiler {
    /// The profiler of this process; a forked child gets a fresh one.
    pub fn global() -> &'static Arc<Self> {
        static CURRENT: AtomicPtr<Arc<Profiler>> = AtomicPtr::new(ptr::null_mut());
        let current = CURRENT.load(Ordering::Acquire);
        // SAFETY: the pointer is null or came from `Box::leak` below and is never freed.
        if let Some(profiler) = unsafe { current.as_ref() }.filter(|profiler| profiler.is_own()) {
            return profiler;
        }
        let fresh = ptr::from_mut(Box::leak(Box::new(Arc::new(Self::new()))));
        let won = CURRENT.compare_exchange(current, fresh, Ordering::AcqRel, Ordering::Acquire);
        // SAFETY: both pointers came from `Box::leak` and are never freed.
        unsafe { &*won.map_or_else(|other| other, |_| fresh) }
    }

    fn new() -> Self {
        Clock::prepare();
        // A forked child inherits the switch, but none of those who listened.
        listen(Kinds::NONE);
        Self {
            line: Mutex::default(),
            labels: Labels::default(),
            ranges: Ranges::default(),
            parker: Parker::new(),
            is_urgent: AtomicBool::new(false),
            is_draining: AtomicBool::new(false),
            passes: AtomicU64::new(0),
            drainer_cpu_ns: AtomicU64::new(0),
            generation: fork_generation(),
        }
    }

    /// Whether this process made the profiler, and did not inherit it by a fork.
    #[inline]
    pub fn is_own(&self) -> bool {
        self.generation == fork_generation()
    }

    pub(crate) fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock()
    }

    pub(crate) fn labels(&self) -> &Labels {
        &self.labels
    }

    pub(crate) fn ranges(&self) -> &Ranges {
        &self.ranges
    }

    /// Labels that are known now, those that nobody uses any more included.
    pub fn label_count(&self) -> usize {
        self.labels.len()
    }

    /// Ranges that have begun and not ended, as far as somebody listens to ranges.
    pub fn open_range_count(&self) -> usize {
        self.line().open_ranges()
    }

    /// Registers a model: its runs ask the returned tap whether to record.
    pub fn add_model(&self, model_id: u32, device_id: u32) -> Arc<Tap> {
        let tap = Arc::new(Tap::new(model_id, device_id));
        self.line().add_tap(&tap);
        tap
    }

    /// Keeps the names of `lease` for records on their way, until the returned guard goes and those are drained.
    pub fn add_names(self: &Arc<Self>, lease: Arc<OpLease>) -> Names {
        self.line().add_lease(&lease);
        Names {
            profiler: self.clone(),
            lease,
        }
    }

    pub(crate) fn attach(self: &Arc<Self>, subscriber: &Arc<Subscriber>, sieve: Option<Sieve>) {
        self.line().attach(subscriber, sieve);
        if !self.is_draining.swap(true, Ordering::SeqCst) {
            let profiler = self.clone();
            let spawned = thread::Builder::new()
                .name("optap-drainer".into())
                .spawn(move || profiler.run_drainer());
            self.is_draining.store(spawned.is_ok(), Ordering::SeqCst);
        }
    }

    pub(crate) fn detach(&self, subscriber: &Arc<Subscriber>) {
        let is_last = {
            let mut line = self.line();
            line.detach(subscriber);
            !line.has_subscribers()
        };
        if is_last {
            self.parker.interrupt();
        }
    }

    /// Hands every record pushed before the call to its subscribers; returns whether there was one.
    pub fn drain(&self) -> bool {
        self.is_urgent.store(false, Ordering::Relaxed);
        self.passes.fetch_add(1, Ordering::Relaxed);
        self.line().drain()
    }

    /// As [`drain`](Self::drain), unless somebody else is at it.
    pub(crate) fn try_drain(&self) {
        if let Some(mut line) = self.line.try_lock() {
            line.drain();
        }
    }

    /// Whether one of `gates` is full, with `undrained` ops of the caller's ring. No op is on its way between ring and
    /// queue meanwhile.
    pub(crate) fn is_any_full(&self, gates: &[Arc<Subscriber>], undrained: usize) -> bool {
        let _line = self.line();
        gates.iter().any(|gate| gate.is_full(undrained))
    }

    /// Wakes the drainer if it sleeps, or hurries it if the ring of `producer` fills up.
    #[inline]
    pub(crate) fn wake(&self, producer: &mut Producer<Item>) {
        self.parker.wake();
        if producer.is_half_full() && !self.is_urgent.swap(true, Ordering::Relaxed) {
            self.parker.interrupt();
        }
    }

    /// What the line has cost so far.
    pub fn cost(&self) -> Cost {
        Cost {
            drainer_wakes: self.parker.wakes(),
            drainer_cpu_ns: self.drainer_cpu_ns.load(Ordering::Relaxed),
            passes: self.passes.load(Ordering::Relaxed),
        }
    }

    fn run_drainer(&self) {
        optap_runtime::block_signals();
        loop {
            let is_busy = self.drain();
            self.rest(is_busy);
            self.drainer_cpu_ns
                .store(thread_cpu_ns(), Ordering::Relaxed);
            if self.retire() {
                return;
            }
        }
    }

    /// Sleeps until there is something to do: at the end of the window that gathers ops after a busy pass, else when
    /// a producer wakes the drainer.
    fn rest(&self, is_busy: bool) {
        let now = Instant::now();
        let rest = self.line().rest(now, is_busy);
        match rest {
            Rest::Until(moment) => self.parker.pause(moment),
            Rest::Idle => self.parker.park(None, || self.line().is_drained()),
            Rest::Alone => self
                .parker
                .park(Some(now + LINGER), || !self.has_subscribers()),
        }
    }

    fn has_subscribers(&self) -> bool {
        self.line().has_subscribers()
    }

    /// Ends the drainer if nobody subscribes; a subscriber that comes later starts another.
    fn retire(&self) -> bool {
        let line = self.line();
        let idle = !line.has_subscribers();
        if idle {
            self.is_draining.store(false, Ordering::SeqCst);
        }
        idle
    }
}

/// Processor time of the calling thread, in nanoseconds.
fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid, writable timespec for the duration of the call.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Keeps a plan's names known to the line.
pub struct Names {
    profiler: Arc<Profiler>,
    lease: Arc<OpLease>,
}

impl Names {
    /// The names and the ids that stand for them.
    pub fn lease(&self) -> &Arc<OpLease> {
        &self.lease
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        if self.profiler.is_own() {
            self.profiler.line().retire_lease(&self.lease);
        }
    }
}
