//! What a device's track tells: steps, and when the task numbers of a stream wrapped.

use std::collections::HashMap;
use std::path::Path;

use super::damage::Damages;
use super::device::Format;
use super::fields::{u16_at, u64_at};
use super::files::{each_record, slices};

/// Kinds of records, in their second byte.
const STEP: u8 = 0x0A;
const FLIP: u8 = 0x0E;
/// The bits of a stream's number.
const STREAM_BITS: u16 = 0x7FF;
/// Tags that begin and end a step: of a model or by the user's own call, and of a framework.
const STEP_TAGS: [[u16; 2]; 2] = [[0, 1], [60_000, 60_001]];

/// A step, its times as the counter of the device tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) index: u64,
    pub(crate) model: u64,
    pub(crate) stream: u16,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The device's track.
#[derive(Debug, Default)]
pub(crate) struct Track {
    pub(crate) steps: Vec<Step>,
    wraps: HashMap<u16, Vec<u64>>,
    open: HashMap<(u16, u64, u64, u16), u64>,
}

impl Track {
    pub(crate) fn read(data: &Path, id: u32, format: Format, damages: &mut Damages) -> Self {
        let files = slices(data, &[format!("ts_track.data.{id}")]);
        let mut track = Self::default();
        let take = |record: &[u8; 40]| track.take(record, format);
        each_record(&files, damages, |_| true, take);
        track
            .wraps
            .values_mut()
            .for_each(|wraps| wraps.sort_unstable());
        track
    }

    /// How often the numbers of the stream had wrapped at an instant.
    pub(crate) fn wraps(&self, stream: u16, at: u64) -> u32 {
        let wraps = self.wraps.get(&stream);
        wraps.map_or(0, |wraps| wraps.partition_point(|&wrap| wrap <= at) as u32)
    }

    fn take(&mut self, record: &[u8; 40], format: Format) {
        let at = u64_at(record, 8);
        match record[1] {
            STEP => {
                let (stream, tag) = match format {
                    Format::StarsGlobal => (u16_at(record, 34), u16_at(record, 32)),
                    _ => (u16_at(record, 32) & STREAM_BITS, u16_at(record, 36)),
                };
                self.step(tag, u64_at(record, 16), u64_at(record, 24), stream, at);
            }
            FLIP => {
                let stream = u16_at(record, 16) & STREAM_BITS;
                self.wraps.entry(stream).or_default().push(at);
            }
            _ => {}
        }
    }

    fn step(&mut self, tag: u16, index: u64, model: u64, stream: u16, at: u64) {
        let Some([begin, _]) = STEP_TAGS.into_iter().find(|tags| tags.contains(&tag)) else {
            return;
        };
        let step = (begin, index, model, stream);
        if tag == begin {
            self.open.insert(step, at);
        } else if let Some(start) = self.open.remove(&step) {
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
