//! Laws of the stream decoder.

use crate::encoded;
use optap_record::{Counters, Decoder, Layout, WireRecord};
use proptest::prelude::*;

const SIZE: usize = Layout::Cann80.size_bytes();

fn records(first: u64, count: u64) -> Vec<WireRecord> {
    let record = |index| WireRecord {
        op_index: index,
        start_ns: index * 1_000,
        end_ns: index * 1_000 + 7,
        ..WireRecord::default()
    };
    (first..first + count).map(record).collect()
}

fn stream(records: &[WireRecord]) -> Vec<u8> {
    records
        .iter()
        .flat_map(|record| encoded(record, Layout::Cann80))
        .collect()
}

fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<WireRecord>, Counters) {
    let (mut decoder, mut records) = (Decoder::new(Layout::Cann80), Vec::new());
    for piece in pieces {
        decoder.push(piece, |record| records.push(record));
    }
    decoder.finish(|record| records.push(record));
    (records, decoder.counters())
}

fn decoded(count: u64) -> Counters {
    Counters {
        decoded: count,
        ..Counters::default()
    }
}

#[test]
fn a_stream_cut_at_any_byte_gives_every_record() {
    let sent = records(1, 10);
    let bytes = stream(&sent);
    for cut in 0..=bytes.len() {
        assert_eq!(
            read([&bytes[..cut], &bytes[cut..]]),
            (sent.clone(), decoded(10))
        );
    }
}

#[test]
fn the_short_layout_streams_as_well() {
    let sent = records(1, 10);
    let bytes = sent
        .iter()
        .flat_map(|record| encoded(record, Layout::Cann72))
        .collect::<Vec<_>>();
    let (mut decoder, mut given) = (Decoder::new(Layout::Cann72), Vec::new());
    for piece in bytes[..9 * 72 + 71].chunks(100) {
        decoder.push(piece, |record| given.push(record));
    }
    decoder.finish(|record| given.push(record));
    assert_eq!(given, sent[..9]);
    assert_eq!(
        decoder.counters(),
        Counters {
            truncated: 1,
            skipped_bytes: 71,
            ..decoded(9)
        }
    );
}

#[test]
fn single_bytes_give_every_record() {
    let sent = records(1, 10);
    assert_eq!(read(stream(&sent).chunks(1)), (sent, decoded(10)));
}

#[test]
fn a_whole_record_is_given_at_once() {
    let (mut decoder, mut given) = (Decoder::new(Layout::Cann80), 0);
    decoder.push(&stream(&records(1, 3)), |_| given += 1);
    assert_eq!(given, 3);
}

#[test]
fn a_flipped_bit_loses_its_record_and_no_other() {
    for bit in 0..SIZE * 8 {
        let mut bytes = stream(&records(1, 10));
        bytes[4 * SIZE + bit / 8] ^= 1 << (bit % 8);
        let expected = [records(1, 4), records(6, 5)].concat();
        let counters = Counters {
            bad_signature: 1,
            skipped_bytes: 80,
            ..decoded(9)
        };
        assert_eq!(read([&bytes[..]]), (expected, counters));
    }
}

#[test]
fn a_short_tail_is_truncated() {
    for tail in 1..SIZE {
        let bytes = stream(&records(1, 11));
        let (given, counters) = read([&bytes[..10 * SIZE + tail]]);
        assert_eq!(given, records(1, 10));
        assert_eq!(
            counters,
            Counters {
                truncated: 1,
                skipped_bytes: tail as u64,
                ..decoded(10)
            }
        );
    }
}

#[test]
fn a_bad_last_record_is_no_truncated_one() {
    let mut bytes = stream(&records(1, 2));
    bytes[SIZE + 9] ^= 1;
    let counters = Counters {
        bad_signature: 1,
        skipped_bytes: 80,
        ..decoded(1)
    };
    assert_eq!(read([&bytes[..]]), (records(1, 1), counters));
}

#[test]
fn records_behind_64_kib_of_zeros_are_read_and_each_slot_counted() {
    let bytes = [
        stream(&records(1, 10)),
        vec![0; 65_536],
        stream(&records(11, 10)),
    ]
    .concat();
    let counters = Counters {
        bad_signature: 65_536 / 80,
        skipped_bytes: 65_536,
        ..decoded(20)
    };
    for piece in [1, 79, 800, 4_096, bytes.len()] {
        assert_eq!(read(bytes.chunks(piece)), (records(1, 20), counters));
    }
}

#[test]
fn damage_is_counted_while_it_lasts() {
    let mut decoder = Decoder::new(Layout::Cann80);
    decoder.push(&[0; 65_536], |_| ());
    let counters = decoder.counters();
    assert!(counters.bad_signature >= 818 && counters.skipped_bytes > 65_536 - 160);
}

#[test]
fn a_torn_record_loses_no_other() {
    for kept in 1..SIZE {
        let mut bytes = stream(&records(1, 10));
        bytes.drain(4 * SIZE + kept..5 * SIZE);
        let expected = [records(1, 4), records(6, 5)].concat();
        let counters = Counters {
            bad_signature: 1,
            skipped_bytes: kept as u64,
            ..decoded(9)
        };
        assert_eq!(read([&bytes[..]]), (expected, counters));
    }
}

#[test]
fn a_decoder_goes_on_with_a_new_stream() {
    let bytes = stream(&records(1, 2));
    let (mut decoder, mut given) = (Decoder::new(Layout::Cann80), Vec::new());
    for piece in [&bytes[..100], &bytes[..160]] {
        decoder.push(piece, |record| given.push(record));
        decoder.finish(|record| given.push(record));
    }
    assert_eq!(given, [records(1, 1), records(1, 2)].concat());
    assert_eq!(
        decoder.counters(),
        Counters {
            truncated: 1,
            skipped_bytes: 20,
            ..decoded(3)
        }
    );
}

/// A stretch of a stream: good records, noise, or a record cut short.
fn any_stretch() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        (1..1_000_u64, 1..5_u64).prop_map(|(first, count)| stream(&records(first, count))),
        proptest::collection::vec(any::<u8>(), 0..200),
        (0..300_usize).prop_map(|count| vec![0; count]),
        (1..1_000_u64, 0..SIZE)
            .prop_map(|(first, kept)| stream(&records(first, 1))[..kept].to_vec()),
    ]
}

proptest! {
    #[test]
    fn where_a_damaged_stream_is_cut_does_not_matter(
        stretches in proptest::collection::vec(any_stretch(), 0..12),
        sizes in proptest::collection::vec(1..200_usize, 1..8),
    ) {
        let bytes = stretches.concat();
        let (mut pieces, mut rest, mut sizes) = (Vec::new(), &bytes[..], sizes.iter().cycle());
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
            pieces.push(piece);
            rest = behind;
        }
        prop_assert_eq!(read(pieces), read([&bytes[..]]));
    }

    #[test]
    fn every_byte_is_decoded_or_skipped(stretches in proptest::collection::vec(any_stretch(), 0..12)) {
        let bytes = stretches.concat();
        let (given, counters) = read([&bytes[..]]);
        prop_assert_eq!(counters.decoded, given.len() as u64);
        prop_assert_eq!(counters.decoded * SIZE as u64 + counters.skipped_bytes, bytes.len() as u64);
    }
}
