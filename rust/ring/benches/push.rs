//! What one push of a 64-byte item costs its thread, in nanoseconds; no clock is read between pushes.
//!
//! `cargo bench -p optap-ring`. Every contender fills its queue a quarter full and is then emptied off the clock; the
//! contenders take turns in each round, and the medians and their ratios to the first are over the rounds.

use std::hint::black_box;
use std::sync::mpsc::sync_channel;
use std::time::Instant;

use crossbeam_queue::ArrayQueue;
use optap_ring::{Parker, ring};

const CAPACITY: usize = 4_096;
const BURST: u64 = 1_024;
const BURSTS: usize = 200;
const ROUNDS: usize = 31;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Item([u64; 8]);

fn item(number: u64) -> Item {
    Item([black_box(number); 8])
}

/// The median nanoseconds a push, over many bursts; `empty` runs between them.
fn measure<Q>(queue: &mut Q, push: impl Fn(&mut Q, Item), empty: impl Fn(&mut Q)) -> f64 {
    let burst_ns = |_| {
        let start = Instant::now();
        for number in 0..BURST {
            push(queue, item(number));
        }
        let spent_ns = start.elapsed().as_nanos();
        empty(queue);
        spent_ns as f64
    };
    median((0..BURSTS).map(burst_ns).collect()) / BURST as f64
}

fn this_ring(after_push: impl Fn()) -> f64 {
    measure(
        &mut ring(CAPACITY, 16),
        |(producer, _), item| {
            assert!(producer.push(item).is_ok());
            after_push();
        },
        |(_, consumer)| {
            let available = consumer.available();
            black_box(consumer.chunk(available));
            consumer.release(available);
        },
    )
}

fn with_rtrb() -> f64 {
    measure(
        &mut rtrb::RingBuffer::new(CAPACITY),
        |(producer, _), item| assert!(producer.push(item).is_ok()),
        |(_, consumer)| while consumer.pop().map(black_box).is_ok() {},
    )
}

fn with_array_queue() -> f64 {
    measure(
        &mut ArrayQueue::new(CAPACITY),
        |queue, item| assert!(queue.push(item).is_ok()),
        |queue| while queue.pop().map(black_box).is_some() {},
    )
}

fn with_sync_channel() -> f64 {
    measure(
        &mut sync_channel(CAPACITY),
        |(sender, _), item| assert!(sender.try_send(item).is_ok()),
        |(_, receiver)| while receiver.try_recv().map(black_box).is_ok() {},
    )
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let parker = Parker::new();
    let contenders: [(&str, &dyn Fn() -> f64); 5] = [
        ("push", &|| this_ring(|| ())),
        ("push and wake check", &|| this_ring(|| parker.wake())),
        ("rtrb", &with_rtrb),
        ("crossbeam ArrayQueue", &with_array_queue),
        ("std sync_channel", &with_sync_channel),
    ];
    let rounds: Vec<Vec<f64>> = (0..ROUNDS)
        .map(|_| contenders.iter().map(|(_, run)| run()).collect())
        .collect();
    println!("{:<22} {:>8} {:>7}", "", "ns/push", "ratio");
    for (index, (name, _)) in contenders.iter().enumerate() {
        let ns = median(rounds.iter().map(|round| round[index]).collect());
        let ratio = median(rounds.iter().map(|round| round[index] / round[0]).collect());
        println!("{name:<22} {ns:>8.2} {ratio:>7.2}");
    }
}
