//! The laws of sleeping and waking.

use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use optap_ring::{Doorbell, Parker, Signal, ring};

/// Long enough that only a lost wake-up waits for it.
const HANG: Duration = Duration::from_secs(30);

fn is_readable(fd: RawFd, timeout: Duration) -> bool {
    let mut poll = libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: the pointer is to one `pollfd`.
    unsafe { libc::poll(&mut poll, 1, timeout.as_millis() as i32) == 1 }
}

/// Runs `check` in a forked child; whether it held.
fn holds_in_child(check: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child makes system calls only and leaves without running destructors.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: as above.
        unsafe { libc::_exit(i32::from(!check())) };
    }
    let mut status = 0;
    // SAFETY: the pointer is to one status.
    unsafe { libc::waitpid(pid, &mut status, 0) };
    libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
}

#[test]
fn a_doorbell_is_readable_from_ring_to_clear() {
    let doorbell = Doorbell::new().unwrap();
    assert!(!is_readable(doorbell.as_raw_fd(), Duration::ZERO));
    doorbell.ring();
    assert!(is_readable(doorbell.as_raw_fd(), Duration::ZERO));
    assert!(doorbell.clear());
    assert!(!is_readable(doorbell.as_raw_fd(), Duration::ZERO));
}

#[test]
fn a_forked_child_leaves_the_doorbell_alone() {
    let doorbell = Doorbell::new().unwrap();
    assert!(holds_in_child(|| {
        doorbell.ring();
        doorbell.is_foreign()
    }));
    assert!(!doorbell.clear());
    doorbell.ring();
    assert!(holds_in_child(|| !doorbell.clear()));
    assert!(doorbell.clear());
    assert!(!doorbell.is_foreign());
}

#[test]
fn a_forked_child_can_park() {
    let parker = Parker::new();
    assert!(holds_in_child(|| {
        parker.interrupt();
        parker.park(None, || true);
        parker.park(None, || false);
        true
    }));
}

#[test]
fn the_deadline_ends_a_sleep() {
    let parker = Parker::new();
    parker.park(Some(Instant::now() + Duration::from_millis(2)), || true);
    assert_eq!(parker.wakes(), 0);
}

#[test]
fn nobody_asleep_is_not_woken() {
    let parker = Parker::new();
    parker.wake();
    parker.park(None, || false);
    parker.wake();
    assert_eq!(parker.wakes(), 0);
}

#[test]
fn a_pause_is_not_ended_by_wakes() {
    let parker = Parker::new();
    let end = Instant::now() + Duration::from_millis(20);
    thread::scope(|scope| {
        scope.spawn(|| {
            while Instant::now() < end {
                parker.wake();
            }
        });
        parker.pause(end);
    });
    assert_eq!(parker.wakes(), 0);
}

#[test]
fn a_pause_is_ended_by_an_interrupt() {
    let parker = Parker::new();
    let end = Instant::now() + HANG;
    thread::scope(|scope| {
        scope.spawn(|| parker.interrupt());
        parker.pause(end);
    });
    assert!(Instant::now() < end, "the interrupt was lost");
}

#[test]
fn an_interrupt_ends_a_sleep_under_way() {
    let parker = Parker::new();
    let is_asleep = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_asleep.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            parker.interrupt();
        });
        parker.park(None, || {
            is_asleep.store(true, Ordering::Relaxed);
            true
        });
    });
    assert_eq!(parker.wakes(), 1);
}

#[test]
fn no_push_is_left_to_a_sleeping_drainer() {
    const PUSHES: u64 = 200_000;
    let (mut producer, mut consumer) = ring(64, 0);
    let parker = Arc::new(Parker::new());
    let waker = Arc::clone(&parker);
    let pusher = thread::spawn(move || {
        let mut number = 0;
        while number < PUSHES {
            number += u64::from(producer.push(number).is_ok());
            waker.wake();
        }
        producer
    });
    while consumer.position() < PUSHES {
        let deadline = Instant::now() + HANG;
        parker.park(Some(deadline), || consumer.available() == 0);
        assert!(Instant::now() < deadline, "a wake-up was lost");
        let available = consumer.available();
        consumer.release(available);
    }
    pusher.join().unwrap();
}

#[test]
fn no_push_is_left_to_an_armed_signal() {
    const PUSHES: u64 = 50_000;
    let (mut producer, mut consumer) = ring(64, 0);
    let signal = Arc::new(Signal::new().unwrap());
    let notifier = Arc::clone(&signal);
    let pusher = thread::spawn(move || {
        let mut number = 0;
        while number < PUSHES {
            number += u64::from(producer.push(number).is_ok());
            notifier.notify();
        }
        producer
    });
    while consumer.position() < PUSHES {
        signal.arm();
        if consumer.available() == 0 {
            assert!(
                is_readable(signal.doorbell().as_raw_fd(), HANG),
                "a ring was lost"
            );
        }
        signal.disarm();
        let available = consumer.available();
        consumer.release(available);
    }
    pusher.join().unwrap();
    assert!(signal.wakes() <= PUSHES);
}

#[test]
fn an_armed_signal_rings_once() {
    let signal = Signal::new().unwrap();
    signal.arm();
    assert!(signal.notify());
    assert!(!signal.notify());
    assert!(is_readable(signal.doorbell().as_raw_fd(), Duration::ZERO));
    signal.disarm();
    assert!(!is_readable(signal.doorbell().as_raw_fd(), Duration::ZERO));
    assert_eq!(signal.wakes(), 1);
}

#[test]
fn a_disarmed_signal_does_not_ring() {
    let signal = Signal::new().unwrap();
    signal.arm();
    assert!(signal.is_armed());
    signal.disarm();
    assert!(!signal.is_armed());
    assert!(!signal.notify());
    assert_eq!(signal.wakes(), 0);
}
