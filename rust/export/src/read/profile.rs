//! A directory as records and operators.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::Path;

use optap_record::{Kind, NameTable, OpInfo, OpRecord};

use super::builder::Builder;
use super::clock::Clock;
use super::control::{self, Control};
use super::damage::{Damage, Damages};
use super::device::{Device, Format, Task};
use super::host::Host;
use super::kept;
use super::marks::{self, Mark};
use crate::process::Process;
use crate::prof::Anchor;

/// Stands in place of the id where there is no model.
const NO_MODEL: u64 = u32::MAX as u64;

/// What a file or a directory holds.
#[derive(Clone, Debug)]
pub struct Profile {
    /// When the profile began, on both clocks; each 0 where it is not told. Where both are 0, the
    /// times of the records are those of the wall clock, or of a clock that the file does not tell.
    pub anchor: Anchor,
    /// The process that was profiled, as far as it is told.
    pub process: Process,
    /// Operators, ranges, marks and steps in the order of their ends.
    pub records: Vec<OpRecord>,
    /// The operators; the record's `op_id` counts them from 1.
    pub ops: Vec<OpInfo>,
    /// What could not be read.
    pub damages: Vec<Damage>,
}

impl Profile {
    /// The operator of an `op_id`.
    #[must_use]
    pub fn op(&self, op_id: u32) -> Option<&OpInfo> {
        self.ops.get((op_id as usize).checked_sub(1)?)
    }
}

/// Reads a `PROF_*` directory, of this project or of a processor (platforms 1 to 5, 7, 8, 11, 15 and
/// 16); names are interned in `names`.
///
/// A task is joined with the operator whose call launched it, and with the run of a model around
/// that call. Tasks that run no operator are left out. Damaged parts are told, and all others read.
/// Memory stays within a small multiple of the size of the files.
///
/// Where the directory also keeps the records as they are
/// ([`keeps_records`](crate::Settings::keeps_records)), those are given instead, with every field.
///
/// # Errors
///
/// Where the host's `info.json` or `start_info` cannot be read, the platform is not known, or the
/// name table is full. The message names the file.
///
/// ```
/// use optap_export::{ProfDir, Settings, read_prof};
/// use optap_record::{NameTable, OpRecord};
/// let base = std::env::temp_dir().join(format!("optap-doc-read-{}", std::process::id()));
/// let relu = OpRecord { start_ns: 1_000_250, end_ns: 1_000_750, ..OpRecord::default() };
/// let mut prof = ProfDir::create(&base, &[0], &Settings::default())?;
/// prof.write(&[relu], |_| None)?;
/// let profile = read_prof(&prof.finish()?.path, NameTable::global())?;
/// assert_eq!(profile.records[0].duration_ns(), Some(500));
/// # std::fs::remove_dir_all(&base)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_prof(path: &Path, names: &NameTable) -> io::Result<Profile> {
    let control = control::host(&path.join("host"))?;
    let format = Format::of(control.platform).ok_or_else(|| {
        let message = format!(
            "{}: platform {} is not known",
            path.display(),
            control.platform
        );
        io::Error::new(io::ErrorKind::Unsupported, message)
    })?;
    let mut damages = Damages::default();
    let data = path.join("host/data");
    if let Some(kept) = kept::read(&data, names, &mut damages)? {
        return Ok(Profile {
            anchor: control.anchor,
            process: control.process,
            records: kept.records,
            ops: kept.ops,
            damages: damages.found,
        });
    }
    let is_global = format == Format::StarsGlobal;
    let mut reading = Reading {
        control,
        host: Host::read(&data, is_global, &mut damages),
        builder: Builder::new(names),
    };
    for mark in marks::read(&data, &mut damages) {
        reading.mark(&mark)?;
    }
    for id in devices(path)? {
        let directory = path.join(format!("device_{id}"));
        match control::device(&directory, id) {
            Ok(clock) => {
                let device = Device::read(&directory.join("data"), id, format, &mut damages);
                reading.device(id, device, clock)?;
            }
            Err(error) => damages.file(&directory, error),
        }
    }
    let Control {
        anchor, process, ..
    } = reading.control;
    Ok(reading.builder.finish(anchor, process, damages.found))
}

