//! A stream of good, damaged and random records, cut anywhere.
#![no_main]

use libfuzzer_sys::fuzz_target;
use optap_record::{Counters, Decoder, Layout, WireRecord, sign};

/// What a byte of the script does to the stream.
struct Step {
    signs: bool,
    bytes: usize,
}

impl From<u8> for Step {
    fn from(byte: u8) -> Self {
        Self {
            signs: byte & 0x80 != 0,
            bytes: usize::from(byte & 0x7f) + 1,
        }
    }
}

fuzz_target!(|input: (bool, Vec<u8>, Vec<u8>, Vec<u8>)| {
    let (short, script, mut stream, cuts) = input;
    let layout = if short {
        Layout::Cann72
    } else {
        Layout::Cann80
    };
    sign_some(&mut stream, &script, layout);
    let whole = read(layout, [&stream[..]]);
    assert_eq!(read(layout, pieces(&stream, &cuts)), whole);
    check(layout, &stream, &whole);
});

fn sign_some(stream: &mut [u8], script: &[u8], layout: Layout) {
    let mut at = 0;
    for step in script.iter().copied().map(Step::from) {
        let Some(rest) = stream.get_mut(at..) else {
            return;
        };
        let signed = step.signs && sign(rest, layout).is_ok();
        at += if signed {
            layout.size_bytes()
        } else {
            step.bytes
        };
    }
}

fn pieces<'a>(stream: &'a [u8], cuts: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = stream;
    let sizes = cuts
        .iter()
        .map(|cut| usize::from(*cut))
        .chain(std::iter::once(usize::MAX));
    sizes.map(move |size| {
        let (piece, behind) = rest.split_at(size.min(rest.len()));
        rest = behind;
        piece
    })
}

fn read<'a>(
    layout: Layout,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<WireRecord>, Counters) {
    let (mut decoder, mut records) = (Decoder::new(layout), Vec::new());
    for piece in pieces {
        decoder.push(piece, |record| records.push(record));
    }
    decoder.finish(|record| records.push(record));
    (records, decoder.counters())
}

fn check(layout: Layout, stream: &[u8], (records, counters): &(Vec<WireRecord>, Counters)) {
    let size = layout.size_bytes();
    assert_eq!(counters.decoded, records.len() as u64);
    assert_eq!(
        counters.decoded * size as u64 + counters.skipped_bytes,
        stream.len() as u64
    );
    let mut from = 0;
    for record in records {
        let mut bytes = Vec::new();
        record.encode(layout, &mut bytes);
        let found = stream[from..]
            .windows(size)
            .position(|window| window == bytes);
        from += found.expect("a record's bytes stand in the stream") + size;
    }
}
