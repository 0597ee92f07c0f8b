//! The laws of rounds: what is recorded between a start and its stop is on the disk, whole.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use optap_export::{Asked, Level, Profile, read_prof};
use optap_profiler::{Holder, Profiler, Recorder, Tap};
use optap_record::{Flags, NameTable};
use optap_runtime::Trail;
use optap_session::{Round, Session, Wish, timed};

const HANG: Option<Duration> = Some(Duration::from_secs(20));

struct Free;

impl Holder for Free {
    fn held(&self, wait: &mut dyn FnMut()) {
        wait();
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

/// A model that tells ops of no name.
struct Model {
    tap: Arc<Tap>,
    trail: Trail,
}

impl Model {
    fn on(device_id: u32) -> Self {
        static IDS: AtomicU32 = AtomicU32::new(1);
        let id = IDS.fetch_add(1, Ordering::Relaxed);
        Self {
            tap: Profiler::global().add_model(id, device_id),
            trail: Trail::default(),
        }
    }

    fn begin(&self) -> Recorder<'_> {
        static RUNS: AtomicU64 = AtomicU64::new(1);
        let run_id = RUNS.fetch_add(1, Ordering::Relaxed);
        let stream_id = self.tap.model_id();
        Recorder::new(
            Profiler::global(),
            &self.tap,
            &self.trail,
            &Free,
            stream_id,
            run_id,
        )
    }

    fn run(&self, ops: usize) {
        tell(&mut self.begin(), ops);
    }
}

fn tell(run: &mut Recorder<'_>, ops: usize) {
    for _ in 0..ops {
        run.before();
        run.after(0, Flags::NONE);
    }
}

/// A folder for one test.
struct Base(PathBuf);

impl Base {
    fn new(law: &str) -> Self {
        let name = format!("optap-session-{law}-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn directories(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.0).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn start(session: &Session, wish: Wish) -> Arc<Round> {
    let round = session.start(wish).unwrap();
    assert_eq!(round.started().wait(HANG), Some(Ok(())));
    round
}

fn stop(round: &Round) {
    assert_eq!(round.stop().wait(HANG), Some(Ok(())));
}

fn read(path: &Path) -> Profile {
    let profile = read_prof(path, NameTable::global()).unwrap();
    assert_eq!(profile.damages, []);
    profile
}

#[test]
fn each_round_holds_what_was_recorded_between_its_start_and_its_stop() {
    let (base, model) = (Base::new("between"), Model::on(20));
    let session = Session::new(base.0.clone());
    for ops in [100, 5] {
        model.run(7);
        let round = start(&session, Wish::on(&[20]));
        model.run(ops);
        stop(&round);
        model.run(7);
    }
    let report = session.report();
    assert_eq!(
        (report.records, report.partial_runs, report.dropped),
        (105, 0, [0; 4])
    );
    let counts = report
        .directories
        .iter()
        .map(|path| read(path).records.len());
    assert_eq!(counts.collect::<Vec<_>>(), [100, 5]);
    assert!(
        report.directories[1]
            .join("device_20/end_info.20")
            .is_file()
    );
}

#[test]
fn a_round_hears_its_devices_only() {
    let (base, one, other) = (Base::new("devices"), Model::on(21), Model::on(22));
    let session = Session::new(base.0.clone());
    let round = start(&session, Wish::on(&[21]));
    assert!(session.start(Wish::on(&[22, 21])).is_err());
    let beside = start(&session, Wish::on(&[22]));
    one.run(3);
    other.run(4);
    stop(&round);
    stop(&beside);
    let counts = session
        .report()
        .directories
        .iter()
        .map(|path| {
            let profile = read(path);
            profile
                .records
                .iter()
                .map(|record| record.device_id)
                .collect::<Vec<_>>()
        })
        .collect::<Vec<_>>();
    assert_eq!(counts, [vec![21; 3], vec![22; 4]]);
}

#[test]
fn a_device_that_leaves_is_complete_and_the_others_go_on() {
    let (base, one, other) = (Base::new("leave"), Model::on(23), Model::on(24));
    let session = Session::new(base.0.clone());
    let round = start(&session, Wish::on(&[23, 24]));
    one.run(3);
    assert_eq!(round.leave(&[23]).wait(HANG), Some(Ok(())));
    let path = &base.directories()[0];
    assert!(path.join("device_23/end_info.23").is_file());
    assert!(!path.join("device_24/end_info.24").exists());
    one.run(30);
    other.run(4);
    assert_eq!(round.leave(&[24]).wait(HANG), Some(Ok(())));
    assert!(!round.is_running());
    assert_eq!(round.report().unwrap().records, 7);
}

#[test]
fn runs_that_a_round_saw_in_part_are_counted() {
    let (base, model) = (Base::new("partial"), Model::on(25));
    let session = Session::new(base.0.clone());
    let mut early = model.begin();
    tell(&mut early, 2);
    let round = start(&session, Wish::on(&[25]));
    tell(&mut early, 2);
    drop(early);
    model.run(9);
    let mut late = model.begin();
    tell(&mut late, 1);
    stop(&round);
    tell(&mut late, 1);
    let report = session.report();
    assert_eq!((report.records, report.partial_runs), (12, 2));
}

#[test]
fn a_flush_puts_all_that_was_recorded_before_into_the_files() {
    let (base, model) = (Base::new("flush"), Model::on(26));
    let session = Session::new(base.0.clone());
    let round = start(&session, Wish::on(&[26]));
    model.run(1_000);
    assert_eq!(round.flush().wait(HANG), Some(Ok(())));
    assert_eq!(read(&base.directories()[0]).records.len(), 1_000);
    stop(&round);
    assert_eq!(
        round.flush().wait(HANG),
        Some(Ok(())),
        "an end is a flush, too"
    );
}

#[test]
fn a_path_that_is_no_folder_is_told_by_the_start() {
    let base = Base::new("no-folder");
    fs::write(&base.0, "").unwrap();
    let session = Session::new(base.0.join("below"));
    let round = session.start(Wish::on(&[27])).unwrap();
    assert!(round.started().wait(HANG).unwrap().is_err());
    assert!(round.failure().unwrap().message.contains("no-folder"));
    assert!(!round.is_running() && session.running().is_empty());
    fs::remove_file(&base.0).unwrap();
}

#[test]
fn files_that_can_be_written_no_longer_end_the_round_and_nothing_else() {
    let (base, model) = (Base::new("refused"), Model::on(28));
    let session = Session::new(base.0.clone());
    let round = start(&session, Wish::on(&[28]));
    model.run(10);
    assert_eq!(round.flush().wait(HANG), Some(Ok(())));
    fs::remove_dir_all(base.directories()[0].join("device_28")).unwrap();
    assert!(round.stop().wait(HANG).unwrap().is_err());
    model.run(10);
    let report = session.report();
    assert_eq!((report.records, report.unwritten), (10, 0));
    assert!(round.failure().is_some());
    let again = start(&session, Wish::on(&[28]));
    stop(&again);
}

#[test]
fn calls_are_timed_while_a_round_asks_for_them() {
    let base = Base::new("calls");
    let session = Session::new(base.0.clone());
    let asked = Asked {
        calls: true,
        ..Asked::NOTHING
    };
    let round = start(
        &session,
        Wish {
            asked,
            ..Wish::on(&[29])
        },
    );
    timed("aclrtMalloc", || ());
    stop(&round);
    let data = base.directories()[0].join("host/data");
    assert_eq!(
        fs::read(data.join("aging.api_event.data.slice_0"))
            .unwrap()
            .len(),
        40
    );
    let types = fs::read_to_string(data.join("unaging.additional.type_info_dic.slice_0")).unwrap();
    assert!(types.contains(":aclrtMalloc\n"));
}

#[test]
fn a_device_that_turns_up_late_is_shown_from_then_on() {
    let (base, model) = (Base::new("late"), Model::on(30));
    let session = Session::new(base.0.clone());
    let wish = Wish {
        shows_late: true,
        ..Wish::on(&[30, 31])
    };
    let round = start(&session, wish);
    let path = base.directories().remove(0);
    assert!(!path.join("device_30").exists());
    model.run(2);
    stop(&round);
    assert!(path.join("device_30/end_info.30").is_file() && !path.join("device_31").exists());
    assert_eq!(round.report().unwrap().records, 2);
}

#[test]
fn a_round_of_nothing_but_times_leaves_names_out() {
    let (base, model) = (Base::new("times"), Model::on(32));
    let session = Session::new(base.0.clone());
    let asked = Asked {
        level: Some(Level::L0),
        ..Asked::NOTHING
    };
    let round = start(
        &session,
        Wish {
            asked,
            ..Wish::on(&[32])
        },
    );
    model.run(2);
    stop(&round);
    let data = base.directories()[0].join("host/data");
    assert!(!data.join("aging.compact.node_basic_info.slice_0").exists());
}

#[test]
fn a_round_that_is_dropped_completes_its_files() {
    let (base, model) = (Base::new("dropped"), Model::on(33));
    let session = Session::new(base.0.clone());
    let round = start(&session, Wish::on(&[33]));
    model.run(2);
    let ended = round.ended().clone();
    drop((round, session));
    assert_eq!(ended.wait(HANG), Some(Ok(())));
    assert!(base.directories()[0].join("host/end_info").is_file());
}
