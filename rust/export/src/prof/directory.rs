//! The directory that a profile leaves.

use std::io;
use std::path::{Path, PathBuf};

pub use optap_record::NO_DEVICE;
use optap_record::{Kind, OpInfo, OpRecord};

use super::anchor::Anchor;
use super::call::ApiCall;
use super::control::{self, Side};
use super::device::Device;
use super::host::Host;
use super::name::{create_directory, create_unique};
use super::records::Records;
use super::settings::Settings;
use super::storage::Storage;

/// Records between two looks at the size of the buffers.
const CHUNK_RECORDS: usize = 256;

/// Streams records into a `PROF_*` directory that the `msprof` analysis parses.
///
/// The directory shows platform 5, a processor whose tasks all run on AI CPUs; columns of other
/// cores stay empty. An operator becomes a task of its device and a launch on the thread that
/// executed it; the operators of a run lie within one execution of their model. A
/// [range](Kind::RANGE) or [mark](Kind::MARK) becomes a row of the `msprof_tx` table, whose domain
/// is the record's type; a [step](Kind::STEP) becomes an iteration, whose number is its `run_id`.
///
/// Records that have no duration, those of devices that the directory does not show, and those of
/// kinds that were not asked for are left out and counted. A step of no device
/// ([`NO_DEVICE`]) is one of every device. Stream ids are told modulo 2,048. Control characters in
/// names are spelled out.
///
/// Memory does not grow with the number of records. The names of operators are kept alive until the
/// writer is dropped. What was flushed can be parsed even if the process is killed.
///
/// Each call that returns an error has left the directory at an unknown place: write no more to it.
///
/// ```
/// use optap_export::{ProfDir, Settings};
/// use optap_record::OpRecord;
/// let base = std::env::temp_dir().join(format!("optap-doc-{}", std::process::id()));
/// let relu = OpRecord { op_id: 7, start_ns: 1_000_250, end_ns: 1_000_750, ..OpRecord::default() };
/// let mut prof = ProfDir::create(&base, &[0], &Settings::default())?;
/// prof.write(&[relu], |_| None)?;
/// let report = prof.finish()?;
/// assert_eq!((report.records, report.skipped), (1, 0));
/// # std::fs::remove_dir_all(&base)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ProfDir {
    path: PathBuf,
    settings: Settings,
    host: Host,
    devices: Vec<Device>,
    kept: Option<Records>,
    storage: Storage,
    records: u64,
    skipped: u64,
}

/// What a directory came to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The directory.
    pub path: PathBuf,
    /// Number of files written, markers included.
    pub files: u64,
    /// Bytes written to slices.
    pub bytes: u64,
    /// Bytes of slices that were removed to stay below the limit.
    pub aged_bytes: u64,
    /// Number of records written.
    pub records: u64,
    /// Number of records left out, for want of a duration, of their device or of being asked for.
    pub skipped: u64,
}

impl ProfDir {
    /// Makes a new directory below `base`, which is made if need be, for these devices.
    ///
    /// Its name is `PROF_<number>_<UTC time to the ms>_<process><letters>`; two processes never
    /// share one.
    ///
    /// # Errors
    ///
    /// What the file system gives, with the path in the message.
    pub fn create(base: &Path, devices: &[u32], settings: &Settings) -> io::Result<Self> {
        let path = create_unique(base, settings.anchor)?;
        let mut storage = Storage::new(settings.storage_limit_bytes);
        let data = begin_side(&path, Side::Host, settings, &mut storage)?;
        let mut prof = Self {
            path,
            settings: settings.clone(),
            host: Host::new(&data, settings),
            devices: Vec::new(),
            kept: settings
                .keeps_records
                .then(|| Records::new(&data, settings.slice_bytes)),
            storage,
            records: 0,
            skipped: 0,
        };
        devices.iter().try_for_each(|&id| prof.add_device(id))?;
        Ok(prof)
    }

    /// Shows one more device from now on; nothing if the directory shows it already.
    ///
    /// # Errors
    ///
    /// What the file system gives, with the path in the message.
    pub fn add_device(&mut self, id: u32) -> io::Result<()> {
        if self.has_device(id) {
            return Ok(());
        }
        let side = Side::Device(id);
        let data = begin_side(&self.path, side, &self.settings, &mut self.storage)?;
        self.devices.push(Device::new(id, &data, &self.settings));
        Ok(())
    }

    /// Completes the files of a device and shows it no longer; its records are left out from now on.
    ///
    /// # Errors
    ///
    /// What the file system gives.
    pub fn end_device(&mut self, id: u32) -> io::Result<()> {
        self.flush()?;
        let ended: Vec<Device> = self
            .devices
            .extract_if(.., |device| device.id == id)
            .collect();
        ended
            .into_iter()
            .try_for_each(|device| self.close_device(device, Anchor::now()))
    }

