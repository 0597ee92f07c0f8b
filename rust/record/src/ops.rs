//! The operators of loaded models, by the id that their records carry.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::{Flags, Name};

/// What is known of an operator before it runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpInfo {
    /// The name of the user's node.
    pub name: Name,
    /// The type of the user's node, such as `Conv`.
    pub type_: Name,
    /// The engine's own operator.
    pub kernel: Name,
    /// What is special about it.
    pub flags: Flags,
    /// The user's nodes that it carries out, if it was fused of several.
    pub sources: Box<[Name]>,
}

/// A table that gives operators their ids. Id 0 is no operator.
///
/// ```
/// use optap_record::{Flags, NameTable, OpInfo, OpTable};
/// let name = NameTable::global().intern(b"Relu_3")?;
/// let op = OpInfo { name: name.clone(), type_: name.clone(), kernel: name, flags: Flags::NONE, sources: Box::new([]) };
/// let table = OpTable::new();
/// let lease = table.register(vec![op]);
/// assert_eq!(lease.get(lease.first_id()).unwrap().name.as_bytes(), b"Relu_3");
/// # Ok::<(), optap_record::NameTableFull>(())
/// ```
#[derive(Clone, Default)]
pub struct OpTable(Arc<Mutex<Leases>>);

type Leases = BTreeMap<u32, (u32, Weak<OpLease>)>;

/// The operators of one plan and their contiguous ids, which are free for reuse once the last `Arc`
/// of the lease drops.
///
/// Hold it as long as records with these ids may be read. A lookup takes no lock.
pub struct OpLease {
    first_id: u32,
    ops: Box<[OpInfo]>,
    extension: OnceLock<Box<dyn Any + Send + Sync>>,
    table: Arc<Mutex<Leases>>,
}

fn lock(leases: &Mutex<Leases>) -> MutexGuard<'_, Leases> {
    leases.lock().unwrap_or_else(PoisonError::into_inner)
}

fn first_gap(leases: &Leases, len: u32) -> Option<u32> {
    let mut first_id = 1_u32;
    for (&used_id, &(used_len, _)) in leases {
        if used_id - first_id >= len {
            break;
        }
        first_id = used_id.checked_add(used_len)?;
    }
    first_id.checked_add(len).map(|_| first_id)
}

impl OpTable {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The table of the process.
    #[must_use]
    pub fn global() -> &'static Self {
        static GLOBAL: LazyLock<OpTable> = LazyLock::new(OpTable::new);
        &GLOBAL
    }

    /// Gives the operators ids, the lowest that are free together.
    ///
    /// # Panics
    ///
    /// If no such ids are free: with four thousand million operators alive, more than any memory
    /// holds.
    #[must_use = "the ids are free again once the lease drops"]
    pub fn register(&self, ops: Vec<OpInfo>) -> Arc<OpLease> {
        let mut leases = lock(&self.0);
        let len = u32::try_from(ops.len()).ok();
        let (len, first_id) = len
            .and_then(|len| Some((len, first_gap(&leases, len)?)))
            .expect("a process cannot hold so many operators");
        let lease = Arc::new(OpLease {
            first_id,
            ops: ops.into_boxed_slice(),
            extension: OnceLock::new(),
            table: Arc::clone(&self.0),
        });
        if len > 0 {
            leases.insert(first_id, (len, Arc::downgrade(&lease)));
        }
        lease
    }

    /// The live lease that has this id, if any.
    #[must_use]
    pub fn find(&self, op_id: u32) -> Option<Arc<OpLease>> {
        let lease = lock(&self.0).range(..=op_id).next_back()?.1.1.upgrade();
        lease.filter(|lease| lease.contains(op_id))
    }

    /// How many operators have an id.
    #[must_use]
    pub fn len(&self) -> usize {
        lock(&self.0).values().map(|(len, _)| *len as usize).sum()
    }

    /// Whether no operator has an id.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }
}

impl OpLease {
    /// The id of the first operator.
    #[inline]
    #[must_use]
    pub fn first_id(&self) -> u32 {
        self.first_id
    }

    /// How many operators there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// The ids, in the order of [`ops`](OpLease::ops).
    #[must_use]
    pub fn ids(&self) -> Range<u32> {
        // `register` made sure that the length fits.
        self.first_id..self.first_id + self.ops.len() as u32
    }

    /// The operators, in the order of their ids.
    #[inline]
    #[must_use]
    pub fn ops(&self) -> &[OpInfo] {
        &self.ops
    }

    /// Whether the id is one of these operators.
    #[inline]
    #[must_use]
    pub fn contains(&self, op_id: u32) -> bool {
        self.get(op_id).is_some()
    }

    /// The operator with this id, if it is one of these.
    #[inline]
    #[must_use]
    pub fn get(&self, op_id: u32) -> Option<&OpInfo> {
        self.ops.get(op_id.checked_sub(self.first_id)? as usize)
    }

    /// A value that a binding keeps with the operators, such as their names in its own form.
    ///
    /// Made by the first call and dropped with the lease. No lock is held while `make` runs; of two
    /// that run at once, one result is kept. `None` if a value of another type was kept before.
    pub fn extension<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> Option<&T> {
        if self.extension.get().is_none() {
            let made: Box<dyn Any + Send + Sync> = Box::new(make(self));
            // Losing the race is fine: the winner's value serves as well.
            let _ = self.extension.set(made);
        }
        self.extension.get()?.downcast_ref()
    }
}

impl Drop for OpLease {
    fn drop(&mut self) {
        if !self.ops.is_empty() {
            lock(&self.table).remove(&self.first_id);
        }
    }
}

impl std::fmt::Debug for OpLease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpLease")
            .field("ids", &self.ids())
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for OpTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpTable")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
