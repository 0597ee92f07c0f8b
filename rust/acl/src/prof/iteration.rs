//! The bounds of a run, told as one record more when asked for.

use std::collections::BTreeMap;
use std::mem;
use std::sync::LazyLock;

use optap_record::{Name, NameTable, OpRecord};

use crate::prof::names::Texts;

const NAME: &[u8] = b"keypoint_op";
const TYPE: &[u8] = b"na";

/// The runs whose end is not known yet, one a stream: a run ends where the next one of its stream begins.
#[derive(Default)]
pub(crate) struct Iterations(BTreeMap<u32, OpRecord>);

impl Iterations {
    /// The name and type of every iteration.
    pub(crate) fn texts() -> Texts {
        static TEXTS: LazyLock<[Option<Name>; 2]> =
            LazyLock::new(|| [NAME, TYPE].map(|text| NameTable::global().intern(text).ok()));
        let [name, op_type] = TEXTS.clone();
        Texts { name, op_type }
    }

    /// Takes an operator in; gives the bounds of the run before, if this operator begins another.
    pub(crate) fn follow(&mut self, record: &OpRecord) -> Option<OpRecord> {
        let first = OpRecord {
            op_id: 0,
            thread_id: 0,
            device_id: 0,
            ..*record
        };
        let open = self.0.entry(record.stream_id).or_insert(first);
        if open.run_id != record.run_id {
            return Some(mem::replace(open, first));
        }
        open.end_ns = open.end_ns.max(record.end_ns);
        None
    }

    /// The bounds of the runs that no other followed.
    pub(crate) fn into_open(self) -> impl Iterator<Item = OpRecord> {
        self.0.into_values()
    }
}
