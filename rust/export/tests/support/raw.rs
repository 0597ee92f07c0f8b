//! A reading of raw profiling data that shares no code with its writer.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One task of a device, joined with what the host tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    pub type_: String,
    pub kernel: String,
    pub stream: u16,
    pub task: u16,
    pub start_ns: u64,
    pub end_ns: u64,
    pub thread_id: u32,
    pub model_id: Option<u64>,
}

/// A mark or range of the user's own: name, domain, event type, start and end in ns.
pub type Tx = (String, String, u32, u64, u64);

/// A directory of the format, as the layout of its files says.
pub struct Raw(pub PathBuf);

fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(record[at..at + 2].try_into().unwrap())
}

fn u32_at(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(record[at..at + 4].try_into().unwrap())
}

fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(record[at..at + 8].try_into().unwrap())
}

impl Raw {
    /// The slices of a kind in order; every closed one has a marker that tells its size.
    pub fn slices(&self, file: &str) -> Vec<PathBuf> {
        let (directory, name) = file.rsplit_once('/').unwrap();
        let prefix = format!("{name}.slice_");
        let mut slices: Vec<(u32, PathBuf)> = fs::read_dir(self.0.join(directory))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter_map(|path| {
                let number = path.file_name()?.to_str()?.strip_prefix(&prefix)?;
                Some((number.parse().ok()?, path.clone()))
            })
            .collect();
        slices.sort();
        slices.into_iter().map(|(_, path)| path).collect()
    }

    /// The records of a kind; each slice holds whole ones.
    pub fn records(&self, file: &str, bytes: usize) -> Vec<Vec<u8>> {
        let slices = self
            .slices(file)
            .into_iter()
            .map(|path| fs::read(path).unwrap());
        let whole = |slice: Vec<u8>| {
            assert_eq!(slice.len() % bytes, 0, "{file} holds a part of a record");
            slice.chunks(bytes).map(<[u8]>::to_vec).collect::<Vec<_>>()
        };
        slices.flat_map(whole).collect()
    }

    /// The texts of a dictionary.
    pub fn texts(&self) -> HashMap<u64, String> {
        self.lines("host/data/unaging.additional.hash_dic")
            .into_iter()
            .map(|(key, text)| (key.parse().unwrap(), text))
            .collect()
    }

    /// The names of the types, by level and type.
    pub fn types(&self) -> HashMap<String, String> {
        let lines = self.lines("host/data/unaging.additional.type_info_dic");
        lines.into_iter().collect()
    }

    fn lines(&self, file: &str) -> Vec<(String, String)> {
        let slices = self.slices(file).into_iter();
        let text: String = slices
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        let pair = |line: &str| {
            let (key, text) = line.split_once(':').unwrap();
            (key.to_owned(), text.to_owned())
        };
        text.split_terminator('\n').map(pair).collect()
    }

    /// Tasks in the order in which they ended: each is found by its stream, number and wraps, and
    /// its operator by the only call that holds the instant of its launch.
    pub fn rows(&self, device: u32) -> Vec<Row> {
        let (texts, calls, models) = (self.texts(), self.calls(), self.models());
        let basics = self.records("host/data/aging.compact.node_basic_info", 64);
        let mut tasks = self.tasks(device);
        let mut rows = Vec::new();
        let mut wraps = HashMap::new();
        for track in self.records("host/data/aging.compact.task_track", 64) {
            if u32::from(u16_at(&track, 24)) != device {
                continue;
            }
            let (stream, task) = (u16_at(&track, 26), u16_at(&track, 28));
            if u32_at(&track, 4) == 98 {
                wraps.insert(stream, u16_at(&track, 30));
                continue;
            }
            let wrap = wraps.get(&stream).copied().unwrap_or(0);
            let (start_ns, end_ns) = tasks.remove(&(stream, task, wrap)).unwrap();
            let (thread_id, at_ns) = (u32_at(&track, 8), u64_at(&track, 16));
            let holds = |&&(thread, begin, end, _): &&(u32, u64, u64, u64)| {
                thread == thread_id && begin < at_ns && at_ns < end
            };
            let [call] = calls.iter().filter(holds).collect::<Vec<_>>()[..] else {
                panic!("the launch at {at_ns} is in no call or in several");
            };
            let basic = basics
                .iter()
                .find(|basic| u64_at(basic, 24) == call.3 && u64_at(basic, 16) == at_ns);
            let model = models.iter().find(|&&(thread, begin, end, _)| {
                thread == thread_id && begin <= call.1 && call.2 <= end
            });
            rows.push(Row {
                name: texts[&call.3].clone(),
                type_: texts[&u64_at(basic.unwrap(), 36)].clone(),
                kernel: texts[&u64_at(&track, 40)].clone(),
                stream,
                task,
                start_ns,
                end_ns,
                thread_id,
                model_id: model.map(|model| model.3),
            });
        }
        assert!(tasks.is_empty(), "tasks that nobody launched: {tasks:?}");
        rows
    }

