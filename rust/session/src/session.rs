//! Rounds below one path.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::report::Report;
use crate::round::Round;
use crate::wish::Wish;

/// Starts rounds below one path, and sums up what they left behind.
///
/// ```
/// use optap_session::{Session, Wish};
/// let base = std::env::temp_dir().join(format!("optap-doc-session-{}", std::process::id()));
/// let session = Session::new(base.clone());
/// let round = session.start(Wish::on(&[0]))?;
/// round.started().wait(None);
/// round.stop().wait(None);
/// assert!(session.report().directories[0].join("host/end_info").is_file());
/// # std::fs::remove_dir_all(&base)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Session {
    base: PathBuf,
    rounds: Mutex<Vec<Arc<Round>>>,
}

impl Session {
    /// A session that writes below `base`, which its first round makes if need be.
    #[must_use]
    pub fn new(base: PathBuf) -> Self {
        Self {
            base,
            rounds: Mutex::default(),
        }
    }

    /// Where its directories lie.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.base
    }

    /// Starts a round. Several may run at a time, as long as they share no device.
    ///
    /// # Errors
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists) where one of the devices is collected already; that of
    /// [`Round::start`].
    pub fn start(&self, wish: Wish) -> io::Result<Arc<Round>> {
        let mut rounds = self.rounds.lock();
        let running = rounds.iter().filter(|round| round.is_running());
        let taken: Vec<u32> = running.flat_map(|round| round.devices()).collect();
        if let Some(id) = wish.devices.iter().find(|id| taken.contains(id)) {
            let detail = format!("device {id} is collected already; stop that round first");
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, detail));
        }
        let round = Arc::new(Round::start(&self.base, wish)?);
        rounds.push(round.clone());
        Ok(round)
    }

    /// The rounds that have not ended.
    #[must_use]
    pub fn running(&self) -> Vec<Arc<Round>> {
        let rounds = self.rounds.lock();
        let running = rounds.iter().filter(|round| round.is_running());
        running.cloned().collect()
    }

    /// What the rounds that have ended left behind, together.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut sum = Report::default();
        let rounds = self.rounds.lock();
        for report in rounds.iter().filter_map(|round| round.report()) {
            sum += &report;
        }
        sum
    }
}
