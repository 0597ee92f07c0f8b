//! Names as numbers, and the file that tells them.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use optap_record::{Kind, Name, OpInfo};

use super::slice::Slices;
use super::storage::Storage;
use crate::spelled::spelled;

/// Number of operators whose numbers are kept at hand; a power of two.
const SLOTS: usize = 1024;

/// The numbers of an operator's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) name: u64,
    pub(crate) type_: u64,
    pub(crate) kernel: u64,
}

/// Gives each name its own number, and writes each once.
///
/// Ids of operators are used again once a model is gone, so what a slot holds is compared with the
/// names of the day once a round.
#[derive(Debug)]
pub(crate) struct Dictionary {
    file: Slices,
    known: HashMap<u64, String>,
    slots: Box<[Slot]>,
    round: u64,
}

#[derive(Debug, Default)]
struct Slot {
    op_id: u32,
    checked_in_round: u64,
    names: Option<[Name; 3]>,
    numbers: Names,
}

impl Dictionary {
    pub(crate) fn new(directory: &Path) -> Self {
        Self {
            file: Slices::new(directory, "unaging.additional.hash_dic", u64::MAX),
            known: HashMap::new(),
            slots: (0..SLOTS).map(|_| Slot::default()).collect(),
            round: 0,
        }
    }

    /// Begins a round, in which an id keeps its meaning.
    pub(crate) fn begin_round(&mut self) {
        self.round += 1;
    }

    /// The numbers of an operator's names; one that has none is called by its id.
    #[inline]
    pub(crate) fn get<'a>(
        &mut self,
        op_id: u32,
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) -> Names {
        let slot = &self.slots[op_id as usize % SLOTS];
        if slot.op_id != op_id || slot.checked_in_round != self.round {
            self.check(op_id, names(op_id));
        }
        self.slots[op_id as usize % SLOTS].numbers
    }

    fn check(&mut self, op_id: u32, info: Option<&OpInfo>) {
        let current = info.map(|info| [&info.name, &info.type_, &info.kernel]);
        let slot = &mut self.slots[op_id as usize % SLOTS];
        let is_filled = slot.checked_in_round != 0;
        slot.checked_in_round = self.round;
        let kept = slot.names.as_ref().map(|names| names.each_ref());
        if is_filled && slot.op_id == op_id && kept == current {
            return;
        }
        let numbers = self.numbers(op_id, current);
        let slot = &mut self.slots[op_id as usize % SLOTS];
        slot.op_id = op_id;
        slot.names = current.map(|names| names.map(Name::clone));
        [slot.numbers.name, slot.numbers.type_, slot.numbers.kernel] = numbers;
    }

    fn numbers(&mut self, op_id: u32, names: Option<[&Name; 3]>) -> [u64; 3] {
        let [name, type_, kernel] = names.map_or_else(Default::default, |names| {
            names.map(|name| spelled(&name.to_text()))
        });
        let or = |text: String, other: &str| {
            if text.is_empty() {
                other.to_owned()
            } else {
                text
            }
        };
        let op = Kind::OP.name();
        [
            or(name, &format!("{op} {op_id}")),
            or(type_, op),
            or(kernel, "N/A"),
        ]
        .map(|text| self.number(text))
    }

    /// The number of a text: its hash, or the next one that no other text has.
    pub(crate) fn number(&mut self, text: String) -> u64 {
        let mut number = hash(text.as_bytes()).max(1);
        while let Some(known) = self.known.get(&number) {
            if *known == text {
                return number;
            }
            number = number.wrapping_add(1).max(1);
        }
        self.file.push(format!("{number}:{text}\n").as_bytes());
        self.known.insert(number, text);
        number
    }

    /// Writes what is new. Must come before records that use it are written.
    pub(crate) fn flush(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.file.flush(storage)
    }

    pub(crate) fn close(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.file.close(storage)
    }

    pub(crate) fn abandon(&mut self, storage: &mut Storage) {
        self.file.abandon(storage);
    }
}

/// Two polynomials over the signed bytes, one in each half.
fn hash(bytes: &[u8]) -> u64 {
    let step = |(high, low): (u32, u32), byte: &u8| {
        let value = i32::from(byte.cast_signed()).cast_unsigned();
        let next = |sum: u32, factor: u32| sum.wrapping_mul(factor).wrapping_add(value);
        (next(high, 29), next(low, 131))
    };
    let (high, low) = bytes.iter().fold((0, 0), step);
    u64::from(high) << 32 | u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_one_hash_keep_their_own_numbers() {
        let mut dictionary = Dictionary::new(Path::new(""));
        let taken = hash(b"relu");
        dictionary.known.insert(taken, "its twin".to_owned());
        let numbers = [(); 2].map(|()| dictionary.number("relu".to_owned()));
        assert_eq!(numbers, [taken + 1; 2]);
    }

    #[test]
    fn the_hash_is_that_of_the_format() {
        assert_eq!(hash(b"ab"), (97 * 29 + 98) << 32 | (97 * 131 + 98));
        let (high, low) = (-127_i32 * 29 + 98, -127_i32 * 131 + 98);
        let signed = u64::from(high.cast_unsigned()) << 32 | u64::from(low.cast_unsigned());
        assert_eq!(hash(b"\x81b"), signed);
    }
}
