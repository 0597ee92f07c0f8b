//! The orderings, under the model checker: every interleaving up to a number of preemptions.
//!
//! `RUSTFLAGS="--cfg optap_loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p optap-ring --release --test loom`
#![cfg(optap_loom)]

use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use loom::sync::{Arc, Mutex};
use loom::thread;
use optap_ring::{Doorbell, Fence, Fenced, Parker, Producer, RingSet, Signal, ring};

#[derive(Clone, Copy, Debug)]
enum Item {
    Op(u64),
    Fence(Fence),
}

impl Fenced for Item {
    fn fence(&self) -> Option<Fence> {
        match self {
            Self::Op(_) => None,
            Self::Fence(fence) => Some(*fence),
        }
    }
}

#[test]
fn items_arrive_whole_and_in_order_through_reused_slots() {
    loom::model(|| {
        let (mut producer, mut consumer) = ring(2, 0);
        let pusher = thread::spawn(move || {
            (0..3u64)
                .filter(|&item| producer.push(item).is_err())
                .count()
        });
        let (mut last, mut released) = (None, 0);
        for _ in 0..3 {
            let available = consumer.available();
            let (run, rest) = consumer.chunk(available);
            for &item in run.iter().chain(rest) {
                assert!(last < Some(item));
                last = Some(item);
            }
            consumer.release(available);
            released += available;
        }
        let refused = pusher.join().unwrap();
        assert_eq!(consumer.refused(), refused as u64);
        assert_eq!(released + consumer.available() + refused, 3);
    });
}

#[test]
fn what_was_pushed_before_the_producer_went_is_seen_after() {
    loom::model(|| {
        let (mut producer, mut consumer) = ring(2, 0);
        let pusher = thread::spawn(move || producer.push(7u64).unwrap());
        if consumer.is_abandoned() {
            assert_eq!(consumer.available(), 1);
        }
        pusher.join().unwrap();
    });
}

#[test]
fn a_refusal_is_counted_by_the_time_a_later_item_is_seen() {
    loom::model(|| {
        let (mut producer, mut consumer) = ring(2, 0);
        (0..2u64).for_each(|item| producer.push(item).unwrap());
        let pusher = thread::spawn(move || {
            let is_refused = producer.push(2).is_err();
            is_refused && producer.push(3).is_ok()
        });
        consumer.available();
        consumer.release(2);
        let has_later_item = consumer.chunk(2).0.first() == Some(&3);
        if has_later_item {
            assert_eq!(consumer.refused(), 1);
        }
        pusher.join().unwrap();
    });
}

/// Two records of a stream on one worker, two on another, drained meanwhile. `from` and `to` are their rings' ids.
fn move_a_stream(from: u32, to: u32, push_moved: fn(&mut Producer<Item>, Fence, Item)) {
    let mut set = RingSet::new();
    let mut producers = [(); 2].map(|()| {
        let (producer, consumer) = ring(4, 0);
        (set.add(consumer), producer)
    });
    producers.sort_by_key(|(id, _)| *id == to);
    let [(_, mut first), (_, mut second)] = producers;

    let left_at = Arc::new(Mutex::new(None));
    let taken_from = Arc::clone(&left_at);
    let first_worker = thread::spawn(move || {
        first.push(Item::Op(0)).unwrap();
        first.push(Item::Op(1)).unwrap();
        *left_at.lock().unwrap() = Some(Fence {
            ring: from,
            position: first.position(),
        });
    });
    let second_worker = thread::spawn(move || {
        let Some(fence) = *taken_from.lock().unwrap() else {
            return;
        };
        push_moved(&mut second, fence, Item::Op(2));
        second.push(Item::Op(3)).unwrap();
    });

    let mut seen = Vec::new();
    let mut drain = || {
        set.drain(1, &mut |items: &[Item]| {
            seen.extend(items.iter().map(|item| match item {
                Item::Op(number) => *number,
                Item::Fence(fence) => panic!("{fence:?} was handed out"),
            }));
        });
    };
    drain();
    first_worker.join().unwrap();
    second_worker.join().unwrap();
    drain();
    let in_order: Vec<u64> = (0..seen.len() as u64).collect();
    assert_eq!(seen, in_order, "the stream's order");
    assert!(seen.len() == 2 || seen.len() == 4);
    assert_eq!(set.rings(), 0);
}

