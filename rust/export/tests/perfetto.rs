//! The laws of Perfetto traces: every name, every time and every loss is told, and tracks nest.

#[path = "support/protobuf.rs"]
mod protobuf;
#[path = "support/scenario.rs"]
mod scenario;
mod support;

use std::collections::HashMap;
use std::io;

use optap_export::PerfettoWriter;
use optap_record::{Flags, Kind, OpInfo, OpRecord};
use proptest::prelude::*;
use protobuf::{Message, Value};
use support::{op, timed};

/// An event, its numbers replaced by what they stand for.
#[derive(Debug, Default, PartialEq)]
struct Event {
    at_ns: u64,
    type_: u64,
    track: String,
    name: String,
    category: String,
    annotations: HashMap<String, Value>,
}

/// The trace read back, as the format says.
fn events(trace: &[u8]) -> Vec<Event> {
    let mut interned: HashMap<(u32, u64), String> = HashMap::new();
    let mut tracks: HashMap<u64, (u64, String)> = HashMap::new();
    let mut events = Vec::new();
    for packet in Message::parse(trace).messages(1) {
        for names in packet.messages(12) {
            for space in [1, 2, 3, 29] {
                for entry in names.messages(space) {
                    interned.insert((space, entry.uint(1).unwrap()), entry.text(2).unwrap());
                }
            }
        }
        for track in packet.messages(60) {
            let parent = track.uint(5).unwrap_or(0);
            assert!(parent == 0 || tracks.contains_key(&parent));
            let name = track.text(2).unwrap();
            assert!(track.uint(1).unwrap() != 0);
            tracks.insert(track.uint(1).unwrap(), (parent, name));
        }
        for event in packet.messages(11) {
            let (parent, track) = tracks[&event.uint(11).unwrap()].clone();
            let parent = tracks.get(&parent).map_or("", |(_, name)| name);
            let word = |space, iid: Option<u64>| iid.map(|iid| interned[&(space, iid)].clone());
            let annotation = |annotation: Message| {
                let value = match annotation.uint(17) {
                    Some(iid) => Value::Bytes(interned[&(29, iid)].clone().into_bytes()),
                    None => annotation.value(3).or(annotation.value(6)).unwrap(),
                };
                (interned[&(3, annotation.uint(1).unwrap())].clone(), value)
            };
            let name = word(2, event.uint(10)).or(event.text(23));
            events.push(Event {
                at_ns: packet.uint(8).unwrap(),
                type_: event.uint(9).unwrap(),
                track: format!("{parent}/{track}"),
                name: name.unwrap_or_default(),
                category: word(1, event.uint(3)).unwrap_or_default(),
                annotations: event.messages(4).into_iter().map(annotation).collect(),
            });
        }
    }
    events
}

fn trace(records: &[OpRecord], ops: &[OpInfo]) -> (Vec<u8>, u64) {
    let mut writer = PerfettoWriter::new(Vec::new());
    let names = |op_id: u32| ops.get((op_id as usize).checked_sub(1)?);
    writer.write(records, names).unwrap();
    let skipped = writer.skipped();
    (writer.finish().unwrap(), skipped)
}

fn named(events: &[Event]) -> Vec<&str> {
    let begun = events.iter().filter(|event| event.type_ != 2);
    begun.map(|event| event.name.as_str()).collect()
}

