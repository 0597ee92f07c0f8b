//! Names as numbers, and the file that tells them.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use optap_record::{Name, OpInfo};

use super::slice::Slices;
use super::storage::Storage;

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
    known: HashMap<u64, Name>,
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

    /// The numbers of an operator's names; 0 where it has none.
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
        slot.checked_in_round = self.round;
        let kept = slot.names.as_ref().map(|names| names.each_ref());
        if slot.op_id == op_id && kept == current {
            return;
        }
        let numbers = current.map_or([0; 3], |names| names.map(|name| self.number(name)));
        let slot = &mut self.slots[op_id as usize % SLOTS];
        slot.op_id = op_id;
        slot.names = current.map(|names| names.map(Name::clone));
        [slot.numbers.name, slot.numbers.type_, slot.numbers.kernel] = numbers;
    }

    fn number(&mut self, name: &Name) -> u64 {
        let mut number = hash(name.as_bytes()).max(1);
        while let Some(known) = self.known.get(&number) {
            if known == name {
                return number;
            }
            number = number.wrapping_add(1).max(1);
        }
        self.known.insert(number, name.clone());
        self.file.push(line(number, &name.to_text()).as_bytes());
        number
    }

    /// Writes what is new. Must come before records that use it are written.
    pub(crate) fn flush(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.file.flush(storage)
    }

    pub(crate) fn close(&mut self, storage: &mut Storage) -> io::Result<()> {
        self.file.close(storage)
    }
}

/// A line of the file: control characters, which would break it, are spelled out.
fn line(number: u64, text: &str) -> String {
    let mut line = format!("{number}:");
    for letter in text.chars() {
        if letter.is_control() {
            let _ = write!(line, "\\x{:02x}", u32::from(letter));
        } else {
            line.push(letter);
        }
    }
    line.push('\n');
    line
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
