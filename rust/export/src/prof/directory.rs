//! The directory that a profile leaves.

use std::fs::DirBuilder;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use optap_record::{Kind, OpInfo, OpRecord};

use super::anchor::Anchor;
use super::control::{self, Side};
use super::device::Device;
use super::host::Host;
use super::settings::Settings;
use super::storage::Storage;

/// Records between two looks at the size of the buffers.
const CHUNK_RECORDS: usize = 256;

/// How many directories this process has made.
static MADE: AtomicU32 = AtomicU32::new(0);

/// Streams records into a `PROF_*` directory that the `msprof` analysis parses.
///
/// The directory shows platform 5, a processor whose tasks all run on AI CPUs; columns of other
/// cores stay empty. An operator becomes a task of its device and a launch on the thread that
/// executed it; the operators of a run lie within one execution of their model. A
/// [range](Kind::RANGE) or [mark](Kind::MARK) becomes a row of the `msprof_tx` table, whose domain
/// is the record's type; a [step](Kind::STEP) becomes an iteration, whose number is its `run_id`.
///
/// Records that have no duration, and those of devices not named at the start, are left out and
/// counted. Stream ids are told modulo 2,048. Control characters in names are spelled out.
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
    host: Host,
    devices: Vec<Device>,
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
    /// Number of records left out, for want of a duration or of their device.
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
        let mut side = |side: Side| {
            let directory = path.join(side.directory());
            create_directory(&directory.join("data"), true)?;
            storage.files += control::begin(&directory, side, settings)?;
            Ok::<_, io::Error>(directory.join("data"))
        };
        let host = Host::new(&side(Side::Host)?, settings);
        let devices = devices
            .iter()
            .map(|&id| Ok(Device::new(id, &side(Side::Device(id))?, settings)))
            .collect::<io::Result<_>>()?;
        Ok(Self {
            path,
            host,
            devices,
            storage,
            records: 0,
            skipped: 0,
        })
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
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
        for chunk in records.chunks(CHUNK_RECORDS) {
            for record in chunk {
                let is_told = record.duration_ns().is_some() && self.tell(record, &names);
                self.records += u64::from(is_told);
                self.skipped += u64::from(!is_told);
            }
            self.host.spill(&mut self.storage)?;
            for device in &mut self.devices {
                device.spill(&mut self.storage)?;
            }
        }
        Ok(())
    }

    /// Whether the record found its place.
    fn tell<'a>(&mut self, record: &OpRecord, names: impl Fn(u32) -> Option<&'a OpInfo>) -> bool {
        if matches!(record.kind, Kind::RANGE | Kind::MARK) {
            self.host.tx(record, names);
            return true;
        }
        let mut devices = self.devices.iter_mut();
        let Some(device) = devices.find(|device| device.id == record.device_id) else {
            return false;
        };
        match record.kind {
            Kind::OP => {
                let task = device.op(record);
                self.host.op(record, task, names);
            }
            Kind::STEP => device.step(record),
            _ => return false,
        }
        true
    }

    /// Hands everything written so far to the files.
    ///
    /// # Errors
    ///
    /// What the file system gives.
    pub fn flush(&mut self) -> io::Result<()> {
        self.host.flush(&mut self.storage)?;
        for device in &mut self.devices {
            device.flush(&mut self.storage)?;
        }
        Ok(())
    }

    /// Completes all files. A writer that is dropped instead leaves off what was not flushed.
    ///
    /// # Errors
    ///
    /// What the file system gives.
    pub fn finish(mut self) -> io::Result<Report> {
        let end = Anchor::now();
        self.host.close(&mut self.storage)?;
        let host = self.path.join(Side::Host.directory());
        self.storage.files += control::end(&host, Side::Host, end)?;
        for device in &mut self.devices {
            device.close(&mut self.storage)?;
            let side = Side::Device(device.id);
            let directory = self.path.join(side.directory());
            self.storage.files += control::end(&directory, side, end)?;
        }
        Ok(Report {
            path: self.path,
            files: self.storage.files,
            bytes: self.storage.bytes,
            aged_bytes: self.storage.aged_bytes,
            records: self.records,
            skipped: self.skipped,
        })
    }
}

fn create_unique(base: &Path, anchor: Anchor) -> io::Result<PathBuf> {
    create_directory(base, true)?;
    loop {
        let path = base.join(directory_name(anchor));
        match create_directory(&path, false) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
}

fn create_directory(path: &Path, recursive: bool) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    let made = builder.recursive(recursive).mode(0o750).create(path);
    made.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn directory_name(anchor: Anchor) -> String {
    let number = MADE.fetch_add(1, Ordering::Relaxed) % 999_999 + 1;
    let [year, month, day, hour, minute, second] = calendar(anchor.unix_ns);
    let ms = anchor.unix_ns / 1_000_000 % 1_000;
    let mut random = RandomState::new().hash_one(number);
    let letters: String = (0..8)
        .map(|_| {
            let letter = (random % 18) as u8;
            random /= 18;
            char::from(b'A' + letter)
        })
        .collect();
    let pid = std::process::id();
    format!(
        "PROF_{number:06}_{year}{month:02}{day:02}{hour:02}{minute:02}{second:02}{ms:03}_{pid:08}{letters}"
    )
}

/// Year, month, day, hour, minute and second in UTC.
pub(crate) fn calendar(unix_ns: u64) -> [u64; 6] {
    let seconds = unix_ns / 1_000_000_000;
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    [
        year,
        month,
        day,
        seconds / 3_600 % 24,
        seconds / 60 % 60,
        seconds % 60,
    ]
}