fn devices(path: &Path) -> io::Result<Vec<u32>> {
    let names = std::fs::read_dir(path)?
        .flatten()
        .map(|entry| entry.file_name());
    let id = |name: std::ffi::OsString| name.to_str()?.strip_prefix("device_")?.parse().ok();
    let mut devices: Vec<u32> = names.filter_map(id).collect();
    devices.sort_unstable();
    Ok(devices)
}

/// A profile that is being put together.
struct Reading<'a> {
    control: Control,
    host: Host,
    builder: Builder<'a>,
}

impl Reading<'_> {
    fn device(&mut self, id: u32, device: Device, clock: Clock) -> io::Result<()> {
        for task in device.tasks {
            self.task(id, task, clock)?;
        }
        for step in device.track.steps {
            self.builder.push(OpRecord {
                kind: Kind::STEP,
                run_id: step.index,
                model_id: model_id(step.model),
                start_ns: clock.ns(step.start),
                end_ns: clock.ns(step.end),
                stream_id: step.stream.into(),
                device_id: id,
                ..OpRecord::default()
            });
        }
        Ok(())
    }

    fn task(&mut self, device_id: u32, task: Task, clock: Clock) -> io::Result<()> {
        let mut record = OpRecord {
            start_ns: clock.ns(task.start),
            end_ns: clock.ns(task.end),
            stream_id: task.key.1.into(),
            device_id,
            ..OpRecord::default()
        };
        let Some(launch) = self.host.launches.get(&task.key).copied() else {
            if task.is_kernel {
                self.builder.push(record);
            }
            return Ok(());
        };
        let host = &mut self.host;
        let kind = host.kinds.get(&launch.kind).map_or("", String::as_str);
        if !["KERNEL", "STARS_COMMON", "FFTS_PLUS"]
            .iter()
            .any(|kernel| kind.starts_with(kernel))
        {
            return Ok(());
        }
        let kernel = host.texts.get(&launch.kernel).map_or(kind, String::as_str);
        (record.stream_id, record.thread_id) = (launch.stream.into(), launch.thread_id);
        if let Some(&mut call) = host.nodes.at(launch.thread_id, launch.at) {
            let name = text(&host.texts, call.item);
            let type_ = text(&host.texts, call.detail);
            let texts = [name.as_bytes(), type_.as_bytes(), kernel.as_bytes()];
            record.op_id = self.builder.op(texts)?;
        }
        if let Some(run) = host.models.at(launch.thread_id, launch.at) {
            record.model_id = model_id(run.item);
            record.run_id = run.detail;
        }
        self.builder.push(record);
        Ok(())
    }

    fn mark(&mut self, mark: &Mark) -> io::Result<()> {
        let message = String::from_utf8_lossy(&mark.message);
        let domain = self.host.texts.get(&mark.domain);
        let domain = domain.map_or("", String::as_str);
        let op_id = self
            .builder
            .op([message.as_bytes(), domain.as_bytes(), b""])?;
        let clock = self.control.clock;
        self.builder.push(OpRecord {
            kind: if mark.is_range {
                Kind::RANGE
            } else {
                Kind::MARK
            },
            op_id,
            start_ns: clock.ns(mark.start),
            end_ns: clock.ns(mark.end),
            thread_id: mark.thread_id,
            ..OpRecord::default()
        });
        Ok(())
    }
}

/// The text of a number, or the number where the dictionary has none.
fn text(texts: &HashMap<u64, String>, number: u64) -> Cow<'_, str> {
    match texts.get(&number) {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(number.to_string()),
    }
}

/// The id of a model; 0 for none.
pub(crate) fn model_id(item: u64) -> u32 {
    if item == NO_MODEL { 0 } else { item as u32 }
}
