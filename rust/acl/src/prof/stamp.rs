//! Marks and ranges that a script sets: stamps, the stack of each thread, and ranges by number.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use optap_runtime::{Error, ErrorCode, Result, monotonic_ns};
use parking_lot::Mutex;

use crate::Handles;

/// Stamps that may live at once, unless a script asks for another number.
pub const STAMPS: usize = 100;

/// The longest message of a stamp, bytes.
pub const MESSAGE_BYTES: u32 = 126;

/// The longest message of `mark_ex`, bytes.
pub const MARK_EX_BYTES: usize = 155;

/// What stamps of one collection are known by; 0 stands for none.
type Epoch = u64;

thread_local! {
    static PUSHED: RefCell<(Epoch, Vec<Arc<Stamp>>)> = const { RefCell::new((0, Vec::new())) };
}

/// A message and the moment that a range with it began.
#[derive(Debug, Default)]
pub struct Stamp {
    message: Mutex<Vec<u8>>,
    start_ns: AtomicU64,
}

impl Stamp {
    /// The message, at most [`MESSAGE_BYTES`].
    pub fn message(&self) -> Vec<u8> {
        self.message.lock().clone()
    }

    /// When the range of this stamp began, ns of the monotonic clock; 0 before that.
    pub fn start_ns(&self) -> u64 {
        self.start_ns.load(Ordering::Relaxed)
    }

    fn begin(&self) {
        self.start_ns.store(monotonic_ns(), Ordering::Relaxed);
    }

    /// Copies at most `length_bytes` of `message`. From 127 on it refuses, and at 127 it also empties the message.
    fn set(&self, message: &str, length_bytes: u32) -> Result<()> {
        let mut kept = self.message.lock();
        if length_bytes == MESSAGE_BYTES + 1 {
            kept.clear();
        }
        if length_bytes > MESSAGE_BYTES {
            return Err(failed(format!(
                "a message has at most {MESSAGE_BYTES} bytes, not {length_bytes}"
            )));
        }
        kept.clear();
        kept.extend_from_slice(&message.as_bytes()[..message.len().min(length_bytes as usize)]);
        Ok(())
    }
}

/// The stamps of a process. They work from the first start with the switch for them until the finalize.
#[derive(Debug)]
pub(crate) struct Stamps {
    live: Handles<Stamp>,
    count: AtomicUsize,
    most: AtomicUsize,
    epoch: AtomicU64,
    epochs: AtomicU64,
    ranges: Mutex<HashMap<u32, Arc<Stamp>>>,
    next_range: AtomicU32,
}

impl Default for Stamps {
    fn default() -> Self {
        Self {
            live: Handles::new("stamp", ErrorCode::ProfilingFailed),
            count: AtomicUsize::new(0),
            most: AtomicUsize::new(STAMPS),
            epoch: AtomicU64::new(0),
            epochs: AtomicU64::new(0),
            ranges: Mutex::default(),
            next_range: AtomicU32::new(0),
        }
    }
}

impl Stamps {
    /// Lets stamps work, if they do not.
    pub(crate) fn open(&self) {
        if self.epoch.load(Ordering::Acquire) == 0 {
            let epoch = self.epochs.fetch_add(1, Ordering::Relaxed) + 1;
            self.epoch.store(epoch, Ordering::Release);
        }
    }

    /// Ends every stamp, stack and range.
    pub(crate) fn close(&self) {
        self.epoch.store(0, Ordering::Release);
        self.ranges.lock().clear();
        self.live.retain(|_| false);
        self.count.store(0, Ordering::Relaxed);
    }

    /// How many stamps may live at once.
    pub(crate) fn limit(&self, most: usize) {
        self.most.store(most, Ordering::Relaxed);
    }

    fn epoch(&self) -> Result<Epoch> {
        match self.epoch.load(Ordering::Acquire) {
            0 => Err(failed(
                "no collection of marks was started (0x80 in data_type_config)".into(),
            )),
            epoch => Ok(epoch),
        }
    }

    pub(crate) fn create(&self) -> Result<u64> {
        self.epoch()?;
        let most = self.most.load(Ordering::Relaxed);
        let room = |count: usize| (count < most).then_some(count + 1);
        let counted = self
            .count
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, room);
        counted.map_err(|_| failed(format!("{most} stamps live; destroy some")))?;
        Ok(self.live.insert(Arc::default()))
    }

    pub(crate) fn destroy(&self, stamp: u64) -> Result<()> {
        self.live.take(stamp)?;
        self.count.fetch_sub(1, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn set_message(&self, stamp: u64, message: &str, length_bytes: u32) -> Result<()> {
        self.known(stamp)?.set(message, length_bytes)
    }

    pub(crate) fn mark(&self, stamp: u64) -> Result<()> {
        self.known(stamp)?;
        self.epoch().map(drop)
    }

    pub(crate) fn push(&self, stamp: u64) -> Result<()> {
        let stamp = self.to_begin(stamp)?;
        let epoch = self.epoch()?;
        stamp.begin();
        PUSHED.with_borrow_mut(|pushed| {
            if pushed.0 != epoch {
                *pushed = (epoch, Vec::new());
            }
            pushed.1.push(stamp);
        });
        Ok(())
    }

    pub(crate) fn pop(&self) -> Result<()> {
        let epoch = self.epoch()?;
        let popped = PUSHED.with_borrow_mut(|pushed| {
            let is_current = pushed.0 == epoch;
            is_current.then(|| pushed.1.pop()).flatten()
        });
        popped
            .map(drop)
            .ok_or_else(|| failed("this thread has pushed nothing that is left to pop".into()))
    }

    pub(crate) fn range_start(&self, stamp: u64) -> Result<u32> {
        let stamp = self.to_begin(stamp)?;
        self.epoch()?;
        stamp.begin();
        let range_id = self.next_range.fetch_add(1, Ordering::Relaxed);
        self.ranges.lock().insert(range_id, stamp);
        Ok(range_id)
    }

    pub(crate) fn range_stop(&self, range_id: u32) -> Result<()> {
        self.epoch()?;
        let open = self.ranges.lock().remove(&range_id);
        open.map(drop)
            .ok_or_else(|| failed(format!("no range {range_id} is open")))
    }

    /// What `mark_ex` refuses of its message.
    pub(crate) fn check_mark(&self, message: &str) -> Result<()> {
        self.epoch()?;
        if message.is_empty() || message.len() > MARK_EX_BYTES {
            let detail = format!(
                "the message has {} bytes; 1 to {MARK_EX_BYTES} are allowed",
                message.len()
            );
            return Err(failed(detail));
        }
        Ok(())
    }

    /// The stamp, or -1 for null as for every number that is none.
    fn known(&self, stamp: u64) -> Result<Arc<Stamp>> {
        self.live
            .get_live(stamp)
            .ok_or_else(|| failed(unknown(stamp)))
    }

    /// As [`known`](Self::known) with the codes of the calls that begin a range: null is told before all else.
    fn to_begin(&self, stamp: u64) -> Result<Arc<Stamp>> {
        if stamp != 0 {
            self.epoch()?;
        }
        let known = self.live.get_live(stamp);
        known.ok_or_else(|| Error::new(ErrorCode::InvalidParam, unknown(stamp)))
    }
}

fn unknown(stamp: u64) -> String {
    format!("{stamp:#x} is no stamp, or one that is destroyed")
}

#[cold]
fn failed(detail: String) -> Error {
    Error::new(ErrorCode::ProfilingFailed, detail)
}
