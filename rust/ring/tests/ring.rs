//! The laws of one ring.

use std::collections::VecDeque;
use std::thread;

use optap_ring::{Consumer, Full, ring};
use proptest::prelude::*;

fn take_all(consumer: &mut Consumer<u64>, max: usize) -> Vec<u64> {
    let (run, rest) = consumer.chunk(max);
    let items = [run, rest].concat();
    consumer.release(items.len());
    items
}

#[test]
fn capacity_is_a_power_of_two_with_room_beyond_the_reserve() {
    for (capacity, reserve, expected) in [(0, 0, 2), (1, 0, 2), (5, 0, 8), (8, 7, 16), (64, 8, 64)]
    {
        assert_eq!(ring::<u8>(capacity, reserve).0.capacity(), expected);
    }
}

#[test]
fn the_reserve_is_for_reserved_pushes() {
    let (mut producer, mut consumer) = ring(8, 2);
    assert!((0..6).all(|item| producer.push(item).is_ok()));
    assert_eq!(producer.push(6), Err(Full(6)));
    assert_eq!(producer.push_reserved(7), Ok(()));
    assert_eq!(producer.push_reserved(8), Ok(()));
    assert_eq!(producer.push_reserved(9), Err(Full(9)));
    assert_eq!(consumer.refused(), 2);
    assert_eq!(consumer.available(), 8);
    assert_eq!(take_all(&mut consumer, 8), [0, 1, 2, 3, 4, 5, 7, 8]);
}

#[test]
fn a_fence_and_its_record_enter_together_or_not_at_all() {
    let (mut producer, mut consumer) = ring(4, 0);
    (0..3).for_each(|item| producer.push(item).unwrap());
    assert_eq!(producer.push_after(3, 4), Err(Full(4)));
    assert_eq!((producer.position(), consumer.refused()), (3, 1));
    consumer.available();
    consumer.release(1);
    assert_eq!(producer.push_after(3, 4), Ok(()));
    consumer.available();
    assert_eq!(take_all(&mut consumer, 9), [1, 2, 3, 4]);
}

#[test]
fn no_more_is_released_than_was_seen() {
    let (mut producer, mut consumer) = ring(8, 0);
    producer.push(1).unwrap();
    consumer.release(5);
    assert_eq!(consumer.position(), 0);
    consumer.available();
    consumer.release(5);
    assert_eq!(consumer.position(), 1);
}

#[test]
fn half_full_is_half_the_slots() {
    let (mut producer, mut consumer) = ring(8, 0);
    (0..3).for_each(|item| producer.push(item).unwrap());
    assert!(!producer.is_half_full());
    producer.push(3).unwrap();
    assert!(producer.is_half_full());
    consumer.available();
    consumer.release(1);
    assert!(!producer.is_half_full());
    assert_eq!(producer.occupied(), 3);
}

#[test]
fn each_side_learns_that_the_other_is_gone() {
    let (mut producer, mut consumer) = ring(8, 0);
    producer.push(1).unwrap();
    assert!(!consumer.is_abandoned());
    drop(producer);
    assert!(consumer.is_abandoned());
    assert_eq!(consumer.available(), 1);

    let (producer, consumer) = ring::<u64>(8, 0);
    assert!(!producer.is_abandoned());
    drop(consumer);
    assert!(producer.is_abandoned());
}

#[test]
fn order_is_kept_and_every_item_counted_across_threads() {
    const OFFERED: u64 = 3_000_000;
    let (mut producer, mut consumer) = ring(1_024, 16);
    let pusher = thread::spawn(move || {
        (0..OFFERED)
            .filter(|&item| producer.push(item).is_err())
            .count()
    });
    let (mut last, mut released) = (None, 0);
    loop {
        let is_last_look = consumer.is_abandoned();
        if consumer.available() == 0 && is_last_look {
            break;
        }
        for item in take_all(&mut consumer, 300) {
            assert!(last < Some(item), "{item} came after {last:?}");
            last = Some(item);
            released += 1;
        }
    }
    let refused = pusher.join().unwrap() as u64;
    assert_eq!(consumer.refused(), refused);
    assert_eq!(consumer.position(), released);
    assert_eq!(released + refused, OFFERED);
}

#[derive(Clone, Debug)]
enum Action {
    Push,
    PushReserved,
    PushAfter,
    Take(usize),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => Just(Action::Push),
        1 => Just(Action::PushReserved),
        1 => Just(Action::PushAfter),
        2 => (0usize..12).prop_map(Action::Take),
    ]
}

/// Pushes as many numbered items as fit under `limit`, into the ring's model.
fn model_push(model: &mut VecDeque<u64>, limit: usize, items: &[u64]) -> bool {
    let fits = model.len() + items.len() <= limit;
    if fits {
        model.extend(items);
    }
    fits
}

proptest! {
    #[test]
    fn a_ring_is_a_bounded_queue(
        capacity in 1usize..20,
        reserve in 0usize..5,
        actions in prop::collection::vec(action(), 0..300),
    ) {
        let (mut producer, mut consumer) = ring(capacity, reserve);
        let capacity = producer.capacity();
        let mut model = VecDeque::new();
        let (mut offered, mut refused, mut released) = (0, 0, 0);
        for (number, action) in actions.into_iter().enumerate() {
            let item = 2 * number as u64;
            let (pushed, fits) = match action {
                Action::Push => (producer.push(item).is_ok(), model_push(&mut model, capacity - reserve, &[item])),
                Action::PushReserved => (producer.push_reserved(item).is_ok(), model_push(&mut model, capacity, &[item])),
                Action::PushAfter => (
                    producer.push_after(item, item + 1).is_ok(),
                    model_push(&mut model, capacity - reserve, &[item, item + 1]),
                ),
                Action::Take(max) => {
                    consumer.available();
                    let expected: Vec<u64> = model.drain(..max.min(model.len())).collect();
                    released += expected.len() as u64;
                    prop_assert_eq!(take_all(&mut consumer, max), expected);
                    continue;
                }
            };
            prop_assert_eq!(pushed, fits);
            refused += u64::from(!pushed);
            offered += if pushed && matches!(action, Action::PushAfter) { 2 } else { 1 };
            prop_assert_eq!(producer.occupied(), model.len());
        }
        prop_assert_eq!(consumer.refused(), refused);
        prop_assert_eq!(consumer.position(), released);
        prop_assert_eq!(released + consumer.available() as u64 + refused, offered);
    }
}
