//! The codec against what the real parser returned.

use std::fs;
use std::path::{Path, PathBuf};

use optap_record::{Decoder, Layout, WireRecord, verify};
use serde_json::Value;

const SIZE: usize = Layout::Cann80.size_bytes();

struct Case {
    name: String,
    buffer: Vec<u8>,
    expected: Value,
}

impl Case {
    fn read(path: &Path) -> Self {
        Self {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            buffer: fs::read(path.with_extension("bin")).unwrap(),
            expected: serde_json::from_slice(&fs::read(path).unwrap()).unwrap(),
        }
    }

    fn list(&self, key: &str) -> &[Value] {
        self.expected[key].as_array().map_or(&[], Vec::as_slice)
    }
}

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let cases: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ext| ext == "json"))
        .collect();
    assert!(cases.len() >= 30, "tests/vectors is not complete");
    cases.iter().map(|path| Case::read(path)).collect()
}

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.name == name).unwrap()
}

fn fields(record: &Value) -> WireRecord {
    let long = |key: &str| record[key].as_u64().unwrap();
    let short = |key: &str| u32::try_from(long(key)).unwrap();
    WireRecord {
        model_id: short("modelId"),
        flag: short("flag"),
        thread_id: short("threadId"),
        op_index: long("opIndex"),
        duration_ns: long("duration"),
        start_ns: long("start"),
        end_ns: long("end"),
        execution_ns: long("executionTime"),
        cube_fops: long("cubeFops"),
        vector_fops: long("vectorFops"),
        device_id: short("devId"),
        padding: short("pad"),
    }
}

#[test]
fn each_record_reads_as_in_the_real_parser() {
    for case in cases() {
        for (record, slot) in case
            .list("records")
            .iter()
            .zip(case.buffer.chunks_exact(SIZE))
        {
            let decoded = WireRecord::decode(slot, Layout::Cann80);
            let valid = record["signature_valid"].as_bool().unwrap();
            assert_eq!(decoded.is_ok(), valid, "{}", case.name);
            if let Ok(decoded) = decoded {
                assert_eq!(decoded, fields(record), "{}", case.name);
            }
        }
    }
}

#[test]
fn each_good_record_is_written_as_the_real_writer_did() {
    for case in cases() {
        for slot in case.buffer.chunks_exact(SIZE) {
            let Ok(record) = WireRecord::decode(slot, Layout::Cann80) else {
                continue;
            };
            let mut written = Vec::new();
            record.encode(Layout::Cann80, &mut written);
            assert_eq!(written, slot, "{}", case.name);
        }
    }
}

#[test]
fn a_buffer_counts_where_the_real_parser_counts_it() {
    for case in cases() {
        for call in case
            .list("calls")
            .iter()
            .filter(|call| call["fn"] == "op_num")
        {
            let (Some(offset), Some(len)) = (call["offset"].as_u64(), call["len"].as_u64()) else {
                continue;
            };
            let Some(bytes) = case.buffer.get(offset as usize..(offset + len) as usize) else {
                continue;
            };
            let whole = bytes.len() % SIZE == 0;
            let good = whole
                && bytes
                    .chunks(SIZE)
                    .all(|slot| verify(slot, Layout::Cann80).is_ok());
            assert_eq!(good, call["ret"] == 0, "{}: {call}", case.name);
            assert_eq!(
                good.then_some((bytes.len() / SIZE) as u64),
                call["out"].as_u64(),
                "{}",
                case.name
            );
        }
    }
}

#[test]
fn a_flipped_byte_is_refused_where_the_real_parser_refuses_it() {
    let case = case("byte_flips");
    assert!(case.list("mutations").len() >= SIZE);
    for mutation in case.list("mutations") {
        let mut bytes = case.buffer.clone();
        bytes[mutation["offset"].as_u64().unwrap() as usize] ^=
            mutation["xor"].as_u64().unwrap() as u8;
        assert_eq!(
            verify(&bytes, Layout::Cann80).is_ok(),
            mutation["op_num_ret"] == 0,
            "{mutation}"
        );
    }
}

#[test]
fn a_stream_gives_the_good_records_of_its_buffer() {
    for case in cases()
        .iter()
        .filter(|case| case.name != "misaligned_stream")
    {
        let good = |record: &&Value| record["signature_valid"] == true;
        let expected: Vec<_> = case
            .list("records")
            .iter()
            .filter(good)
            .map(fields)
            .collect();
        let (mut decoder, mut records) = (Decoder::new(Layout::Cann80), Vec::new());
        decoder.push(&case.buffer, |record| records.push(record));
        decoder.finish(|record| records.push(record));
        assert_eq!(records, expected, "{}", case.name);
        let counters = decoder.counters();
        assert_eq!(
            counters.bad_signature,
            (case.list("records").len() - expected.len()) as u64,
            "{}",
            case.name
        );
        assert_eq!(
            counters.truncated,
            u64::from(case.expected["trailing_bytes"] != 0),
            "{}",
            case.name
        );
    }
}

#[test]
fn the_whole_record_in_a_misaligned_stream_is_found() {
    let case = case("misaligned_stream");
    let (mut decoder, mut records) = (Decoder::new(Layout::Cann80), Vec::new());
    decoder.push(&case.buffer, |record| records.push(record));
    decoder.finish(|record| records.push(record));
    assert_eq!(
        records,
        [WireRecord::decode(&case.buffer[72..], Layout::Cann80).unwrap()]
    );
    assert_eq!(
        (
            decoder.counters().skipped_bytes,
            decoder.counters().truncated
        ),
        (80, 1)
    );
}