#[test]
fn streams_ranges_steps_and_marks_have_their_tracks() {
    let records: Vec<OpRecord> = scenario::runs(1).flatten().collect();
    let events = events(&trace(&records, &scenario::ops()).0);
    let shown: Vec<(u64, u64, &str, &str)> = events
        .iter()
        .map(|event| {
            let at_ns = event.at_ns - scenario::settings().anchor.monotonic_ns - 100_000;
            (
                at_ns,
                event.type_,
                event.track.as_str(),
                event.name.as_str(),
            )
        })
        .collect();
    let expected = [
        (0, 1, "thread 4243/device 0, stream 2", "run 1"),
        (0, 1, "device 0/stream 2", "conv1"),
        (40_000, 2, "device 0/stream 2", ""),
        (40_000, 1, "device 0/stream 2", "relu1"),
        (52_500, 2, "device 0/stream 2", ""),
        (60_000, 1, "device 0/stream 2", "fc"),
        (80_001, 2, "device 0/stream 2", ""),
        (0, 1, "ranges/ranges", "prefill"),
        (85_000, 2, "ranges/ranges", ""),
        (0, 1, "steps/steps", "step 0"),
        (90_000, 2, "steps/steps", ""),
        (95_000, 3, "/marks", "request done"),
        (80_001, 2, "thread 4243/device 0, stream 2", ""),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn arrows_lead_from_ranges_and_runs_to_the_first_operator() {
    let mut records: Vec<OpRecord> = scenario::runs(2).flatten().collect();
    for record in &mut records {
        record.range_id = if record.kind == Kind::OP || record.kind == Kind::RANGE {
            record.run_id as u32
        } else {
            0
        };
    }
    let trace = trace(&records, &scenario::ops()).0;
    let packets = Message::parse(&trace).messages(1);
    let flows: Vec<Vec<u64>> = packets
        .iter()
        .flat_map(|packet| packet.messages(11))
        .filter(|event| event.uint(9) == Some(1))
        .map(|event| event.fixed(47))
        .collect();
    let range = |id: u64| 1 << 63 | id;
    let run = |id: u64| {
        [
            vec![id, range(id)],
            vec![id],
            vec![],
            vec![],
            vec![range(id)],
            vec![],
        ]
    };
    assert_eq!(flows, [run(1), run(2)].concat());
    let ended = events(&trace);
    let runs: Vec<u64> = ended
        .iter()
        .filter(|event| event.type_ == 2 && event.track.starts_with("thread "))
        .map(|event| event.at_ns - scenario::START_NS)
        .collect();
    assert_eq!(runs, [180_001, 280_001]);
}

#[test]
fn counters_gaps_and_given_names_are_told() {
    let mut writer = PerfettoWriter::new(Vec::new());
    writer.name_process(1, "NPU").unwrap();
    writer.name_track(1, 3, "decode").unwrap();
    writer.gap(70, 1, 3, 2).unwrap();
    writer.counter("depth", 80, 1.5).unwrap();
    let trace = writer.finish().unwrap();
    let events = events(&trace);
    assert_eq!(
        (events[0].track.as_str(), events[0].name.as_str()),
        ("NPU/decode", "lost 2 ops")
    );
    assert_eq!(
        (events[1].track.as_str(), events[1].type_, events[1].at_ns),
        ("/depth", 4, 80)
    );
    let packets = Message::parse(&trace).messages(1);
    let value = packets.last().unwrap().messages(11)[0].value(44);
    assert_eq!(value, Some(Value::Fixed(1.5_f64.to_bits())));
}

#[test]
fn p8_no_name_breaks_the_file() {
    let mut names = [0, 64, 255, 276, 10_000, 300_000]
        .map(|bytes| vec![b'x'; bytes])
        .to_vec();
    names.extend([b"\"", b"\n", b"\0"].map(|bytes| bytes.to_vec()));
    names.extend([b"bad\xffbyte".to_vec(), "算子🚀".into()]);
    let ops: Vec<OpInfo> = names.iter().map(|name| op(name, name)).collect();
    let records: Vec<OpRecord> = (1..).zip(&ops).map(|(id, _)| timed(id, 5, 6)).collect();
    let events = events(&trace(&records, &ops).0);
    let texts: Vec<_> = names
        .iter()
        .map(|name| String::from_utf8_lossy(name))
        .collect();
    assert_eq!(named(&events), texts);
    let categories = events.iter().filter(|event| event.type_ == 1);
    assert!(categories.map(|event| &event.category).eq(&texts));
}

#[test]
fn p9_impossible_times_are_instants_with_a_reason() {
    let times = [(0, 0), (5, 0), (10, 4), (7, 7), (u64::MAX, 0)];
    let (trace, skipped) = trace(&times.map(|(start, end)| timed(1, start, end)), &[]);
    assert_eq!(skipped, 1);
    let told: Vec<_> = events(&trace)
        .into_iter()
        .map(|event| {
            (
                event.at_ns,
                event.type_,
                event.annotations.get("reason").cloned(),
            )
        })
        .collect();
    let reason = |text: &str| Some(Value::Bytes(text.into()));
    let expected = [
        (5, 3, reason("time_zero")),
        (10, 3, reason("time_reversed")),
        (7, 1, None),
        (7, 2, None),
        (u64::MAX, 3, reason("time_zero")),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_reused_id_takes_its_new_name() {
    let (old, new) = (op(b"old", b"Conv"), op(b"new", b"Conv"));
    let mut writer = PerfettoWriter::new(Vec::new());
    for info in [Some(&old), Some(&new), None] {
        writer.write(&[timed(1, 5, 6)], |_| info).unwrap();
    }
    let events = events(&writer.finish().unwrap());
    assert_eq!(named(&events), ["old", "new", "op 1"]);
}

#[test]
fn ranges_that_cross_have_tracks_of_their_own() {
    let range = |start_ns, end_ns| OpRecord {
        kind: Kind::RANGE,
        ..timed(1, start_ns, end_ns)
    };
    let trace = trace(&[range(1, 5), range(3, 8), range(6, 9)], &[]).0;
    let packets = Message::parse(&trace).messages(1);
    let begun = packets.iter().flat_map(|packet| packet.messages(11));
    let tracks: Vec<_> = begun
        .filter(|event| event.uint(9) == Some(1))
        .map(|event| event.uint(11))
        .collect();
    assert_ne!(tracks[0], tracks[1]);
    assert_eq!(tracks[0], tracks[2]);
}

#[test]
fn an_output_that_fails_is_told() {
    let mut room = [0; 10];
    let mut writer = PerfettoWriter::new(room.as_mut_slice());
    writer.write(&[timed(1, 5, 6)], |_| None).unwrap();
    assert_eq!(writer.flush().unwrap_err().kind(), io::ErrorKind::WriteZero);
}

prop_compose! {
    fn any_record()(
        times in any::<[u64; 2]>(), long in any::<[u64; 2]>(), short in any::<[u32; 6]>(), op_id in 0..6_u32,
    ) -> OpRecord {
        OpRecord {
            start_ns: times[0], end_ns: times[1], run_id: long[0], sequence: long[1], op_id,
            model_id: short[0], stream_id: short[1], thread_id: short[2], range_id: short[3],
            flags: Flags::from_bits(short[4] & !Flags::TICKS.bits()), device_id: short[5],
            ..OpRecord::default()
        }
    }
}

proptest! {
    #[test]
    fn what_was_written_reads_back(
        records in prop::collection::vec(any_record(), 0..40),
        names in prop::collection::vec((any::<Vec<u8>>(), any::<Vec<u8>>()), 5),
    ) {
        let ops: Vec<OpInfo> = names.iter().map(|(name, type_)| op(name, type_)).collect();
        let (trace, skipped) = trace(&records, &ops);
        let mut all = events(&trace);
        all.retain(|event| !event.track.starts_with("thread "));
        let begun: Vec<&Event> = all.iter().filter(|event| event.type_ != 2).collect();
        prop_assert_eq!(begun.len() + skipped as usize, records.len());
        for (event, record) in begun.into_iter().zip(&records) {
            if let Some(info) = (record.op_id as usize).checked_sub(1).and_then(|at| ops.get(at)) {
                prop_assert_eq!(&event.name, &info.name.to_string());
                prop_assert_eq!(&event.category, &info.type_.to_string());
            }
            let number = |name: &str| match event.annotations.get(name) {
                Some(&Value::Uint(value)) => value,
                _ => 0,
            };
            prop_assert_eq!(number("run_id"), record.run_id);
            prop_assert_eq!(number("sequence"), record.sequence);
            prop_assert_eq!(number("model_id"), u64::from(record.model_id));
            prop_assert_eq!(number("thread_id"), u64::from(record.thread_id));
            prop_assert_eq!(number("range_id"), u64::from(record.range_id));
            prop_assert_eq!(event.at_ns, record.start_ns);
            let place = format!("device {}/stream {}", record.device_id, record.stream_id);
            prop_assert_eq!(&event.track, &place);
        }
        let ends = all.iter().filter(|event| event.type_ == 2).map(|event| event.at_ns);
        let timed = records.iter().filter(|record| record.duration_ns().is_some());
        prop_assert!(ends.eq(timed.map(|record| record.end_ns)));
    }
}
