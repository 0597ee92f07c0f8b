//! The end of a process completes the files of every round.

use std::time::Duration;

use optap_session::{Session, Wish, finish_all};

#[test]
fn every_round_of_every_session_is_completed() {
    let base = std::env::temp_dir().join(format!("optap-session-end-{}", std::process::id()));
    let sessions = [(); 2].map(|()| Session::new(base.clone()));
    let rounds = sessions.each_ref().map(|session| {
        let round = session.start(Wish::on(&[0])).unwrap();
        assert!(round.started().wait(None).unwrap().is_ok());
        round
    });
    assert!(finish_all(Duration::from_secs(20)));
    assert!(rounds.iter().all(|round| !round.is_running()));
    for session in &sessions {
        assert!(
            session.report().directories[0]
                .join("host/end_info")
                .is_file()
        );
    }
    std::fs::remove_dir_all(&base).unwrap();
}
