//! Names of operators, types and kernels: any bytes, kept once, freed with their last user.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

/// What a table accounts for one name beside the name's own bytes.
pub const NAME_OVERHEAD_BYTES: usize = 96;

/// A handle to interned bytes; cloning it counts one reference.
///
/// Reading a name never takes it from its table. Any bytes are a name, of any length, the empty one
/// and NUL included. [`as_bytes`](Name::as_bytes) is lossless; [`to_text`](Name::to_text) shows
/// bytes that are not UTF-8 as U+FFFD.
#[derive(Clone)]
pub struct Name(Arc<Entry>);

struct Entry {
    bytes: Arc<[u8]>,
    table: Arc<Mutex<Names>>,
}

#[derive(Default)]
struct Names {
    entries: HashMap<Arc<[u8]>, Weak<Entry>>,
    used_bytes: usize,
    capacity_bytes: Option<usize>,
}

/// A table in which equal names share their memory.
///
/// A name stays while a [`Name`] of it lives, and no longer.
///
/// ```
/// use optap_record::NameTable;
/// let table = NameTable::new();
/// let (first, second) = (table.intern(b"Conv_0")?, table.intern(b"Conv_0")?);
/// assert!(first.ptr_eq(&second));
/// drop((first, second));
/// assert!(table.is_empty());
/// # Ok::<(), optap_record::NameTableFull>(())
/// ```
#[derive(Clone, Default)]
pub struct NameTable(Arc<Mutex<Names>>);

/// A name does not fit under the cap of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name of {name_bytes} bytes does not fit into the name table: {used_bytes} of at most {capacity_bytes} bytes are in use; \
     raise the cap or release models"
)]
pub struct NameTableFull {
    /// The length of the refused name, bytes.
    pub name_bytes: usize,
    /// What the table held, bytes.
    pub used_bytes: usize,
    /// The cap, bytes.
    pub capacity_bytes: usize,
}

fn lock(names: &Mutex<Names>) -> MutexGuard<'_, Names> {
    names.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Names {
    fn admit(&self, name_bytes: usize) -> Result<usize, NameTableFull> {
        let used_bytes = self.used_bytes + NAME_OVERHEAD_BYTES + name_bytes;
        match self.capacity_bytes {
            Some(capacity_bytes) if used_bytes > capacity_bytes => Err(NameTableFull {
                name_bytes,
                used_bytes: self.used_bytes,
                capacity_bytes,
            }),
            _ => Ok(used_bytes),
        }
    }

    /// Shrinks the map once most of it is empty, so that the cost is shared by the names that left.
    fn give_back_room(&mut self) {
        let len = self.entries.len();
        if self.entries.capacity() > 8 * len.max(16) {
            self.entries.shrink_to(2 * len);
        }
    }
}

impl NameTable {
    /// An empty table without a cap.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The table of the process.
    #[must_use]
    pub fn global() -> &'static Self {
        static GLOBAL: LazyLock<NameTable> = LazyLock::new(NameTable::new);
        &GLOBAL
    }

    /// The one [`Name`] of these bytes.
    ///
    /// # Errors
    ///
    /// [`NameTableFull`] if the name is new and the cap leaves no room for it.
    pub fn intern(&self, bytes: &[u8]) -> Result<Name, NameTableFull> {
        let mut names = lock(&self.0);
        let known = names.entries.get_key_value(bytes);
        if let Some(entry) = known.and_then(|(_, entry)| entry.upgrade()) {
            return Ok(Name(entry));
        }
        // A dying entry still has its key here, and has been accounted for.
        let bytes = match known {
            Some((bytes, _)) => Arc::clone(bytes),
            None => {
                names.used_bytes = names.admit(bytes.len())?;
                Arc::from(bytes)
            }
        };
        let entry = Arc::new(Entry {
            bytes: Arc::clone(&bytes),
            table: Arc::clone(&self.0),
        });
        names.entries.insert(bytes, Arc::downgrade(&entry));
        Ok(Name(entry))
    }

    /// How many names live.
    #[must_use]
    pub fn len(&self) -> usize {
        lock(&self.0).entries.len()
    }

    /// Whether no name lives.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory in use: each name's length and [`NAME_OVERHEAD_BYTES`].
    #[must_use]
    pub fn bytes(&self) -> usize {
        lock(&self.0).used_bytes
    }

    /// The cap on [`bytes`](NameTable::bytes), if there is one.
    #[must_use]
    pub fn capacity_bytes(&self) -> Option<usize> {
        lock(&self.0).capacity_bytes
    }

    /// Sets the cap, or lifts it with `None`. Names that live already stay, also above a new cap.
    pub fn set_capacity_bytes(&self, capacity_bytes: Option<usize>) {
        lock(&self.0).capacity_bytes = capacity_bytes;
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut names = lock(&self.table);
        let ours = std::ptr::from_ref(self);
        if names
            .entries
            .get(&self.bytes)
            .is_some_and(|entry| std::ptr::eq(entry.as_ptr(), ours))
        {
            names.entries.remove(&self.bytes);
            names.used_bytes -= NAME_OVERHEAD_BYTES + self.bytes.len();
            names.give_back_room();
        }
    }
}

impl Name {
    /// The bytes, exactly as interned.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// The name for a text: valid UTF-8 as it is, every invalid sequence as U+FFFD.
    ///
    /// ```
    /// # use optap_record::NameTable;
    /// let name = NameTable::global().intern(b"Conv\xff")?;
    /// assert_eq!(name.to_text(), "Conv\u{fffd}");
    /// # Ok::<(), optap_record::NameTableFull>(())
    /// ```
    #[must_use]
    pub fn to_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }

    /// Whether both are the same entry of the same table.
    #[inline]
    #[must_use]
    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.ptr_eq(other) || self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Name(b\"{}\")", self.as_bytes().escape_ascii())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_text())
    }
}

impl fmt::Debug for NameTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = lock(&self.0);
        f.debug_struct("NameTable")
            .field("len", &names.entries.len())
            .field("bytes", &names.used_bytes)
            .field("capacity_bytes", &names.capacity_bytes)
            .finish()
    }
}
