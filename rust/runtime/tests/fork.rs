//! The laws of a fork. A program of its own, for the test harness has threads and a fork keeps only one.
#![allow(missing_docs, unsafe_code)]

use std::time::{Duration, Instant};

use optap_runtime::{ErrorCode, Runtime, Task, timeout_from_ms};

const CHILD_MAY_TAKE: Duration = Duration::from_secs(30);

fn main() {
    let runtime = Runtime::global().unwrap();
    let context = runtime.device(0).unwrap().retain().unwrap();
    let stream = context.create_stream().unwrap();
    let pending = stream
        .submit(Task::start(|_| optap_runtime::Completion::new()))
        .unwrap();
    while runtime.workers() == 0 {
        std::thread::yield_now();
    }
    let in_child = || {
        let refused = |result: optap_runtime::Result<()>| {
            assert_eq!(result.unwrap_err().code(), ErrorCode::InvalidHandle);
        };
        assert!(runtime.is_stale());
        refused(stream.launch(Task::work(|_| Ok(()))).map(drop));
        refused(stream.synchronize(None));
        refused(stream.destroy());
        refused(runtime.device(0).unwrap().synchronize(None));
        refused(runtime.device(0).unwrap().release());
        refused(pending.wait(None).unwrap());
        assert!(runtime.shutdown(Duration::from_secs(1)));
        run_one_task(&Runtime::global().unwrap());
    };
    in_forked_child(in_child);
    assert!(!runtime.is_stale());
    stream.destroy_force().unwrap();
    run_one_task(&runtime);
    println!("a forked child is refused the parent's runtime and gets its own ... ok");
}

fn run_one_task(runtime: &Runtime) {
    let stream = runtime
        .device(0)
        .unwrap()
        .retain()
        .unwrap()
        .create_stream()
        .unwrap();
    stream.launch(Task::work(|_| Ok(()))).unwrap();
    stream
        .synchronize(timeout_from_ms(20_000).unwrap())
        .unwrap();
}

/// Runs `body` in a forked child, which must end well and in time.
fn in_forked_child(body: impl FnOnce()) {
    // SAFETY: the child runs `body` and then ends without returning into the parent's code.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
        // SAFETY: ends the child at once, without the parent's exit handlers.
        unsafe { libc::_exit(i32::from(ended.is_err())) };
    }
    assert!(child > 0, "fork failed");
    assert_eq!(wait_for(child), 0, "the child failed or hung");
}

fn wait_for(child: libc::pid_t) -> i32 {
    let deadline = Instant::now() + CHILD_MAY_TAKE;
    let mut status = -1;
    // SAFETY: `child` is our own child and `status` a valid, exclusive integer.
    while unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == 0 {
        if Instant::now() > deadline {
            // SAFETY: ends our own child, which hangs.
            unsafe { libc::kill(child, libc::SIGKILL) };
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    status
}