#[test]
fn a_stream_that_moves_to_a_ring_drained_earlier_keeps_its_order() {
    loom::model(|| {
        move_a_stream(1, 0, |producer, fence, op| {
            producer.push_after(Item::Fence(fence), op).unwrap();
        });
    });
}

#[test]
fn a_stream_that_moves_to_a_ring_drained_later_keeps_its_order() {
    loom::model(|| {
        move_a_stream(0, 1, |producer, fence, op| {
            producer.push_after(Item::Fence(fence), op).unwrap();
        });
    });
}

#[test]
fn a_fence_pushed_by_itself_keeps_the_order_too() {
    loom::model(|| {
        move_a_stream(0, 1, |producer, fence, op| {
            producer.push_reserved(Item::Fence(fence)).unwrap();
            producer.push(op).unwrap();
        });
    });
}

#[test]
#[should_panic(expected = "the stream's order")]
fn without_its_fence_a_stream_that_moves_is_torn() {
    loom::model(|| move_a_stream(1, 0, |producer, _, op| producer.push(op).unwrap()));
}

/// One push and one wake-up against a drainer that sleeps until it has the item.
fn push_to_a_sleeper(wake: fn(&Parker)) {
    let (mut producer, mut consumer) = ring(2, 0);
    let parker = Arc::new(Parker::new());
    let waker = Arc::clone(&parker);
    let pusher = thread::spawn(move || {
        producer.push(1u64).unwrap();
        wake(&waker);
    });
    while consumer.available() == 0 {
        parker.park(None, || consumer.available() == 0);
    }
    pusher.join().unwrap();
}

#[test]
fn no_wake_up_is_lost_to_a_parking_drainer() {
    loom::model(|| push_to_a_sleeper(Parker::wake));
}

#[test]
fn no_interrupt_is_lost_to_a_parking_drainer() {
    loom::model(|| push_to_a_sleeper(Parker::interrupt));
}

#[test]
#[should_panic(expected = "deadlock")]
fn without_a_wake_up_the_drainer_sleeps_on() {
    loom::model(|| push_to_a_sleeper(|_| ()));
}

#[test]
fn two_wakers_lose_no_wake_up() {
    loom::model(|| {
        let parker = Arc::new(Parker::new());
        let pushed = Arc::new(AtomicU64::new(0));
        let wakers = [(); 2].map(|()| {
            let (parker, pushed) = (Arc::clone(&parker), Arc::clone(&pushed));
            thread::spawn(move || {
                pushed.fetch_add(1, Ordering::Release);
                parker.wake();
            })
        });
        let mut seen = 0;
        while seen < 2 {
            parker.park(None, || pushed.load(Ordering::Acquire) == seen);
            seen = pushed.load(Ordering::Acquire);
        }
        for waker in wakers {
            waker.join().unwrap();
        }
    });
}

/// Whether a consumer that found its queue empty after arming is rung for the item, once the notifier is done.
fn push_to_an_armed_signal(notify: fn(&Signal) -> bool) {
    let signal = Arc::new(Signal::new().unwrap());
    let queue = Arc::new(AtomicBool::new(false));
    let (notifier, pushed) = (Arc::clone(&signal), Arc::clone(&queue));
    let pusher = thread::spawn(move || {
        pushed.store(true, Ordering::Relaxed);
        notify(&notifier);
    });
    signal.arm();
    let must_be_rung = !queue.load(Ordering::Relaxed);
    pusher.join().unwrap();
    let is_rung = signal.doorbell().clear();
    assert!(is_rung || !must_be_rung, "nobody rang");
    assert_eq!(signal.wakes(), u64::from(is_rung));
}

#[test]
fn no_item_is_left_to_an_armed_signal() {
    loom::model(|| push_to_an_armed_signal(Signal::notify));
}

#[test]
#[should_panic(expected = "nobody rang")]
fn an_armed_signal_that_is_not_notified_stays_silent() {
    loom::model(|| push_to_an_armed_signal(|_| false));
}

#[test]
fn two_notifiers_ring_once_for_one_arming() {
    loom::model(|| {
        let signal = Arc::new(Signal::new().unwrap());
        signal.arm();
        let notifiers = [(); 2].map(|()| {
            let signal = Arc::clone(&signal);
            thread::spawn(move || signal.notify())
        });
        let rings = notifiers.map(|notifier| notifier.join().unwrap());
        assert!(rings[0] != rings[1]);
        assert_eq!(signal.wakes(), 1);
        let doorbell: &Doorbell = signal.doorbell();
        assert!(doorbell.clear());
    });
}
