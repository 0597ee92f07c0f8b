//! The getters against what the real library returned.

use std::fs;
use std::path::{Path, PathBuf};

use optap_acl::prof::{self, Fetched, OpNames, Text, Texts};
use optap_record::{Name, NameTable};
use optap_runtime::Result;
use serde_json::Value;

/// What a call returned: a code, and what it wrote; a number where pyACL returns one in place of a code.
#[derive(Debug, PartialEq)]
enum Answer {
    Value(u64),
    Pair(i32, Option<u64>),
    Text(i32, Option<Vec<u8>>),
}

struct Case {
    name: String,
    buffer: Option<Vec<u8>>,
    misalign: usize,
    expected: Value,
}

impl Case {
    fn read(path: &Path) -> Self {
        let expected: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let misalign = expected["misalign"].as_u64().unwrap() as usize;
        let mut buffer = vec![0; misalign];
        buffer.extend(fs::read(path.with_extension("bin")).unwrap());
        Self {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            buffer: (expected["null_buffer"] == false).then_some(buffer),
            misalign,
            expected,
        }
    }

    fn list(&self, key: &str) -> &[Value] {
        self.expected[key].as_array().map_or(&[], Vec::as_slice)
    }

    fn given(&self, call: &Value) -> Option<&[u8]> {
        let number = |key: &str| call[key].as_u64().unwrap_or(0) as usize;
        let from = self.misalign + number("offset");
        Some(&self.buffer.as_ref()?[from..from + number("len")])
    }

    fn names(&self) -> OpNames {
        let names = OpNames::new();
        for (place, op) in self.list("registry").iter().enumerate() {
            let text = |key: &str| Some(interned(op[key].as_str().unwrap()));
            let texts = Texts {
                name: text("op_name_hex"),
                op_type: text("op_type_hex"),
            };
            assert_eq!(names.add(texts), place as u64 + 1);
        }
        names
    }
}

fn interned(hex: &str) -> Name {
    NameTable::global().intern(&bytes(hex)).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digits).collect()
}

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    let files =
        [folder.clone(), folder.join("getters")].map(|folder| fs::read_dir(folder).unwrap());
    let paths = files
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path());
    let json = paths.filter(|path| path.extension().is_some_and(|ext| ext == "json"));
    let cases: Vec<_> = json.map(|path| Case::read(&path)).collect();
    assert_eq!(cases.len(), 48, "the vectors are not complete");
    cases
}

fn code<T>(result: &Result<T>) -> i32 {
    result.as_ref().err().map_or(0, |error| error.code().code())
}

/// Makes a call; `None` for the C functions that pyACL does not have, and for outputs that Python cannot leave out.
fn answer(case: &Case, names: &OpNames, call: &Value) -> Option<Answer> {
    if call["null_out"] == true {
        return None;
    }
    let buffer = case.given(call);
    let index = call["index"].as_u64().unwrap_or(0) as u32;
    let room = Some(call["buf_len"].as_u64().unwrap_or(0) as u32);
    let number = |result: Result<u64>| Some(Answer::Value(result.unwrap_or(0)));
    let sized = |result: Result<usize>| {
        Some(Answer::Pair(
            code(&result),
            result.ok().map(|size| size as u64),
        ))
    };
    let text = |result: Result<Fetched>| {
        let code = code(&result);
        Some(Answer::Text(
            code,
            result.ok().map(|text| text.as_bytes().to_vec()),
        ))
    };
    match call["fn"].as_str().unwrap() {
        "op_num" => sized(prof::get_op_num(buffer).map(|count| count as usize)),
        "model_id" => number(
            prof::get_model_id(buffer, index)
                .map(u64::from)
                .or(Ok(100_000)),
        ),
        "op_start" => number(prof::get_op_start(buffer, index)),
        "op_end" => number(prof::get_op_end(buffer, index)),
        "op_duration" => number(prof::get_op_duration(buffer, index)),
        "op_type_len" => sized(names.read_len(buffer, index, Text::Type)),
        "op_name_len" => sized(names.read_len(buffer, index, Text::Name)),
        "op_type" => text(names.read(buffer, index, Text::Type, room)),
        "op_name" => text(names.read(buffer, index, Text::Name, room)),
        _ => None,
    }
}