    /// Thread, begin, end and item of each call of an operator.
    pub fn calls(&self) -> Vec<(u32, u64, u64, u64)> {
        let apis = self.records("host/data/aging.api_event.data", 40);
        let calls = apis.iter().filter(|api| u16_at(api, 2) == 10_000);
        calls
            .map(|api| {
                assert_eq!(u16_at(api, 0), 0x5A5A);
                (
                    u32_at(api, 8),
                    u64_at(api, 16),
                    u64_at(api, 24),
                    u64_at(api, 32),
                )
            })
            .collect()
    }

    /// Thread, begin, end and id of each execution of a model: two events that are alike.
    pub fn models(&self) -> Vec<(u32, u64, u64, u64)> {
        let apis = self.records("host/data/aging.api_event.data", 40);
        let mut open = HashMap::new();
        let mut models = Vec::new();
        for api in apis.iter().filter(|api| u16_at(api, 2) == 15_000) {
            assert_eq!(u64_at(api, 24), u64::MAX);
            let (thread, model, at_ns) = (u32_at(api, 8), u64_at(api, 32), u64_at(api, 16));
            let key = (thread, u32_at(api, 12), model);
            match open.remove(&key) {
                Some(begin) => models.push((thread, begin, at_ns, model)),
                None => drop(open.insert(key, at_ns)),
            }
        }
        models
    }

    /// Start and end of each task, by stream, number and how often the numbers had wrapped.
    fn tasks(&self, device: u32) -> HashMap<(u16, u16, u16), (u64, u64)> {
        let stars = self.records(&format!("device_{device}/data/stars_soc.data.{device}"), 64);
        let (mut starts, mut tasks, mut wraps) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (count, record) in stars.iter().enumerate() {
            let (head, place) = (u16_at(record, 0), (u16_at(record, 4), u16_at(record, 6)));
            assert_eq!(u16_at(record, 2), 0x6BD3);
            assert_eq!((head >> 6 & 15, head >> 10), (count as u16 % 16, 1));
            let at_ns = u64_at(record, 8);
            if head & 63 == 0 {
                starts.insert(place, at_ns);
                continue;
            }
            let wrap: &mut u16 = wraps.entry(place.0).or_default();
            *wrap += u16::from(place.1 == 0);
            let start_ns = starts.remove(&place).unwrap();
            tasks.insert((place.0, place.1, *wrap), (start_ns, at_ns));
        }
        tasks
    }

    /// The 40-byte records of a device's track of one kind.
    pub fn track(&self, device: u32, kind: u8) -> Vec<Vec<u8>> {
        let file = format!("device_{device}/data/ts_track.data.{device}");
        let mut records = self.records(&file, 40);
        records.retain(|record| record[1] == kind);
        records
    }

    /// Number, start and end of each step of a device.
    pub fn steps(&self, device: u32) -> Vec<(u64, u64, u64)> {
        let marks = self.track(device, 0x0A);
        let step = |pair: &[Vec<u8>]| {
            let tags = [u16_at(&pair[0], 36), u16_at(&pair[1], 36)];
            assert_eq!(tags, [60_000, 60_001]);
            assert_eq!(u64_at(&pair[0], 24), u64::from(u32::MAX));
            (
                u64_at(&pair[0], 16),
                u64_at(&pair[0], 8),
                u64_at(&pair[1], 8),
            )
        };
        marks.chunks(2).map(step).collect()
    }

    /// The marks and ranges, their pieces put together.
    pub fn tx(&self) -> Vec<Tx> {
        let texts = self.texts();
        let mut rows: Vec<(u64, Tx)> = Vec::new();
        for record in self.records("host/data/aging.additional.msproftx", 256) {
            let (segment, id) = (u16_at(&record, 26), u64_at(&record, 80));
            let message = record[100..256].split(|&byte| byte == 0).next().unwrap();
            let text = std::str::from_utf8(message).unwrap();
            if segment == 0 {
                let domain = texts.get(&u64_at(&record, 88)).cloned().unwrap_or_default();
                let times = (u64_at(&record, 64), u64_at(&record, 72));
                let kind = u32_at(&record, 48);
                rows.push((id, (text.to_owned(), domain, kind, times.0, times.1)));
                continue;
            }
            let (last, row) = rows.last_mut().unwrap();
            assert_eq!(*last, id);
            row.0.push_str(text);
        }
        rows.into_iter().map(|(_, tx)| tx).collect()
    }
}

/// Every closed slice below the path has a marker that tells its size. Gives the number of slices.
pub fn check_markers(directory: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            count += check_markers(&path);
        } else if path.to_str().unwrap().contains(".slice_") && path.extension().unwrap() != "done"
        {
            let marker = fs::read_to_string(format!("{}.done", path.display())).unwrap();
            let size = format!("filesize:{}\n", path.metadata().unwrap().len());
            assert!(marker.starts_with(&size));
            count += 1;
        }
    }
    count
}
