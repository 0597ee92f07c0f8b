//! Marks and ranges of the user's own.

use std::path::Path;

use super::damage::Damages;
use super::fields::{u16_at, u32_at, u64_at};
use super::files::{each_record, slices};
use super::host::{both, is_host_record};

/// A mark or range, as the counter of the host tells.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) is_range: bool,
    pub(crate) thread_id: u32,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) domain: u64,
    pub(crate) message: Vec<u8>,
    id: u64,
}

/// Reads the marks; a message in pieces is put together.
pub(crate) fn read(data: &Path, damages: &mut Damages) -> Vec<Mark> {
    let files = slices(data, &both("additional.msproftx"));
    let mut marks: Vec<Mark> = Vec::new();
    each_record::<256>(&files, damages, is_host_record, |record| {
        let message = record[100..].split(|&byte| byte == 0).next().unwrap_or(&[]);
        let (segment, id) = (u16_at(record, 26), u64_at(record, 80));
        if segment > 0
            && let Some(mark) = marks.last_mut()
            && mark.id == id
        {
            mark.message.extend_from_slice(message);
            return;
        }
        marks.push(Mark {
            is_range: matches!(u32_at(record, 48), 1 | 2),
            thread_id: u32_at(record, 40),
            start: u64_at(record, 64),
            end: u64_at(record, 72),
            domain: u64_at(record, 88),
            message: message.to_vec(),
            id,
        });
    });
    marks
}