/// What the real library answered, through its public interface.
fn recorded(call: &Value) -> Answer {
    let acl = &call["acl"];
    let ret = acl["ret"].as_u64().unwrap();
    match call["fn"].as_str().unwrap() {
        "op_num" | "op_type_len" | "op_name_len" => Answer::Pair(ret as i32, acl["out"].as_u64()),
        "op_type" | "op_name" => {
            let written = acl["buf_text_hex"].as_str().map(bytes);
            Answer::Text(ret as i32, written.or((ret == 0).then(Vec::new)))
        }
        _ => Answer::Value(ret),
    }
}

/// What a call answers whose index the real code lets wrap around: there is no such record.
fn refusal(call: &Value) -> Answer {
    match recorded(call) {
        Answer::Pair(..) => Answer::Pair(100_000, None),
        Answer::Text(..) => Answer::Text(100_000, None),
        Answer::Value(_) if call["fn"] == "model_id" => Answer::Value(100_000),
        Answer::Value(_) => Answer::Value(0),
    }
}

#[test]
fn each_getter_answers_as_the_real_one_and_refuses_where_that_misbehaves() {
    for case in cases() {
        let names = case.names();
        let is_quirk = case.list("tags").contains(&"quirk".into());
        for (at, call) in case.list("calls").iter().enumerate() {
            if let Some(answer) = answer(&case, &names, call) {
                let wraps = is_quirk && call["index"].as_u64().unwrap_or(0) >= 1 << 20;
                let expected = if wraps { refusal(call) } else { recorded(call) };
                assert!(answer == expected, "{}, call {at}", case.name);
            }
        }
    }
}

#[test]
fn each_column_of_a_long_buffer_reads_as_the_real_one() {
    let mut sweeps = 0;
    for case in cases() {
        for call in case
            .list("calls")
            .iter()
            .filter(|call| call["fn"] == "sweep")
        {
            sweeps += 1;
            let buffer = case.buffer.as_deref();
            for index in 0..call["n"].as_u64().unwrap() as u32 {
                let cell = |column: &str| call["cols"][column][index as usize].as_u64().unwrap();
                assert_eq!(
                    u64::from(prof::get_model_id(buffer, index).unwrap()),
                    cell("model_id")
                );
                assert_eq!(prof::get_op_start(buffer, index).unwrap(), cell("op_start"));
                assert_eq!(prof::get_op_end(buffer, index).unwrap(), cell("op_end"));
                assert_eq!(
                    prof::get_op_duration(buffer, index).unwrap(),
                    cell("op_duration")
                );
            }
        }
    }
    assert_eq!(sweeps, 2);
}

#[test]
fn a_changed_byte_is_seen_at_the_next_call() {
    let cases = cases();
    let case = cases.iter().find(|case| case.name == "byte_flips").unwrap();
    let mut buffer = case.buffer.clone().unwrap();
    for mutation in case.list("mutations") {
        let at = mutation["offset"].as_u64().unwrap() as usize;
        buffer[at] ^= mutation["xor"].as_u64().unwrap() as u8;
        let expected = mutation["op_num_ret"].as_i64().unwrap() as i32;
        assert_eq!(
            code(&prof::get_op_num(Some(&buffer))),
            expected,
            "{mutation}"
        );
        assert_eq!(
            code(&prof::get_op_start(Some(&buffer), 0)),
            expected,
            "{mutation}"
        );
        buffer.clone_from(case.buffer.as_ref().unwrap());
        assert_eq!(code(&prof::get_op_num(Some(&buffer))), 0);
    }
}
