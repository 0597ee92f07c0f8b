//! The texts that numbers stand for.

use std::collections::HashMap;
use std::io;

use super::file::File;
use super::table::each_row;
use crate::read::damage::Damages;

/// `STRING_IDS`.
#[derive(Debug, Default)]
pub(crate) struct Texts(HashMap<i64, Box<[u8]>>);

impl Texts {
    pub(crate) fn read(file: &File, damages: &mut Damages) -> io::Result<Self> {
        let mut texts = HashMap::new();
        each_row(file, "STRING_IDS", &["id", "value"], damages, |cells| {
            let (Some(id), Some(text)) = (cells.integer(0), cells.text(1)) else {
                return Ok(Err("no text"));
            };
            texts.insert(id, text.into());
            Ok(Ok(()))
        })?;
        Ok(Self(texts))
    }

    /// The text of a number, if it has one.
    pub(crate) fn get(&self, id: Option<i64>) -> Option<&[u8]> {
        self.0.get(&id?).map(|text| &**text)
    }

    /// The text of a number, or the number itself.
    pub(crate) fn shown(&self, id: Option<i64>) -> Vec<u8> {
        match (self.get(id), id) {
            (Some(text), _) => text.to_owned(),
            (None, Some(id)) => id.to_string().into_bytes(),
            (None, None) => Vec::new(),
        }
    }
}
