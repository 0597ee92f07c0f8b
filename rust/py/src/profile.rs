//! What a file holds: ops in a batch, and what could not be read.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use optap_export::{Damage, read};
use optap_profiler::{Block, Slice};
use optap_record::{
    Flags, NameTable, NameTableFull, OP_RECORD_BYTES, OpInfo, OpLease, OpRecord, OpTable,
};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::batch::Batch;

/// How often a thread that waits for a file looks for Ctrl-C.
const SIGNAL_CHECK: Duration = Duration::from_millis(100);

/// What a file or directory holds.
#[pyclass(frozen, module = "optap._core")]
pub struct Profile {
    slice: Slice,
    anchor: (u64, u64),
    damages: Vec<Damage>,
}

#[pymethods]
impl Profile {
    /// All records.
    #[getter]
    fn batch(&self) -> Batch {
        Batch::new(self.slice.clone())
    }

    /// One instant on the clock of the records and on the wall clock, nanoseconds; zeros where it is not told.
    #[getter]
    fn anchor(&self) -> (u64, u64) {
        self.anchor
    }

    /// What could not be read: path, offset in bytes, length in bytes, reason.
    #[getter]
    fn damages(&self) -> Vec<(PathBuf, u64, u64, String)> {
        let told = |damage: &Damage| {
            let Damage {
                path,
                offset_bytes,
                bytes,
                reason,
            } = damage.clone();
            (path, offset_bytes, bytes, reason)
        };
        self.damages.iter().map(told).collect()
    }
}

/// Read a file or directory of any known format. Raises `OSError` where nothing of it can be read.
///
/// Ctrl-C ends the wait, also in the middle of a large file.
#[pyfunction]
pub fn read_profile(py: Python<'_>, path: PathBuf) -> PyResult<Profile> {
    let (give, told) = mpsc::channel();
    let told = Mutex::new(told);
    let reader = thread::Builder::new().name("optap-reader".to_owned());
    reader.spawn(move || {
        optap_runtime::block_signals();
        // Nobody waits any more after Ctrl-C.
        let _ = give.send(read_file(&path));
    })?;
    loop {
        let wait = || {
            let told = told.lock().unwrap_or_else(PoisonError::into_inner);
            told.recv_timeout(SIGNAL_CHECK)
        };
        match py.detach(wait) {
            Ok(profile) => return Ok(profile?),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyOSError::new_err("the reader of the file ended early"));
            }
        }
    }
}

fn read_file(path: &Path) -> io::Result<Profile> {
    let read = read(path, NameTable::global())?;
    let lease = OpTable::global().register(read.ops);
    Ok(Profile {
        slice: whole(read.records, lease),
        anchor: (read.anchor.monotonic_ns, read.anchor.unix_ns),
        damages: read.damages,
    })
}

/// A batch of `records`, 64 bytes each, whose `op_id` counts `ops` from 1, or is 0: name, type and kernel of each.
///
/// Raises `ValueError` if an `op_id` has no op, or bytes are left over.
#[pyfunction]
#[pyo3(signature = (records, ops, gap=0))]
pub fn make_batch(
    py: Python<'_>,
    records: &[u8],
    ops: Vec<[Vec<u8>; 3]>,
    gap: u64,
) -> PyResult<Batch> {
    let made = py.detach(|| {
        let records = copy(records).ok_or_else(|| {
            format!(
                "records: {} bytes are no multiple of {OP_RECORD_BYTES}",
                records.len()
            )
        })?;
        if let Some(op_id) = unknown(&records, ops.len()) {
            return Err(format!(
                "records: op_id {op_id} is none of {} ops",
                ops.len()
            ));
        }
        Ok((records, ops.iter().map(intern).collect::<Result<_, _>>()))
    });
    let (records, ops) = made.map_err(PyValueError::new_err)?;
    let ops = ops.map_err(|error| PyOSError::new_err(error.to_string()))?;
    let slice = whole(records, OpTable::global().register(ops));
    Ok(Batch::new(Slice { gap, ..slice }))
}

/// All of `records`, whose op ids count the operators of `lease` from 1.
fn whole(mut records: Vec<OpRecord>, lease: Arc<OpLease>) -> Slice {
    let before_first = lease.first_id() - 1;
    for record in records.iter_mut().filter(|record| record.op_id != 0) {
        record.op_id += before_first;
    }
    Slice {
        range: 0..records.len(),
        block: Arc::new(Block::new(records, vec![lease])),
        gap: 0,
    }
}

fn unknown(records: &[OpRecord], ops: usize) -> Option<u32> {
    let mut ids = records.iter().map(|record| record.op_id);
    ids.find(|op_id| *op_id as usize > ops)
}

/// The records that these bytes are, `None` where some are left over.
fn copy(bytes: &[u8]) -> Option<Vec<OpRecord>> {
    let count = bytes.len() / OP_RECORD_BYTES;
    if !bytes.len().is_multiple_of(OP_RECORD_BYTES) {
        return None;
    }
    let mut records = vec![OpRecord::default(); count];
    // SAFETY: both are `bytes.len()` long and apart, and any bytes are a valid record.
    unsafe {
        let target = records.as_mut_ptr().cast::<u8>();
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len());
    }
    Some(records)
}

fn intern([name, type_, kernel]: &[Vec<u8>; 3]) -> Result<OpInfo, NameTableFull> {
    let names = NameTable::global();
    Ok(OpInfo {
        name: names.intern(name)?,
        type_: names.intern(type_)?,
        kernel: names.intern(kernel)?,
        flags: Flags::NONE,
        sources: Box::new([]),
    })
}
