//! What a device's scheduler tells: when its tasks began and ended.

use std::collections::HashMap;
use std::path::Path;

use super::damage::Damages;
use super::fields::{u16_at, u32_at, u64_at};
use super::files::{each_record, slices};
use super::host::TaskKey;
use super::track::Track;

/// Stands second in every record of the scheduler.
const STARS_MAGIC: u16 = 0x6BD3;
/// Kinds of tasks up to this one run operators.
const LAST_KERNEL: u16 = 2;

/// How the scheduler of a platform tells its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// 64 bytes, numbers of 16 bits in each stream.
    Stars,
    /// 32 bytes, numbers of 32 bits for the whole device.
    StarsGlobal,
    /// 64 bytes of the older scheduler.
    Hwts,
}

impl Format {
    /// `None` for a platform whose files are not known.
    pub(crate) fn of(platform: u32) -> Option<Self> {
        match platform {
            5 | 7 | 8 | 11 => Some(Self::Stars),
            15 | 16 => Some(Self::StarsGlobal),
            1..=4 => Some(Self::Hwts),
            _ => None,
        }
    }
}

/// A task that began and ended, as the counter of the device tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) key: TaskKey,
    /// Whether it ran an operator, as far as the device knows.
    pub(crate) is_kernel: bool,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The device's tables.
#[derive(Debug)]
pub(crate) struct Device {
    id: u32,
    pub(crate) tasks: Vec<Task>,
    pub(crate) track: Track,
    open: HashMap<(u16, u32), u64>,
}

/// Beginning or end of a task.
struct Edge {
    is_end: bool,
    stream: u16,
    number: u32,
    kind: u16,
    at: u64,
}

impl Device {
    pub(crate) fn read(data: &Path, id: u32, format: Format, damages: &mut Damages) -> Self {
        let mut device = Self {
            id,
            tasks: Vec::new(),
            track: Track::read(data, id, format, damages),
            open: HashMap::new(),
        };
        match format {
            Format::Stars => device.each(data, damages, "stars_soc", |record: &[u8; 64]| {
                stars(record, u16_at(record, 4), u16_at(record, 6).into())
            }),
            Format::StarsGlobal => device.each(data, damages, "stars_soc", |record: &[u8; 32]| {
                stars(record, 0, u32_at(record, 4))
            }),
            Format::Hwts => device.each(data, damages, "hwts", |record: &[u8; 64]| hwts(record)),
        }
        device
    }

    fn each<const N: usize>(
        &mut self,
        data: &Path,
        damages: &mut Damages,
        file: &str,
        edge: impl Fn(&[u8; N]) -> Option<Edge>,
    ) {
        let files = slices(data, &[format!("{file}.data.{}", self.id)]);
        let is_record = |record: &[u8; N]| file == "hwts" || u16_at(record, 2) == STARS_MAGIC;
        each_record(&files, damages, is_record, |record| {
            if let Some(edge) = edge(record) {
                self.edge(&edge);
            }
        });
    }

    fn edge(&mut self, edge: &Edge) {
        let place = (edge.stream, edge.number);
        if !edge.is_end {
            self.open.insert(place, edge.at);
            return;
        }
        if let Some(start) = self.open.remove(&place) {
            let wraps = self.track.wraps(edge.stream, start);
            self.tasks.push(Task {
                key: (self.id, edge.stream, edge.number, wraps),
                is_kernel: edge.kind <= LAST_KERNEL,
                start,
                end: edge.at,
            });
        }
    }
}

fn stars(record: &[u8], stream: u16, number: u32) -> Option<Edge> {
    let head = u16_at(record, 0);
    let is_end = is_end((head & 63).into())?;
    Some(Edge {
        is_end,
        stream,
        number,
        kind: head >> 10,
        at: u64_at(record, 8),
    })
}

fn hwts(record: &[u8]) -> Option<Edge> {
    let is_end = is_end((record[0] & 7).into())?;
    Some(Edge {
        is_end,
        stream: u32_at(record, 16) as u16,
        number: u16_at(record, 6).into(),
        kind: record[1].into(),
        at: u64_at(record, 8),
    })
}

/// Whether a task ended rather than began; `None` for what is neither.
fn is_end(kind: u32) -> Option<bool> {
    (kind <= 1).then_some(kind == 1)
}
