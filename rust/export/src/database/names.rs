//! Texts as numbers of `STRING_IDS`.

use std::collections::HashMap;

use optap_record::{OpInfo, OpRecord};
use rusqlite::{Statement, params};

/// The numbers of an operator's texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) name: i64,
    pub(crate) type_: i64,
}

/// Texts that every database has; their place is their number.
pub(crate) const FIXED: [&str; 8] = [
    "N/A",
    "KERNEL_AICPU",
    "AI_CPU",
    "dynamic",
    "NO",
    "launch",
    "ModelExecute",
    "",
];

/// Numbers of fixed texts.
pub(crate) mod fixed {
    pub(crate) const LAUNCH: i64 = 5;
    pub(crate) const MODEL_EXECUTE: i64 = 6;
}

/// Gives each text its number, and writes each once. Operators are remembered for a round, in which
/// an id keeps its meaning.
#[derive(Debug, Default)]
pub(crate) struct Names {
    texts: HashMap<String, i64>,
    round: HashMap<u32, Numbers>,
}

impl Names {
    pub(crate) fn begin_round(&mut self) {
        self.round.clear();
    }

    /// The number of a text, told to `insert` if it is new.
    pub(crate) fn text(&mut self, text: &str, insert: &mut Statement<'_>) -> rusqlite::Result<i64> {
        if let Some(&number) = self.texts.get(text) {
            return Ok(number);
        }
        let number = self.texts.len() as i64;
        insert.execute(params![number, text])?;
        self.texts.insert(text.to_owned(), number);
        Ok(number)
    }

    /// The numbers of a record's operator; one without names is called by its kind and id.
    pub(crate) fn op<'a>(
        &mut self,
        record: &OpRecord,
        names: impl Fn(u32) -> Option<&'a OpInfo>,
        insert: &mut Statement<'_>,
    ) -> rusqlite::Result<Numbers> {
        let info = names(record.op_id);
        let known = info.and_then(|_| self.round.get(&record.op_id));
        if let Some(&numbers) = known {
            return Ok(numbers);
        }
        let Some(info) = info else {
            let kind = record.kind.name();
            return Ok(Numbers {
                name: self.text(&format!("{kind} {}", record.op_id), insert)?,
                type_: self.text(kind, insert)?,
            });
        };
        let numbers = Numbers {
            name: self.text(&info.name.to_text(), insert)?,
            type_: self.text(&info.type_.to_text(), insert)?,
        };
        self.round.insert(record.op_id, numbers);
        Ok(numbers)
    }
}
