//! The thread of a round: from the subscription to the files.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use optap_export::{ProfDir, Settings};
use optap_profiler::{
    Overflow, Profiler, Received, Settings as SubscriptionSettings, Slice, Subscription,
};
use optap_record::OpRecord;
use optap_runtime::{Completion, Error};

use crate::calls::CallLog;
use crate::command::Command;
use crate::doors;
use crate::failure::Failure;
use crate::partial::PartialRuns;
use crate::report::Report;
use crate::round::Shared;
use crate::wish::Wish;

/// Records that wait while the disk is slow; beyond, the oldest go and are counted.
const QUEUED_RECORDS: usize = 1 << 20;
/// Records that are worth a wake-up before the next flush.
const WORTH_A_WAKE: usize = 8_192;
/// Slices taken between two looks at the commands.
const SLICES_A_TURN: usize = 64;
/// The longest time that what was told is not in the files.
const FLUSH_EVERY: Duration = Duration::from_secs(1);
/// How long the line may gather ops for this reader, which is never in a hurry.
const COALESCE: Duration = Duration::from_millis(5);

/// Writes a round, from its start to its end.
pub(crate) fn run(shared: &Arc<Shared>, base: &Path, wish: Wish) {
    optap_runtime::block_signals();
    let written = catch_unwind(AssertUnwindSafe(|| {
        match Writer::open(shared, base, wish) {
            Ok(writer) => {
                shared.started.complete(Ok(()));
                writer.serve()
            }
            Err(error) => (Report::default(), Some(error.into())),
        }
    }));
    let (report, failure) = written.unwrap_or_else(|_| {
        let fault = io::Error::other("the thread that writes the profile has panicked");
        (Report::default(), Some(fault.into()))
    });
    shared.end(report, failure);
}

struct Writer {
    shared: Arc<Shared>,
    wish: Wish,
    subscription: Subscription,
    prof: ProfDir,
    log: Option<Arc<CallLog>>,
    partial: PartialRuns,
    /// Since when something was told that is not in the files.
    behind_since: Option<Instant>,
    flushed_records: u64,
}

impl Writer {
    fn open(shared: &Arc<Shared>, base: &Path, wish: Wish) -> io::Result<Self> {
        let settings = Settings {
            storage_limit_bytes: wish.storage_limit_bytes,
            asked: wish.asked,
            keeps_records: true,
            ..Settings::default()
        };
        let prof = ProfDir::create(base, wish.shown(), &settings)?;
        let subscription = SubscriptionSettings {
            targets: wish.targets(),
            kinds: wish.kinds(),
            overflow: Overflow::DropOldest,
            capacity: QUEUED_RECORDS,
            filter: None,
            coalesce: COALESCE,
        };
        let subscription = Subscription::open(Profiler::global(), subscription)?;
        let [early, _] = subscription.cut_runs();
        Ok(Self {
            shared: shared.clone(),
            log: wish.asked.calls.then(|| CallLog::open(shared)),
            wish,
            subscription,
            prof,
            partial: PartialRuns::new(early),
            behind_since: None,
            flushed_records: 0,
        })
    }

    fn serve(mut self) -> (Report, Option<Failure>) {
        loop {
            match self.turn() {
                Ok(true) => self.wait(),
                Ok(false) => return self.finish(),
                Err(error) => return self.give_up(error),
            }
        }
    }

    /// Obeys, writes what lies there, and flushes when it is time; whether to go on.
    fn turn(&mut self) -> io::Result<bool> {
        self.shared.commands.quiet();
        while let Some(command) = self.shared.commands.take() {
            if !self.obey(command)? {
                return Ok(false);
            }
        }
        for _ in 0..SLICES_A_TURN {
            match self.subscription.receive(QUEUED_RECORDS) {
                Received::Slice(slice) => self.write(&slice)?,
                Received::Empty | Received::End => break,
            }
        }
        if self
            .behind_since
            .is_some_and(|since| since.elapsed() >= FLUSH_EVERY)
        {
            self.flush()?;
        }
        Ok(true)
    }

    fn obey(&mut self, command: Command) -> io::Result<bool> {
        match command {
            Command::Stop => return Ok(false),
            Command::Calls => self.write_calls(false)?,
            Command::Flush(done) => {
                let flushed = self.catch_up().and_then(|()| self.flush());
                answer(&done, flushed)?;
            }
            Command::Leave(devices, done) => {
                let left = self.catch_up().and_then(|()| self.leave(&devices));
                answer(&done, left)?;
            }
        }
        Ok(true)
    }

    /// Writes everything that was recorded before the call.
    fn catch_up(&mut self) -> io::Result<()> {
        let mut left = self.subscription.statistics().in_flight;
        while left > 0
            && let Received::Slice(slice) = self.subscription.receive(left as usize)
        {
            left -= slice.len() as u64;
            self.write(&slice)?;
        }
        Ok(())
    }

