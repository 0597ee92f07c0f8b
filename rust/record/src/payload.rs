//! The number that a user gives to a range or mark.

use crate::{Flags, Kind, OpRecord};

/// A number of the user's: 64 bits in a record, and a flag that says what they are.
///
/// ```
/// use optap_record::{Kind, OpRecord, Payload};
/// let mut record = OpRecord { kind: Kind::MARK, ..OpRecord::default() };
/// record.set_payload(Payload::Int(-3));
/// assert_eq!(record.payload(), Payload::Int(-3));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Payload {
    /// No number.
    #[default]
    None,
    /// A signed integer.
    Int(i64),
    /// A float; any bits of a NaN are kept.
    Float(f64),
}

impl OpRecord {
    /// The payload of a range or mark; none for other kinds, whose bits mean something else.
    #[inline]
    #[must_use]
    pub const fn payload(&self) -> Payload {
        if !matches!(self.kind, Kind::RANGE | Kind::MARK | Kind::BEGIN) {
            return Payload::None;
        }
        if self.flags.contains(Flags::PAYLOAD_INT) {
            return Payload::Int(self.run_id.cast_signed());
        }
        if self.flags.contains(Flags::PAYLOAD_FLOAT) {
            return Payload::Float(f64::from_bits(self.run_id));
        }
        Payload::None
    }

    /// Puts a payload into a range or mark.
    #[inline]
    pub const fn set_payload(&mut self, payload: Payload) {
        match payload {
            Payload::None => {}
            Payload::Int(value) => {
                self.run_id = value.cast_unsigned();
                self.flags.insert(Flags::PAYLOAD_INT);
            }
            Payload::Float(value) => {
                self.run_id = value.to_bits();
                self.flags.insert(Flags::PAYLOAD_FLOAT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_comes_back_as_it_was_given() {
        for payload in [
            Payload::None,
            Payload::Int(i64::MIN),
            Payload::Int(0),
            Payload::Float(-0.5),
            Payload::Float(f64::INFINITY),
        ] {
            for kind in [Kind::RANGE, Kind::MARK] {
                let mut record = OpRecord {
                    kind,
                    ..OpRecord::default()
                };
                record.set_payload(payload);
                assert_eq!(record.payload(), payload);
            }
        }
    }

    #[test]
    fn an_op_or_a_step_has_none() {
        for kind in [Kind::OP, Kind::STEP] {
            let record = OpRecord {
                kind,
                run_id: 5,
                flags: Flags::PAYLOAD_INT,
                ..OpRecord::default()
            };
            assert_eq!(record.payload(), Payload::None);
        }
    }
}
