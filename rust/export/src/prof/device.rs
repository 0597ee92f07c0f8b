//! What a device tells: when its tasks and steps began and ended.

use std::io;
use std::path::Path;

use optap_record::OpRecord;

use super::layout::{self, STEP_TAGS, Task};
use super::settings::Settings;
use super::slice::Slices;
use super::storage::Storage;

/// Streams that raw files can tell apart.
const STREAMS: usize = 2_048;

/// The files of `device_<N>/data`.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) id: u32,
    stars: Slices,
    track: Slices,
    tasks: Box<[u32; STREAMS]>,
    stars_count: u64,
}

impl Device {
    pub(crate) fn new(id: u32, directory: &Path, settings: &Settings) -> Self {
        let slices = |name: &str| {
            let name = format!("{name}.data.{id}");
            Slices::new(directory, &name, settings.slice_bytes)
        };
        Self {
            id,
            stars: slices("stars_soc"),
            track: slices("ts_track"),
            tasks: Box::new([0; STREAMS]),
            stars_count: 0,
        }
    }

    /// Tells when an operator ran, and gives the task that it was.
    pub(crate) fn op(&mut self, record: &OpRecord) -> Task {
        let task = self.next_task(record);
        if task.number == 0 && task.flip > 0 {
            self.track.push(&layout::task_flip(record.start_ns, task));
        }
        for (is_end, at_ns) in [(false, record.start_ns), (true, record.end_ns)] {
            let stars = layout::stars(is_end, self.stars_count, task, at_ns);
            self.stars.push(&stars);
            self.stars_count += 1;
        }
        task
    }

    fn next_task(&mut self, record: &OpRecord) -> Task {
        let stream = stream(record);
        let count = &mut self.tasks[usize::from(stream)];
        *count = count.wrapping_add(1);
        Task {
            device: self.id as u16,
            stream,
            number: *count as u16,
            flip: (*count >> 16) as u16,
        }
    }

    /// Tells when a step began and ended.
    pub(crate) fn step(&mut self, record: &OpRecord) {
        let stream = stream(record);
        for (tag, at_ns) in STEP_TAGS.into_iter().zip([record.start_ns, record.end_ns]) {
            let step = layout::step_trace(at_ns, record.run_id, stream, tag);
            self.track.push(&step);
        }
    }

    pub(crate) fn spill(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.stars.spill(storage)?;
        self.track.spill(storage)
    }

    pub(crate) fn flush(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.stars.flush(storage)?;
        self.track.flush(storage)
    }

    pub(crate) fn close(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.stars.close(storage)?;
        self.track.close(storage)
    }

    pub(crate) fn abandon(&mut self, storage: &mut Storage) {
        self.stars.abandon(storage);
        self.track.abandon(storage);
    }
}

fn stream(record: &OpRecord) -> u16 {
    (record.stream_id as usize % STREAMS) as u16
}
