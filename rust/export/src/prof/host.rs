//! What the host tells: calls, launches, names, marks and ranges.

use std::io;
use std::path::Path;

use optap_record::{Kind, OpInfo, OpRecord};

use super::asked::Level;
use super::call::{ApiCall, CallTypes};
use super::calls::{Calls, Run};
use super::dictionary::{Dictionary, Names};
use super::layout::{self, Head, MESSAGE_BYTES, Task, Tx, kind, level};
use super::settings::Settings;
use super::slice::Slices;
use super::storage::Storage;
use crate::spelled::spelled;

/// Names of the types that the other files speak of.
const TYPES: [(u16, u32, &str); 6] = [
    (level::TX, kind::TX, "msproftx"),
    (level::MODEL, kind::MODEL_EXECUTE, "ModelExecute"),
    (level::NODE, kind::NODE_BASIC_INFO, "node_basic_info"),
    (level::NODE, kind::LAUNCH, "launch"),
    (level::RUNTIME, kind::KERNEL_AICPU, "KERNEL_AICPU"),
    (level::RUNTIME, kind::FLIP_TASK, "FLIP_TASK"),
];

/// The files of `host/data`.
#[derive(Debug)]
pub(crate) struct Host {
    types: Slices,
    dictionary: Dictionary,
    api: Slices,
    track: Slices,
    basic: Slices,
    tx: Slices,
    calls: Calls,
    call_types: CallTypes,
    has_basics: bool,
    tx_count: u64,
    pid: u32,
}

impl Host {
    pub(crate) fn new(directory: &Path, settings: &Settings) -> Self {
        let slices = |name| Slices::new(directory, name, settings.slice_bytes);
        let mut types = slices("unaging.additional.type_info_dic");
        for (level, kind, name) in TYPES {
            types.push(format!("{level}_{kind}:{name}\n").as_bytes());
        }
        Self {
            types,
            dictionary: Dictionary::new(directory),
            api: slices("aging.api_event.data"),
            track: slices("aging.compact.task_track"),
            basic: slices("aging.compact.node_basic_info"),
            tx: slices("aging.additional.msproftx"),
            calls: Calls::default(),
            call_types: CallTypes::default(),
            has_basics: settings.asked.level > Some(Level::L0),
            tx_count: 0,
            pid: std::process::id(),
        }
    }

    pub(crate) fn begin_round(&mut self) {
        self.dictionary.begin_round();
    }

    /// Tells that `record` was launched as `task`.
    pub(crate) fn op<'a>(
        &mut self,
        record: &OpRecord,
        task: Task,
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) {
        let Names {
            name,
            type_,
            kernel,
        } = self.dictionary.get(record.op_id, names);
        let thread_id = record.thread_id;
        let (call, ended) = self.calls.add(record);
        if let Some(run) = ended {
            self.run(run);
        }
        let head = Head {
            level: level::NODE,
            kind: kind::LAUNCH,
            thread_id,
        };
        let api = layout::api(head, call.begin_ns, call.end_ns, name);
        self.api.push(&api);
        if task.number == 0 && task.flip > 0 {
            let kind = kind::FLIP_TASK;
            let flip = layout::task_track(kind, thread_id, call.begin_ns, task, 0);
            self.track.push(&flip);
        }
        let (at_ns, kind) = (call.middle_ns(), kind::KERNEL_AICPU);
        let task = Task { flip: 0, ..task };
        let track = layout::task_track(kind, thread_id, at_ns, task, kernel);
        self.track.push(&track);
        if self.has_basics {
            let basic = layout::node_basic_info(thread_id, at_ns, name, type_);
            self.basic.push(&basic);
        }
    }

    /// Tells a call of the host's interface.
    pub(crate) fn call(&mut self, call: &ApiCall) {
        let (kind, is_new) = self.call_types.get(call.name);
        if is_new {
            let line = format!("{}_{kind}:{}\n", level::ACL, call.name);
            self.types.push(line.as_bytes());
        }
        let head = Head {
            level: level::ACL,
            kind,
            thread_id: call.thread_id,
        };
        let end_ns = call.end_ns.max(call.start_ns + 1);
        self.api.push(&layout::api(head, call.start_ns, end_ns, 0));
    }

    /// Tells a run, if it is one of a model.
    fn run(&mut self, run: Run) {
        if run.model_id == 0 {
            return;
        }
        let head = Head {
            level: level::MODEL,
            kind: kind::MODEL_EXECUTE,
            thread_id: run.thread_id,
        };
        for at_ns in [run.begin_ns, run.end_ns] {
            let request = run.run_id as u32;
            let event = layout::event(head, request, at_ns, run.model_id.into());
            self.api.push(&event);
        }
    }

    /// Tells a mark or range, in as many pieces as its name needs.
    pub(crate) fn tx<'a>(&mut self, record: &OpRecord, names: impl Fn(u32) -> Option<&'a OpInfo>) {
        let (text, domain) = match names(record.op_id) {
            Some(info) => (
                spelled(&info.name.to_text()),
                spelled(&info.type_.to_text()),
            ),
            None => (
                format!("{} {}", record.kind.name(), record.op_id),
                String::new(),
            ),
        };
        let domain = match domain.as_str() {
            "" => 0,
            _ => self.dictionary.number(domain),
        };
        self.tx_count += 1;
        let mut tx = Tx {
            thread_id: record.thread_id,
            pid: self.pid,
            is_range: record.kind == Kind::RANGE,
            start_ns: record.start_ns,
            end_ns: record.end_ns,
            id: self.tx_count,
            domain,
            segment: 0,
            message: b"",
        };
        for message in pieces(&text) {
            tx.message = message.as_bytes();
            self.tx.push(&layout::tx(tx));
            tx.segment += 1;
        }
    }

    /// The names come first: no record on the disk speaks of one that is not there.
    pub(crate) fn spill(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.types.flush(storage)?;
        self.dictionary.flush(storage)?;
        let mut files = self.aging();
        files.iter_mut().try_for_each(|file| file.spill(storage))
    }

    pub(crate) fn flush(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.types.flush(storage)?;
        self.dictionary.flush(storage)?;
        let mut files = self.aging();
        files.iter_mut().try_for_each(|file| file.flush(storage))
    }

    pub(crate) fn close(&mut self, storage: &mut Storage) -> io::Result<()> {
        let ended: Vec<Run> = self.calls.drain().collect();
        ended.into_iter().for_each(|run| self.run(run));
        self.types.close(storage)?;
        self.dictionary.close(storage)?;
        let mut files = self.aging();
        files.iter_mut().try_for_each(|file| file.close(storage))
    }

    pub(crate) fn abandon(&mut self, storage: &mut Storage) {
        self.types.abandon(storage);
        self.dictionary.abandon(storage);
        let mut files = self.aging();
        files.iter_mut().for_each(|file| file.abandon(storage));
    }

    /// The files whose slices may be removed.
    fn aging(&mut self) -> [&mut Slices; 4] {
        [
            &mut self.api,
            &mut self.track,
            &mut self.basic,
            &mut self.tx,
        ]
    }
}

/// The text in pieces that a record holds, cut between letters; an empty text is one empty piece.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let whole = rest?;
        let (piece, others) = whole.split_at(whole.floor_char_boundary(MESSAGE_BYTES));
        rest = Some(others).filter(|others| !others.is_empty());
        Some(piece)
    })
}
