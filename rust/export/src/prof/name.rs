//! Directories of their own, by name.

use std::fs::DirBuilder;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::anchor::Anchor;

/// How many directories this process has made.
static MADE: AtomicU32 = AtomicU32::new(0);

/// A new directory below `base`, which is made if need be.
pub(crate) fn create_unique(base: &Path, anchor: Anchor) -> io::Result<PathBuf> {
    create_directory(base, true)?;
    loop {
        let path = base.join(directory_name(anchor));
        match create_directory(&path, false) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
}

/// Makes a directory that its owner may write and its group read.
pub(crate) fn create_directory(path: &Path, recursive: bool) -> io::Result<()> {
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
