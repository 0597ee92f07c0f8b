//! Marks and ranges that a script sets: stamps, the stack of each thread, and ranges by number.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use optap_profiler::{Label, OpenRange, Profiler, Times, is_recording, mark};
use optap_record::{Kind, Payload};
use optap_runtime::{Error, ErrorCode, Result};
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
    static PUSHED: RefCell<(Epoch, Vec<Begun>)> = const { RefCell::new((0, Vec::new())) };
}

/// A message that marks and ranges are told with.
#[derive(Default)]
pub struct Stamp(Mutex<Message>);

/// The text, and what stands for it in records once it was told.
#[derive(Default)]
struct Message {
    text: Vec<u8>,
    label: Option<Arc<Label>>,
}

/// A range that goes on, and the stamp that it began with.
#[derive(Debug)]
struct Begun {
    stamp: Arc<Stamp>,
    range: OpenRange,
}

impl Begun {
    fn new(stamp: Arc<Stamp>, parent_id: u32) -> Self {
        let range = OpenRange::begin_untold(parent_id, Payload::None);
        Self { stamp, range }
    }

    /// Tells the range, with the message that the stamp has now.
    fn end(self) {
        if is_recording(Kind::RANGE) {
            self.range.end(&self.stamp.label());
        }
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stamp").field(&self.message()).finish()
    }
}

/// What stands for a text in records; nothing where the names are capped and there is no room.
pub(crate) fn label(text: &[u8]) -> Arc<Label> {
    let label = Profiler::global().label(text, b"", b"");
    label.unwrap_or_else(|_| Arc::new(Label::nameless()))
}

impl Stamp {
    /// The message, at most [`MESSAGE_BYTES`].
    pub fn message(&self) -> Vec<u8> {
        self.0.lock().text.clone()
    }

    fn label(&self) -> Arc<Label> {
        let mut message = self.0.lock();
        let Message { text, label: known } = &mut *message;
        known.get_or_insert_with(|| label(text)).clone()
    }

    /// Copies at most `length_bytes` of `message`. From 127 on it refuses, and at 127 it also empties the message.
    fn set(&self, message: &str, length_bytes: u32) -> Result<()> {
        let mut message_now = self.0.lock();
        let Message { text: kept, label } = &mut *message_now;
        if length_bytes == MESSAGE_BYTES + 1 {
            kept.clear();
            *label = None;
        }
        if length_bytes > MESSAGE_BYTES {
            return Err(failed(format!(
                "a message has at most {MESSAGE_BYTES} bytes, not {length_bytes}"
            )));
        }
        *label = None;
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
    ranges: Mutex<HashMap<u32, Begun>>,
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
        let stamp = self.known(stamp)?;
        self.epoch()?;
        if is_recording(Kind::MARK) {
            mark(&stamp.label(), 0, Payload::None, Times::now());
        }
        Ok(())
    }

    pub(crate) fn push(&self, stamp: u64) -> Result<()> {
        let stamp = self.to_begin(stamp)?;
        let epoch = self.epoch()?;
        PUSHED.with_borrow_mut(|pushed| {
            if pushed.0 != epoch {
                *pushed = (epoch, Vec::new());
            }
            let parent_id = pushed.1.last().map_or(0, |outer| outer.range.id());
            pushed.1.push(Begun::new(stamp, parent_id));
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
            .map(Begun::end)
            .ok_or_else(|| failed("this thread has pushed nothing that is left to pop".into()))
    }

    pub(crate) fn range_start(&self, stamp: u64) -> Result<u32> {
        let stamp = self.to_begin(stamp)?;
        self.epoch()?;
        let range_id = self.next_range.fetch_add(1, Ordering::Relaxed);
        self.ranges.lock().insert(range_id, Begun::new(stamp, 0));
        Ok(range_id)
    }

    pub(crate) fn range_stop(&self, range_id: u32) -> Result<()> {
        self.epoch()?;
        let open = self.ranges.lock().remove(&range_id);
        open.map(Begun::end)
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
