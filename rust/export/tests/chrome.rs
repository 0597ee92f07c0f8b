//! The laws of Chrome traces: every name, every time and every loss is told, and the file always parses.

mod support;

use std::io::{self, Write};

use optap_export::ChromeWriter;
use optap_record::{Flags, Kind, OpInfo, OpRecord};
use proptest::prelude::*;
use serde_json::Value;
use support::{op, timed};

/// The trace of the records, whose op ids index `ops` from 1, and how many were skipped.
fn trace(records: &[OpRecord], ops: &[OpInfo]) -> (Vec<u8>, u64) {
    let mut writer = ChromeWriter::new(Vec::new());
    let names = |op_id: u32| ops.get((op_id as usize).checked_sub(1)?);
    writer.write(records, names).unwrap();
    let skipped = writer.skipped();
    (writer.finish().unwrap(), skipped)
}

/// The events of a whole trace, and the names of its devices and streams.
fn told(json: &[u8]) -> (Vec<Value>, Vec<Value>) {
    let all: Vec<Value> = serde_json::from_slice(json).unwrap();
    all.into_iter().partition(|event| event["ph"] != "M")
}

/// The events of a whole trace.
fn events(json: &[u8]) -> Vec<Value> {
    told(json).0
}

/// The same as they are written.
fn lines(json: &[u8]) -> impl Iterator<Item = &str> {
    let lines = std::str::from_utf8(json).unwrap().lines().skip(1);
    lines.filter(|line| !line.contains(r#""ph":"M""#))
}

/// The nanoseconds of a time member, read from the file's own digits.
fn ns(event: &str, member: &str) -> u64 {
    let at = event.find(&format!("\"{member}\":")).unwrap() + member.len() + 3;
    let digits = event[at..].split([',', '}']).next().unwrap();
    digits.replace('.', "").parse().unwrap()
}

#[test]
fn a_small_trace_is_the_golden_file() {
    let ops = [op(b"conv1", b"Conv"), op(b"say \"hi\"", b"Relu")];
    let mut records = [
        timed(1, 1_000_000, 1_250_125),
        timed(2, 1_250_125, 1_250_125),
        timed(2, 9_000, 4_000),
        timed(3, 2_000_000, 2_000_001),
    ];
    for (sequence, record) in (0..).zip(&mut records) {
        (record.sequence, record.run_id) = (sequence, 11);
        (record.model_id, record.thread_id) = (2, 4_242);
        (record.device_id, record.stream_id) = (1, 3);
    }
    records[0].flags = Flags::FUSED | Flags::SCRIPTED;
    records[3].kind = Kind::MARK;
    let mut writer = ChromeWriter::new(Vec::new());
    writer.name_process(1, "device 1").unwrap();
    writer.name_track(1, 3, "stream 3").unwrap();
    let names = |op_id: u32| ops.get(op_id as usize - 1);
    writer.write(&records, names).unwrap();
    writer.gap(3_000_000, 1, 3, 5).unwrap();
    let json = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert_eq!(json, include_str!("golden/chrome.json"));
}

#[test]
fn p8_no_name_breaks_the_file() {
    let mut names: Vec<Vec<u8>> = [0, 64, 65, 66, 254, 255, 274, 275, 276, 10_000]
        .map(|bytes| vec![b'x'; bytes])
        .to_vec();
    for straddled in [65, 275] {
        let head = "x".repeat(straddled - 1);
        names.push(format!("{head}算子").into_bytes());
    }
    let twin = |last: &str| format!("{}{last}", "y".repeat(300)).into_bytes();
    names.extend([twin("1"), twin("2"), "🚀".into(), b"bad\xffbyte".to_vec()]);
    names.extend([b"\"", b"\\", b"\n", b"\x01", b"\0"].map(|bytes| bytes.to_vec()));

    let ops: Vec<OpInfo> = names.iter().map(|name| op(name, name)).collect();
    let records: Vec<OpRecord> = (1..).zip(&ops).map(|(id, _)| timed(id, 5, 6)).collect();
    let events = events(&trace(&records, &ops).0);
    assert_eq!(events.len(), names.len());
    for (event, name) in events.iter().zip(&names) {
        let text = String::from_utf8_lossy(name);
        assert_eq!(
            (&event["name"], &event["cat"]),
            (&text.as_ref().into(), &text.as_ref().into())
        );
        assert_eq!(event["args"]["type"], text.as_ref());
    }
}

#[test]
fn p9_no_slice_is_negative_or_giant() {
    let times = [
        (0, 0),
        (5, 0),
        (10, 4),
        (7, 7),
        (1 << 63, (1 << 63) + 5),
        (u64::MAX, 0),
    ];
    let (json, skipped) = trace(&times.map(|(start, end)| timed(1, start, end)), &[]);
    assert_eq!(skipped, 1);
    let told: Vec<_> = events(&json)
        .iter()
        .zip(lines(&json))
        .map(|(event, line)| {
            let duration_ns = event.get("dur").map(|_| ns(line, "dur"));
            let reason = event["args"]["reason"].as_str().map(str::to_owned);
            (ns(line, "ts"), duration_ns, reason)
        })
        .collect();
    let impossible = |at_ns, reason: &str| (at_ns, None, Some(reason.to_owned()));
    let expected = [
        impossible(5, "time_zero"),
        impossible(10, "time_reversed"),
        (7, Some(0), None),
        (1 << 63, Some(5), None),
        impossible(u64::MAX, "time_zero"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn p9_raw_times_of_an_instant_are_kept() {
    let (json, _) = trace(&[timed(1, 10, 4)], &[]);
    let args = &events(&json)[0]["args"];
    assert_eq!(
        (&args["start_ns"], &args["end_ns"]),
        (&10.into(), &4.into())
    );
    assert_eq!(args["flags"], "time_reversed");
}

#[test]
fn every_device_and_stream_is_named_once_and_by_you_first() {
    let at = |device_id, stream_id| OpRecord {
        device_id,
        stream_id,
        ..timed(1, 5, 6)
    };
    let mut writer = ChromeWriter::new(Vec::new());
    writer.name_process(1, "mine").unwrap();
    writer.name_track(1, 4, "copies").unwrap();
    for places in [[at(0, 3), at(1, 3)], [at(0, 3), at(1, 4)]] {
        writer.write(&places, |_| None).unwrap();
    }
    writer.gap(9, 2, 5, 1).unwrap();
    let (_, names) = told(&writer.finish().unwrap());
    let told: Vec<_> = names
        .iter()
        .map(|event| {
            let (device, stream) = (event["pid"].as_u64(), event["tid"].as_u64());
            (event["args"]["name"].as_str().unwrap(), device, stream)
        })
        .collect();
    let expected = [
        ("mine", Some(1), None),
        ("copies", Some(1), Some(4)),
        ("optap device 0", Some(0), None),
        ("stream 3", Some(0), Some(3)),
        ("stream 3", Some(1), Some(3)),
        ("optap device 2", Some(2), None),
        ("stream 5", Some(2), Some(5)),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_reused_id_takes_its_new_name() {
    let (old, new) = (op(b"old", b"Conv"), op(b"new", b"Conv"));
    let mut writer = ChromeWriter::new(Vec::new());
    for info in [Some(&old), Some(&new), None] {
        writer.write(&[timed(1, 5, 6)], |_| info).unwrap();
    }
    let events = events(&writer.finish().unwrap());
    let names: Vec<_> = events.iter().map(|event| &event["name"]).collect();
    assert_eq!(names, ["old", "new", "op 1"]);
}

#[test]
fn ids_that_share_a_slot_keep_their_own_names() {
    let (low, high) = (op(b"low", b"Conv"), op(b"high", b"Conv"));
    let ids = [1, 4_097, 1, 4_097 << 8, u32::MAX, 0];
    let mut writer = ChromeWriter::new(Vec::new());
    let names = |op_id| match op_id {
        1 => Some(&low),
        4_097 => Some(&high),
        _ => None,
    };
    writer.write(&ids.map(|id| timed(id, 5, 6)), names).unwrap();
    let events = events(&writer.finish().unwrap());
    let told: Vec<_> = events.iter().map(|event| &event["name"]).collect();
    let expected = ["low", "high", "low", "op 1048832", "op 4294967295", "op 0"];
    assert_eq!(told, expected);
}

#[test]
fn a_file_cut_after_any_block_opens_once_closed() {
    struct Blocks(Vec<Vec<u8>>);
    impl Write for Blocks {
        fn write(&mut self, block: &[u8]) -> io::Result<usize> {
            self.0.push(block.to_vec());
            Ok(block.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let records = vec![timed(1, 1_000, 2_000); 2_000];
    let mut writer = ChromeWriter::new(Blocks(Vec::new()));
    writer.write(&records, |_| None).unwrap();
    let blocks = writer.finish().unwrap().0;
    assert!(blocks.len() > 2);
    let mut file = Vec::new();
    for block in &blocks[..blocks.len() - 1] {
        file.extend_from_slice(block);
        let closed = [file.as_slice(), b"]"].concat();
        assert!(!events(&closed).is_empty());
    }
    file.extend_from_slice(&blocks[blocks.len() - 1]);
    assert_eq!(events(&file).len(), records.len());
}

#[test]
fn a_trace_without_events_parses() {
    assert!(events(&trace(&[], &[]).0).is_empty());
}

#[test]
fn an_output_that_fails_is_told() {
    let mut room = [0; 100];
    let mut writer = ChromeWriter::new(room.as_mut_slice());
    let written = writer.write(&[timed(1, 5, 6)], |_| None);
    assert!(written.is_ok(), "the block is not full");
    assert_eq!(writer.flush().unwrap_err().kind(), io::ErrorKind::WriteZero);
}

prop_compose! {
    fn any_record()(
        times in any::<[u64; 2]>(), long in any::<[u64; 2]>(), short in any::<[u32; 6]>(),
        op_id in 0..6_u32, kind in prop_oneof![Just(Kind::OP), Just(Kind::RANGE), Just(Kind(999))],
    ) -> OpRecord {
        OpRecord {
            start_ns: times[0], end_ns: times[1], run_id: long[0], sequence: long[1], op_id,
            model_id: short[0], stream_id: short[1], thread_id: short[2], range_id: short[3],
            flags: Flags::from_bits(short[4] & !Flags::TICKS.bits()), device_id: short[5], kind,
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
        let (json, skipped) = trace(&records, &ops);
        let events = events(&json);
        prop_assert_eq!(events.len() + skipped as usize, records.len());
        for ((event, line), record) in events.iter().zip(lines(&json)).zip(&records) {
            let args = &event["args"];
            if let Some(info) = (record.op_id as usize).checked_sub(1).and_then(|at| ops.get(at)) {
                prop_assert_eq!(&event["name"], &info.name.to_string());
                prop_assert_eq!(&args["type"], &info.type_.to_string());
                prop_assert_eq!(&args["kernel"], "kernel");
            }
            prop_assert_eq!(args["kind"].as_str().unwrap_or("op"), record.kind.name());
            prop_assert_eq!(&args["run_id"], record.run_id);
            prop_assert_eq!(&args["sequence"], record.sequence);
            prop_assert_eq!(&args["model_id"], record.model_id);
            prop_assert_eq!(&args["thread_id"], record.thread_id);
            prop_assert_eq!(args["range_id"].as_u64().unwrap_or(0), u64::from(record.range_id));
            prop_assert_eq!(&event["pid"], record.device_id);
            prop_assert_eq!(&event["tid"], record.stream_id);
            prop_assert_eq!(ns(line, "ts"), record.start_ns);
            match record.duration_ns() {
                Some(duration_ns) => prop_assert_eq!(ns(line, "dur"), duration_ns),
                None => prop_assert_eq!(&event["ph"], "i"),
            }
        }
    }
}
