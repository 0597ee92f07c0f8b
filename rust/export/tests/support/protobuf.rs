//! A reading of protobuf that shares no code with its writer.

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Uint(u64),
    Fixed(u64),
    Bytes(Vec<u8>),
}

/// The fields of a message in order.
#[derive(Clone, Debug)]
pub struct Message(Vec<(u32, Value)>);

impl Message {
    pub fn parse(mut bytes: &[u8]) -> Self {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let tag = varint(&mut bytes);
            let value = match tag & 7 {
                0 => Value::Uint(varint(&mut bytes)),
                1 => Value::Fixed(u64::from_le_bytes(take(&mut bytes, 8).try_into().unwrap())),
                2 => {
                    let length = varint(&mut bytes) as usize;
                    Value::Bytes(take(&mut bytes, length).to_vec())
                }
                wire => panic!("wire type {wire}"),
            };
            fields.push((u32::try_from(tag >> 3).unwrap(), value));
        }
        Self(fields)
    }

    pub fn value(&self, field: u32) -> Option<Value> {
        let found = self.0.iter().find(|(number, _)| *number == field)?;
        Some(found.1.clone())
    }

    pub fn uint(&self, field: u32) -> Option<u64> {
        match self.value(field)? {
            Value::Uint(value) => Some(value),
            other => panic!("field {field} is {other:?}"),
        }
    }

    /// The numbers of 8 bytes that a field has.
    pub fn fixed(&self, field: u32) -> Vec<u64> {
        let named = self.0.iter().filter(|(number, _)| *number == field);
        named
            .map(|(_, value)| match value {
                Value::Fixed(value) => *value,
                other => panic!("field {field} is {other:?}"),
            })
            .collect()
    }

    pub fn text(&self, field: u32) -> Option<String> {
        match self.value(field)? {
            Value::Bytes(bytes) => Some(String::from_utf8(bytes).unwrap()),
            other => panic!("field {field} is {other:?}"),
        }
    }

    pub fn messages(&self, field: u32) -> Vec<Self> {
        let named = self.0.iter().filter(|(number, _)| *number == field);
        named
            .map(|(_, value)| match value {
                Value::Bytes(bytes) => Self::parse(bytes),
                other => panic!("field {field} is {other:?}"),
            })
            .collect()
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let byte = take(bytes, 1)[0];
        value |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return value;
        }
    }
    panic!("a varint of more than 10 bytes")
}