    /// Whether the directory shows a device.
    #[must_use]
    pub fn has_device(&self, id: u32) -> bool {
        self.devices.iter().any(|device| device.id == id)
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of records told so far.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Number of records left out so far, for want of a duration or of their device.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Appends records; `names` gives the operator of an `op_id`.
    ///
    /// Within one call an id must keep its meaning; between two it may change.
    ///
    /// # Errors
    ///
    /// What the file system gives.
    pub fn write<'a>(
        &mut self,
        records: &[OpRecord],
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) -> io::Result<()> {
        self.host.begin_round();
        self.kept.iter_mut().for_each(Records::begin_round);
        for chunk in records.chunks(CHUNK_RECORDS) {
            for record in chunk {
                let is_told = self.is_asked(record) && self.keep_and_tell(record, &names);
                self.records += u64::from(is_told);
                self.skipped += u64::from(!is_told);
            }
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        self.host.spill(&mut self.storage)?;
        if let Some(kept) = &mut self.kept {
            kept.spill(&mut self.storage)?;
        }
        let mut devices = self.devices.iter_mut();
        devices.try_for_each(|device| device.spill(&mut self.storage))
    }

    /// Appends calls of the host's interface. Those that were not asked for are passed over.
    ///
    /// # Errors
    ///
    /// What the file system gives.
    pub fn write_calls(&mut self, calls: &[ApiCall]) -> io::Result<()> {
        if self.settings.asked.calls {
            calls.iter().for_each(|call| self.host.call(call));
        }
        self.host.spill(&mut self.storage)
    }

    /// Whether the record is one that was asked for, of a device that is shown.
    fn is_asked(&self, record: &OpRecord) -> bool {
        let asked = &self.settings.asked;
        match record.kind {
            Kind::OP => asked.level.is_some() && self.has_device(record.device_id),
            Kind::STEP if record.device_id == NO_DEVICE => asked.steps,
            Kind::STEP => asked.steps && self.has_device(record.device_id),
            Kind::RANGE | Kind::MARK => asked.ranges,
            _ => false,
        }
    }

    /// Keeps the record as it is, and tells it if it has a duration; whether it has.
    fn keep_and_tell<'a>(
        &mut self,
        record: &OpRecord,
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) -> bool {
        if let Some(kept) = &mut self.kept {
            kept.push(record, &names);
        }
        let has_duration = record.duration_ns().is_some();
        if has_duration {
            self.tell(record, names);
        }
        has_duration
    }

    fn tell<'a>(&mut self, record: &OpRecord, names: impl Fn(u32) -> Option<&'a OpInfo>) {
        let devices = self.devices.iter_mut();
        let is_meant = |device: &&mut Device| [device.id, NO_DEVICE].contains(&record.device_id);
        match record.kind {
            Kind::RANGE | Kind::MARK => self.host.tx(record, names),
            Kind::STEP => devices
                .filter(is_meant)
                .for_each(|device| device.step(record)),
            _ => {
                for device in devices.filter(is_meant) {
                    let task = device.op(record);
                    self.host.op(record, task, &names);
                }
            }
        }
    }

    /// Hands everything written so far to the files.
    ///
    /// # Errors
    ///
    /// What the file system gives.
    pub fn flush(&mut self) -> io::Result<()> {
        self.host.flush(&mut self.storage)?;
        if let Some(kept) = &mut self.kept {
            kept.flush(&mut self.storage)?;
        }
        let mut devices = self.devices.iter_mut();
        devices.try_for_each(|device| device.flush(&mut self.storage))
    }

    /// Completes all files. A writer that is dropped instead leaves off what was not flushed.
    ///
    /// # Errors
    ///
    /// What the file system gives.
    pub fn finish(mut self) -> io::Result<Report> {
        let end = Anchor::now();
        self.host.close(&mut self.storage)?;
        if let Some(kept) = &mut self.kept {
            kept.close(&mut self.storage)?;
        }
        self.end_side(Side::Host, end)?;
        for device in std::mem::take(&mut self.devices) {
            self.close_device(device, end)?;
        }
        Ok(self.into_report())
    }

    /// Completes what can be completed after an error: the files keep what was written whole.
    #[must_use]
    pub fn abandon(mut self) -> Report {
        let end = Anchor::now();
        self.host.abandon(&mut self.storage);
        if let Some(kept) = &mut self.kept {
            kept.abandon(&mut self.storage);
        }
        let mut sides = vec![Side::Host];
        for mut device in std::mem::take(&mut self.devices) {
            device.abandon(&mut self.storage);
            sides.push(Side::Device(device.id));
        }
        for side in sides {
            // A directory without an end parses as well.
            let _ = self.end_side(side, end);
        }
        self.into_report()
    }

    fn close_device(&mut self, mut device: Device, end: Anchor) -> io::Result<()> {
        device.close(&mut self.storage)?;
        self.end_side(Side::Device(device.id), end)
    }

    fn end_side(&mut self, side: Side, end: Anchor) -> io::Result<()> {
        let directory = self.path.join(side.directory());
        self.storage.files += control::end(&directory, side, end)?;
        Ok(())
    }

    fn into_report(self) -> Report {
        Report {
            path: self.path,
            files: self.storage.files,
            bytes: self.storage.bytes,
            aged_bytes: self.storage.aged_bytes,
            records: self.records,
            skipped: self.skipped,
        }
    }
}

/// Makes the directory of a side, with what is known at the start; gives the one for its data.
fn begin_side(
    path: &Path,
    side: Side,
    settings: &Settings,
    storage: &mut Storage,
) -> io::Result<PathBuf> {
    let directory = path.join(side.directory());
    let data = directory.join("data");
    create_directory(&data, true)?;
    storage.files += control::begin(&directory, side, settings)?;
    Ok(data)
}
