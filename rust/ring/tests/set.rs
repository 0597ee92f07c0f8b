//! The laws of a set of rings: nothing is lost, and fences are kept.

use std::sync::Mutex;
use std::thread;

use optap_ring::{Fence, Fenced, Producer, RingSet, ring};

#[derive(Clone, Copy, Debug, PartialEq)]
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

fn fence(ring: u32, position: u64) -> Item {
    Item::Fence(Fence { ring, position })
}

fn set_of<const N: usize>(capacity: usize) -> (RingSet<Item>, [Producer<Item>; N]) {
    let mut set = RingSet::new();
    let producers = std::array::from_fn(|_| {
        let (producer, consumer) = ring(capacity, 0);
        set.add(consumer);
        producer
    });
    (set, producers)
}

fn drain(set: &mut RingSet<Item>, max_per_pass: usize) -> Vec<u64> {
    let mut ops = Vec::new();
    let handed = set.drain(max_per_pass, &mut |items: &[Item]| {
        ops.extend(items.iter().map(|item| match item {
            Item::Op(number) => *number,
            Item::Fence(fence) => panic!("{fence:?} was handed out"),
        }));
    });
    assert_eq!(handed, ops.len());
    ops
}

#[test]
fn everything_published_before_is_handed_out() {
    let (mut set, mut producers) = set_of::<3>(64);
    for number in 0..90 {
        producers[number as usize % 3]
            .push(Item::Op(number))
            .unwrap();
    }
    assert_eq!(set.occupied(), 90);
    let mut ops = drain(&mut set, 7);
    ops.sort_unstable();
    assert_eq!(ops, (0..90).collect::<Vec<_>>());
    assert!(set.is_empty());
    assert_eq!(drain(&mut set, 7), []);
}

#[test]
fn rings_take_turns() {
    let (mut set, [mut first, mut second]) = set_of(64);
    (0..4).for_each(|number| first.push(Item::Op(number)).unwrap());
    (10..12).for_each(|number| second.push(Item::Op(number)).unwrap());
    assert_eq!(drain(&mut set, 2), [0, 1, 10, 11, 2, 3]);
}

#[test]
fn a_pass_of_no_records_still_ends() {
    let (mut set, [mut producer]) = set_of(8);
    producer.push(Item::Op(1)).unwrap();
    assert_eq!(drain(&mut set, 0), [1]);
}

#[test]
fn what_a_fence_names_comes_first() {
    let (mut set, [mut first, mut second]) = set_of(64);
    (5..15).for_each(|number| second.push(Item::Op(number)).unwrap());
    first.push(Item::Op(0)).unwrap();
    first.push_after(fence(1, 10), Item::Op(20)).unwrap();
    assert_eq!(set.occupied(), 12);
    assert_eq!(
        drain(&mut set, 3),
        [vec![0], (5..15).collect(), vec![20]].concat()
    );
}

#[test]
fn fences_are_followed_through_other_fences() {
    let (mut set, [mut first, mut second, mut third]) = set_of(8);
    third.push(Item::Op(1)).unwrap();
    second.push_after(fence(2, 1), Item::Op(2)).unwrap();
    third.push_after(fence(1, 2), Item::Op(3)).unwrap();
    first.push_after(fence(2, 3), Item::Op(4)).unwrap();
    assert_eq!(drain(&mut set, usize::MAX), [1, 2, 3, 4]);
}

#[test]
fn a_fence_at_the_end_of_a_ring_is_passed() {
    let (mut set, [mut first, second]) = set_of(8);
    first.push_reserved(fence(1, second.position())).unwrap();
    assert_eq!(set.occupied(), 0);
    assert!(!set.is_empty());
    assert_eq!(drain(&mut set, 8), []);
    assert!(set.is_empty());
}

#[test]
fn a_vanished_ring_counts_as_drained_and_its_id_is_not_given_again() {
    let (mut set, [mut first, second, third]) = set_of(8);
    drop(second);
    assert_eq!(drain(&mut set, 8), []);
    assert_eq!(set.rings(), 2);
    first.push_after(fence(1, 7), Item::Op(1)).unwrap();
    assert_eq!(drain(&mut set, 8), [1]);
    assert_eq!(set.add(ring(8, 0).1), 3);
    drop(third);
}

#[test]
fn an_abandoned_ring_is_drained_before_it_leaves() {
    let (mut set, [mut producer]) = set_of(2);
    assert_eq!(
        (0..5)
            .filter(|&number| producer.push(Item::Op(number)).is_err())
            .count(),
        3
    );
    drop(producer);
    assert_eq!(drain(&mut set, 8), [0, 1]);
    assert_eq!((set.rings(), set.refused()), (0, 3));
}

#[test]
fn fences_that_no_stream_could_write_do_not_hold_the_drain() {
    let (mut set, [mut first, mut second]) = set_of(8);
    first.push_after(fence(1, 2), Item::Op(1)).unwrap();
    second.push_after(fence(0, 2), Item::Op(2)).unwrap();
    second.push_after(fence(1, 90), Item::Op(3)).unwrap();
    second.push_after(fence(77, 1), Item::Op(4)).unwrap();
    let mut ops = drain(&mut set, 8);
    ops.sort_unstable();
    assert_eq!(ops, [1, 2, 3, 4]);
}

/// A stream as it goes from worker to worker.
#[derive(Default)]
struct Stream {
    next: u64,
    last: Option<Fence>,
}

/// Runs a few records of the stream on this worker, as often as it gets hold of the stream.
fn work(ring: u32, mut producer: Producer<Item>, stream: &Mutex<Stream>, total: u64) {
    loop {
        let mut stream = stream.lock().unwrap();
        for _ in 0..5 {
            if stream.next == total {
                return;
            }
            let op = Item::Op(stream.next);
            let pushed = match stream.last {
                Some(last) if last.ring != ring => producer.push_after(Item::Fence(last), op),
                _ => producer.push(op),
            };
            if pushed.is_ok() {
                stream.next += 1;
                stream.last = Some(Fence {
                    ring,
                    position: producer.position(),
                });
            }
        }
        drop(stream);
        thread::yield_now();
    }
}

#[test]
fn a_stream_that_changes_workers_keeps_its_order() {
    const TOTAL: u64 = 50_000;
    let (mut set, producers) = set_of::<3>(256);
    let stream = Mutex::new(Stream::default());
    thread::scope(|scope| {
        for (ring, producer) in (0..).zip(producers) {
            let stream = &stream;
            scope.spawn(move || work(ring, producer, stream, TOTAL));
        }
        let mut next = 0;
        while set.rings() > 0 {
            for number in drain(&mut set, 16) {
                assert_eq!(number, next);
                next += 1;
            }
        }
        assert_eq!(next, TOTAL);
    });
}