    fn leave(&mut self, devices: &[u32]) -> io::Result<()> {
        self.wish.devices.retain(|id| !devices.contains(id));
        devices.iter().try_for_each(|&id| self.prof.end_device(id))
    }

    fn write(&mut self, slice: &Slice) -> io::Result<()> {
        let records = slice.records();
        self.behind_since.get_or_insert_with(Instant::now);
        if records
            .iter()
            .all(|record| self.wish.means(record.device_id))
        {
            return self.write_meant(slice, records);
        }
        let meant = records
            .iter()
            .filter(|record| self.wish.means(record.device_id));
        let meant: Vec<OpRecord> = meant.copied().collect();
        self.write_meant(slice, &meant)
    }

    fn write_meant(&mut self, slice: &Slice, records: &[OpRecord]) -> io::Result<()> {
        self.partial.see(records);
        if self.wish.shows_late {
            self.show(records)?;
        }
        let names = |op_id| slice.block.info(op_id);
        self.prof.write(records, names)
    }

    /// Makes room for devices that turn up.
    fn show(&mut self, records: &[OpRecord]) -> io::Result<()> {
        let ids = records.iter().map(|record| record.device_id);
        let listed = |id: &u32| self.wish.devices.contains(id);
        let new: Vec<u32> = ids
            .filter(|&id| !self.prof.has_device(id))
            .filter(listed)
            .collect();
        new.into_iter().try_for_each(|id| self.prof.add_device(id))
    }

    fn write_calls(&mut self, all: bool) -> io::Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        self.behind_since.get_or_insert_with(Instant::now);
        let calls = log.take(all);
        self.prof.write_calls(&calls)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_calls(true)?;
        self.prof.flush()?;
        self.flushed_records = self.prof.records();
        self.behind_since = None;
        Ok(())
    }

    /// Sleeps until there is something to do.
    fn wait(&self) {
        let (wanted, left) = match self.behind_since {
            None => (1, None),
            Some(since) => (
                WORTH_A_WAKE,
                Some(FLUSH_EVERY.saturating_sub(since.elapsed())),
            ),
        };
        if !self.subscription.arm(wanted) {
            doors::wait(&self.subscription, &self.shared.commands, left);
        }
        self.subscription.disarm();
    }

    fn finish(mut self) -> (Report, Option<Failure>) {
        self.subscription.finish();
        match self.write_rest() {
            Err(error) => self.give_up(error),
            Ok(()) => {
                let mut report = self.report();
                match self.prof.finish() {
                    Ok(written) => (with_files(report, written), None),
                    Err(error) => {
                        report.unwritten = report.records - self.flushed_records;
                        report.records = self.flushed_records;
                        (report, Some(error.into()))
                    }
                }
            }
        }
    }

    fn write_rest(&mut self) -> io::Result<()> {
        while let Received::Slice(slice) = self.subscription.receive(QUEUED_RECORDS) {
            self.write(&slice)?;
        }
        if let Some(log) = &self.log {
            log.close();
        }
        self.write_calls(true)
    }

    /// Ends after an error: the program that is profiled goes on, and what was written whole stays.
    fn give_up(self, error: io::Error) -> (Report, Option<Failure>) {
        self.subscription.close();
        if let Some(log) = &self.log {
            log.close();
        }
        let mut report = self.report();
        report.unwritten = report.records - self.flushed_records;
        report = with_files(report, self.prof.abandon());
        report.records = self.flushed_records;
        (report, Some(error.into()))
    }

    /// The account, without the files.
    fn report(&self) -> Report {
        let [_, late] = self.subscription.cut_runs();
        Report {
            directories: vec![self.prof.path().to_owned()],
            records: self.prof.records(),
            dropped: self.subscription.statistics().counters.dropped,
            dropped_calls: self.log.as_ref().map_or(0, |log| log.dropped()),
            partial_runs: self.partial.count(&late),
            ..Report::default()
        }
    }
}

fn with_files(report: Report, written: optap_export::Report) -> Report {
    Report {
        files: written.files,
        bytes: written.bytes,
        aged_bytes: written.aged_bytes,
        records: written.records,
        skipped: written.skipped,
        ..report
    }
}

/// Tells whoever waits; the error goes on to end the round.
fn answer(done: &Completion, outcome: io::Result<()>) -> io::Result<()> {
    let told = match &outcome {
        Ok(()) => Ok(()),
        Err(error) => Err(Error::new(
            optap_runtime::ErrorCode::WriteFile,
            error.to_string(),
        )),
    };
    done.complete(told);
    outcome
}
