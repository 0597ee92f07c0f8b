//! What became of a round.

use std::path::PathBuf;

use optap_profiler::Reason;

/// What a round, or all rounds of a session together, left behind.
///
/// ```
/// use optap_session::Report;
/// let mut all = Report { records: 3, ..Report::default() };
/// all += &Report { records: 4, ..Report::default() };
/// assert_eq!(all.records, 7);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The `PROF_*` directories, in the order of their starts.
    pub directories: Vec<PathBuf>,
    /// Number of files, markers included.
    pub files: u64,
    /// Bytes written to the data files.
    pub bytes: u64,
    /// Bytes of data files that were removed to stay below the limit.
    pub aged_bytes: u64,
    /// Number of records written.
    pub records: u64,
    /// Number of records that the tables leave out, for want of a duration.
    pub skipped: u64,
    /// Number of records lost before they were written, by [`Reason`].
    pub dropped: [u64; Reason::ALL.len()],
    /// Number of records that were read and could not be written, for the file system refused.
    pub unwritten: u64,
    /// Number of timed calls that found their log full.
    pub dropped_calls: u64,
    /// Number of runs of which the round saw a part: they went on when it began or when it stopped.
    pub partial_runs: u64,
}

impl std::ops::AddAssign<&Self> for Report {
    fn add_assign(&mut self, other: &Self) {
        self.directories.extend_from_slice(&other.directories);
        let dropped = self.dropped.iter_mut().zip(other.dropped);
        dropped.for_each(|(sum, count)| *sum += count);
        self.files += other.files;
        self.bytes += other.bytes;
        self.aged_bytes += other.aged_bytes;
        self.records += other.records;
        self.skipped += other.skipped;
        self.unwritten += other.unwritten;
        self.dropped_calls += other.dropped_calls;
        self.partial_runs += other.partial_runs;
    }
}
