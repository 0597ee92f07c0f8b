//! What the host tells: names, and which thread launched which task.

use std::collections::HashMap;
use std::path::Path;

use super::calls::{Call, Calls};
use super::damage::Damages;
use super::fields::{u16_at, u32_at, u64_at};
use super::files::{each_line, each_record, slices};

const MODEL: u16 = 15_000;
const NODE: u16 = 10_000;
const RUNTIME: u16 = 5_000;
/// Stands in place of the end in the record of an event.
const EVENT: u64 = u64::MAX;
/// The type of a track that tells a wrap of the task numbers.
const FLIP_TASK: u32 = 98;

/// A task by device, stream, number and how often the numbers had wrapped.
pub(crate) type TaskKey = (u32, u16, u32, u32);

/// Who launched a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) thread_id: u32,
    pub(crate) stream: u16,
    pub(crate) at: u64,
    pub(crate) kind: u32,
    pub(crate) kernel: u64,
}

/// The host's tables.
#[derive(Debug, Default)]
pub(crate) struct Host {
    pub(crate) texts: HashMap<u64, String>,
    pub(crate) kinds: HashMap<u32, String>,
    pub(crate) nodes: Calls,
    pub(crate) models: Calls,
    pub(crate) launches: HashMap<TaskKey, Launch>,
}

pub(crate) fn is_host_record<const N: usize>(record: &[u8; N]) -> bool {
    u16_at(record, 0) == 0x5A5A
}

impl Host {
    /// Reads the tables; `is_global` tells that task numbers are those of the device.
    pub(crate) fn read(data: &Path, is_global: bool, damages: &mut Damages) -> Self {
        let mut host = Self::default();
        host.read_names(data, damages);
        host.read_calls(data, damages);
        host.read_types(data, damages);
        host.read_launches(data, is_global, damages);
        host
    }

    fn read_names(&mut self, data: &Path, damages: &mut Damages) {
        let texts = slices(data, &both("additional.hash_dic"));
        each_line(&texts, damages, |key, text| {
            if let Ok(number) = key.parse() {
                self.texts.insert(number, text.to_owned());
            }
        });
        let kinds = slices(data, &both("additional.type_info_dic"));
        let runtime = format!("{RUNTIME}_");
        each_line(&kinds, damages, |key, text| {
            let number = key.strip_prefix(&runtime).map(str::parse);
            if let Some(Ok(number)) = number {
                self.kinds.insert(number, text.to_owned());
            }
        });
    }

    fn read_calls(&mut self, data: &Path, damages: &mut Damages) {
        let files = slices(data, &both("api_event.data"));
        let mut open = HashMap::new();
        each_record::<40>(&files, damages, is_host_record, |record| {
            let (level, thread_id) = (u16_at(record, 2), u32_at(record, 8));
            let (mut begin, mut end) = (u64_at(record, 16), u64_at(record, 24));
            let (item, request) = (u64_at(record, 32), u32_at(record, 12));
            if end == EVENT {
                let event = (level, u32_at(record, 4), thread_id, request, item);
                let Some(since) = open.remove(&event) else {
                    open.insert(event, begin);
                    return;
                };
                (begin, end) = (since, begin);
            }
            let detail = if level == MODEL { request.into() } else { 0 };
            let call = Call {
                begin,
                end,
                item,
                detail,
            };
            match level {
                NODE => self.nodes.add(thread_id, call),
                MODEL => self.models.add(thread_id, call),
                _ => {}
            }
        });
        self.nodes.sort();
        self.models.sort();
    }

    fn read_types(&mut self, data: &Path, damages: &mut Damages) {
        let files = slices(data, &both("compact.node_basic_info"));
        each_record::<64>(&files, damages, is_host_record, |record| {
            if let Some(call) = self.nodes.at(u32_at(record, 8), u64_at(record, 16)) {
                call.detail = u64_at(record, 36);
            }
        });
    }

    fn read_launches(&mut self, data: &Path, is_global: bool, damages: &mut Damages) {
        let files = slices(data, &both("compact.task_track"));
        let mut tracks: Vec<(u32, u32, Launch)> = Vec::new();
        each_record::<64>(&files, damages, is_host_record, |record| {
            let number = match is_global {
                true => u32_at(record, 28),
                false => u16_at(record, 28).into(),
            };
            let launch = Launch {
                thread_id: u32_at(record, 8),
                stream: u16_at(record, 26),
                at: u64_at(record, 16),
                kind: u32_at(record, 32),
                kernel: u64_at(record, 40),
            };
            tracks.push((u16_at(record, 24).into(), number, launch));
        });
        tracks.sort_by_key(|(_, _, launch)| (launch.at, launch.kind != FLIP_TASK));
        let mut wraps: HashMap<(u32, u16), u32> = HashMap::new();
        for (device, number, launch) in tracks {
            let wrap = wraps.entry((device, launch.stream)).or_default();
            if launch.kind == FLIP_TASK {
                *wrap += 1;
                continue;
            }
            let stream = if is_global { 0 } else { launch.stream };
            self.launches
                .insert((device, stream, number, *wrap), launch);
        }
    }
}

/// The names of a file that may age and of one that may not.
pub(crate) fn both(name: &str) -> [String; 2] {
    [format!("aging.{name}"), format!("unaging.{name}")]
}
