//! What a device tells: when its tasks and steps began and ended.

use std::collections::HashMap;
use std::path::Path;

use super::damage::Damages;
use super::fields::{u16_at, u32_at, u64_at};
use super::files::{each_record, slices};
use super::host::TaskKey;

/// Tags that begin and end a step: of a model or by the user's own call, and of a framework.
const STEP_TAGS: [[u16; 2]; 2] = [[0, 1], [60_000, 60_001]];

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

/// A step, its times as the counter of the device tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) index: u64,
    pub(crate) model: u64,
    pub(crate) stream: u16,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The device's tables.
#[derive(Debug, Default)]
pub(crate) struct Device {
    pub(crate) tasks: Vec<Task>,
    pub(crate) steps: Vec<Step>,
    wraps: HashMap<u16, Vec<u64>>,
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
        let mut device = Self::default();
        device.read_track(data, id, format, damages);
        let file = match format {
            Format::Hwts => format!("hwts.data.{id}"),
            _ => format!("stars_soc.data.{id}"),
        };
        let files = slices(data, &[file]);
        let is_stars = |record: &[u8]| u16_at(record, 2) == 0x6BD3;
        match format {
            Format::Stars => each_record::<64>(
                &files,
                damages,
                |r| is_stars(r),
                |record| {
                    device.edge(
                        id,
                        stars(record, u16_at(record, 4), u16_at(record, 6).into()),
                    );
                },
            ),
            Format::StarsGlobal => each_record::<32>(
                &files,
                damages,
                |r| is_stars(r),
                |record| {
                    device.edge(id, stars(record, 0, u32_at(record, 4)));
                },
            ),
            Format::Hwts => each_record::<64>(
                &files,
                damages,
                |_| true,
                |record| {
                    device.edge(id, hwts(record));
                },
            ),
        }
        device
    }

    fn edge(&mut self, device: u32, edge: Option<Edge>) {
        let Some(edge) = edge else {
            return;
        };
        let place = (edge.stream, edge.number);
        if !edge.is_end {
            self.open.insert(place, edge.at);
            return;
        }
        let Some(start) = self.open.remove(&place) else {
            return;
        };
        let wraps = self
            .wraps
            .get(&edge.stream)
            .map_or(0, |wraps| wraps.partition_point(|&wrap| wrap <= start));
        self.tasks.push(Task {
            key: (device, edge.stream, edge.number, wraps as u32),
            is_kernel: edge.kind <= 2,
            start,
            end: edge.at,
        });
    }

    fn read_track(&mut self, data: &Path, id: u32, format: Format, damages: &mut Damages) {
        let files = slices(data, &[format!("ts_track.data.{id}")]);
        let mut open = HashMap::new();
        each_record::<40>(
            &files,
            damages,
            |_| true,
            |record| match record[1] {
                0x0A => {
                    let (stream, tag) = match format {
                        Format::StarsGlobal => (u16_at(record, 34), u16_at(record, 32)),
                        _ => (u16_at(record, 32) & 0x7FF, u16_at(record, 36)),
                    };
                    let (at, index, model) =
                        (u64_at(record, 8), u64_at(record, 16), u64_at(record, 24));
                    for [begin, end] in STEP_TAGS {
                        let step = (begin, index, model, stream);
                        if tag == begin {
                            open.insert(step, at);
                        } else if tag == end
                            && let Some(start) = open.remove(&step)
                        {
                            self.steps.push(Step {
                                index,
                                model,
                                stream,
                                start,
                                end: at,
                            });
                        }
                    }
                }
                0x0E => {
                    let stream = u16_at(record, 16) & 0x7FF;
                    self.wraps
                        .entry(stream)
                        .or_default()
                        .push(u64_at(record, 8));
                }
                _ => {}
            },
        );
        self.wraps
            .values_mut()
            .for_each(|wraps| wraps.sort_unstable());
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
