//! The names and types that wire records point to by their op index.

use std::collections::VecDeque;

use optap_record::Name;
use optap_runtime::{Error, ErrorCode, Result};
use parking_lot::Mutex;

/// Records whose names are kept for a reader that has not asked for them yet; beyond that the oldest go.
pub const UNREAD_RECORDS: usize = 1 << 20;

/// Which text of a record is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// The operator's name.
    Name,
    /// The operator's type.
    Type,
}

/// The texts of one record that were not fetched yet.
#[derive(Clone, Debug)]
pub struct Texts {
    /// The operator's name.
    pub name: Option<Name>,
    /// The operator's type.
    pub op_type: Option<Name>,
}

impl Texts {
    fn slot(&mut self, text: Text) -> &mut Option<Name> {
        match text {
            Text::Name => &mut self.name,
            Text::Type => &mut self.op_type,
        }
    }

    fn is_empty(&self) -> bool {
        self.name.is_none() && self.op_type.is_none()
    }
}

/// A text as it was fetched.
#[derive(Clone, Debug)]
pub struct Fetched {
    name: Name,
    length_bytes: usize,
}

impl Fetched {
    /// The bytes that fitted.
    pub fn as_bytes(&self) -> &[u8] {
        &self.name.as_bytes()[..self.length_bytes]
    }
}

/// Gives each record an op index, counted from 1 and never reused, and keeps its texts until they are fetched.
///
/// ```
/// use optap_acl::prof::{OpNames, Text, Texts};
/// use optap_record::NameTable;
/// let names = OpNames::new();
/// let name = Some(NameTable::global().intern(b"Relu_3")?);
/// let op_index = names.add(Texts { op_type: name.clone(), name });
/// assert_eq!(names.length_bytes(op_index, Text::Name)?, 6);
/// assert_eq!(names.fetch(op_index, Text::Name, None)?.as_bytes(), b"Relu_3");
/// assert_eq!(names.fetch(op_index, Text::Name, None).unwrap_err().code().code(), 100_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct OpNames(Mutex<Table>);

#[derive(Default)]
struct Table {
    /// Records that left the front of `unread`.
    passed: u64,
    unread: VecDeque<Unread>,
    are_kept: bool,
}

/// A record whose texts were not fetched, and whether it was read at all.
struct Unread {
    texts: Texts,
    is_read: bool,
}

impl OpNames {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a fetch leaves the text readable.
    pub fn keep(&self, are_kept: bool) {
        self.0.lock().are_kept = are_kept;
    }

    /// The op index of a new record with these texts.
    pub fn add(&self, texts: Texts) -> u64 {
        let mut table = self.0.lock();
        table.unread.push_back(Unread {
            texts,
            is_read: false,
        });
        if table.unread.len() > UNREAD_RECORDS {
            table.unread.pop_front();
            table.passed += 1;
        }
        table.passed + table.unread.len() as u64
    }

    /// The length of a text, bytes, without taking it. 100000 where it is unknown or fetched.
    pub fn length_bytes(&self, op_index: u64, text: Text) -> Result<usize> {
        let mut table = self.0.lock();
        let known = table.texts(op_index)?.slot(text).as_ref();
        known
            .map(|name| name.as_bytes().len())
            .ok_or_else(|| fetched(op_index))
    }

    /// Takes a text; with `room_bytes` only as much as a C buffer of that size holds, the last byte being for NUL.
    ///
    /// 100000 where the text is unknown or fetched, and where it is longer than `room_bytes`: it then stays.
    pub fn fetch(&self, op_index: u64, text: Text, room_bytes: Option<u32>) -> Result<Fetched> {
        let mut table = self.0.lock();
        let are_kept = table.are_kept;
        let slot = table.texts(op_index)?.slot(text);
        let known = slot.as_ref().ok_or_else(|| fetched(op_index))?;
        let length_bytes = fitting_bytes(known.as_bytes().len(), room_bytes)?;
        let name = if are_kept { slot.clone() } else { slot.take() };
        table.pass();
        let name = name.ok_or_else(|| fetched(op_index))?;
        Ok(Fetched { name, length_bytes })
    }

    /// The texts of a record, the first time that this is asked; `None` later, and once both are fetched.
    pub fn first_read(&self, op_index: u64) -> Option<Texts> {
        let mut table = self.0.lock();
        let unread = table.unread(op_index).ok()?;
        let is_read = std::mem::replace(&mut unread.is_read, true);
        (!is_read).then(|| unread.texts.clone())
    }

    /// Forgets the texts of a record that no reader will see.
    pub fn forget(&self, op_index: u64) {
        let mut table = self.0.lock();
        if let Ok(texts) = table.texts(op_index) {
            (texts.name, texts.op_type) = (None, None);
            table.pass();
        }
    }

    /// Records with a text that was not fetched.
    pub fn unread(&self) -> usize {
        self.0.lock().unread.len()
    }
}

impl Table {
    fn texts(&mut self, op_index: u64) -> Result<&mut Texts> {
        self.unread(op_index).map(|unread| &mut unread.texts)
    }

    fn unread(&mut self, op_index: u64) -> Result<&mut Unread> {
        let at = op_index.checked_sub(self.passed + 1);
        let at = at.and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.unread.get_mut(at))
            .ok_or_else(|| fetched(op_index))
    }

    /// Lets go of the oldest records that have nothing left to fetch.
    fn pass(&mut self) {
        while self
            .unread
            .front()
            .is_some_and(|unread| unread.texts.is_empty())
        {
            self.unread.pop_front();
            self.passed += 1;
        }
    }
}

/// How much of a text a buffer takes, its last byte being for NUL.
fn fitting_bytes(text_bytes: usize, room_bytes: Option<u32>) -> Result<usize> {
    let Some(room_bytes) = room_bytes else {
        return Ok(text_bytes);
    };
    let room_bytes = room_bytes as usize;
    if room_bytes == 0 || room_bytes < text_bytes {
        let needed = text_bytes + 1;
        let detail =
            format!("the text needs {needed} bytes with its NUL; the length given is {room_bytes}");
        return Err(Error::new(ErrorCode::InvalidParam, detail));
    }
    Ok(text_bytes.min(room_bytes - 1))
}

#[cold]
fn fetched(op_index: u64) -> Error {
    let detail = format!(
        "the record's text (op index {op_index}) was fetched before, or belongs to another process; each is given once"
    );
    Error::new(ErrorCode::InvalidParam, detail)
}
