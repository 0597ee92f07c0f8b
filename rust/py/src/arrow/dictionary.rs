//! Names as codes: each text once, and a number for each op.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use optap_profiler::Block;
use optap_record::OpInfo;

/// The texts of a column together are longer than it can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the names of this batch are longer than 2 GiB together, more than an Arrow text column holds; take smaller batches")
    }
}

/// Distinct texts, end to end.
#[derive(Debug)]
pub struct Texts {
    /// Number of texts.
    pub count: usize,
    /// Where each begins in `bytes`, and where the last ends.
    pub offsets: Vec<i32>,
    /// The texts.
    pub bytes: Vec<u8>,
}

/// Texts in the order of their codes, which count from 0.
struct Dictionary<'a> {
    codes: HashMap<Cow<'a, str>, u32>,
    texts: Texts,
}

impl<'a> Dictionary<'a> {
    fn new() -> Self {
        let texts = Texts {
            count: 0,
            offsets: vec![0],
            bytes: Vec::new(),
        };
        Self {
            codes: HashMap::new(),
            texts,
        }
    }

    fn code(&mut self, text: Cow<'a, str>) -> Result<u32, TooLong> {
        if let Some(&code) = self.codes.get(&text) {
            return Ok(code);
        }
        let texts = &mut self.texts;
        let code = texts.count as u32;
        texts.bytes.extend_from_slice(text.as_bytes());
        let end = i32::try_from(texts.bytes.len()).map_err(|_| TooLong)?;
        texts.offsets.push(end);
        texts.count += 1;
        self.codes.insert(text, code);
        Ok(code)
    }
}

/// The codes of an op's name, type and kernel.
pub type Codes = [u32; 3];

/// Gives ops their codes, and looks at each op's names once.
pub struct Coder<'a> {
    block: &'a Block,
    dictionaries: [Dictionary<'a>; 3],
    /// For each lease of the block and each op of it, its codes plus one; zeros where the op was not yet seen.
    seen: Vec<Vec<Codes>>,
    latest: usize,
}

impl<'a> Coder<'a> {
    /// A coder of the ops of `block`.
    pub fn new(block: &'a Block) -> Self {
        let leases = block.leases().iter();
        Self {
            block,
            dictionaries: std::array::from_fn(|_| Dictionary::new()),
            seen: leases.map(|lease| vec![[0; 3]; lease.len()]).collect(),
            latest: 0,
        }
    }

    /// The codes of an op; those of empty texts if it has no names.
    #[inline]
    pub fn codes(&mut self, op_id: u32) -> Result<Codes, TooLong> {
        let Some((lease, op)) = self.find(op_id) else {
            return self.look_up(None);
        };
        let mut plus_one = self.seen[lease][op];
        if plus_one[0] == 0 {
            let info = self.block.leases()[lease].ops().get(op);
            plus_one = self.look_up(info)?.map(|code| code + 1);
            self.seen[lease][op] = plus_one;
        }
        Ok(plus_one.map(|code| code - 1))
    }

    /// The texts of names, types and kernels.
    pub fn into_texts(self) -> [Texts; 3] {
        self.dictionaries.map(|dictionary| dictionary.texts)
    }

    #[inline]
    fn find(&mut self, op_id: u32) -> Option<(usize, usize)> {
        let leases = self.block.leases();
        let place = |lease: usize| {
            let op = op_id.checked_sub(leases.get(lease)?.first_id())? as usize;
            (op < leases[lease].len()).then_some((lease, op))
        };
        let found = place(self.latest).or_else(|| (0..leases.len()).find_map(place))?;
        self.latest = found.0;
        Some(found)
    }

    #[cold]
    fn look_up(&mut self, info: Option<&'a OpInfo>) -> Result<Codes, TooLong> {
        let texts = info.map_or(Default::default(), |info| {
            [&info.name, &info.type_, &info.kernel].map(|name| name.to_text())
        });
        let mut codes = [0; 3];
        for ((code, dictionary), text) in codes.iter_mut().zip(&mut self.dictionaries).zip(texts) {
            *code = dictionary.code(text)?;
        }
        Ok(codes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use optap_record::{Flags, NameTable, OpLease, OpTable};
    use std::sync::Arc;

    fn lease(names: &[&[u8]]) -> Arc<OpLease> {
        let op = |name: &&[u8]| {
            let name = NameTable::global().intern(name).unwrap();
            let [type_, kernel] = [name.clone(), name.clone()];
            OpInfo {
                name,
                type_,
                kernel,
                flags: Flags::NONE,
                sources: Box::new([]),
            }
        };
        OpTable::global().register(names.iter().map(op).collect())
    }

    fn texts(leases: &[&Arc<OpLease>], op_ids: &[u32]) -> (Vec<u32>, Vec<String>) {
        let block = Block::new(Vec::new(), leases.iter().copied().cloned().collect());
        let mut coder = Coder::new(&block);
        let codes = op_ids.iter().map(|id| coder.codes(*id).unwrap()[0]);
        let codes = codes.collect();
        let [Texts { offsets, bytes, .. }, ..] = coder.into_texts();
        let text = |ends: &[i32]| &bytes[ends[0] as usize..ends[1] as usize];
        let text = |ends| String::from_utf8(text(ends).to_vec()).unwrap();
        (codes, offsets.windows(2).map(text).collect())
    }

    #[test]
    fn equal_texts_share_a_code() {
        let (first, second) = (lease(&[b"a", b"\xff"]), lease(&[b"\xfe", b"b", b"a"]));
        let op_ids: Vec<u32> = first.ids().chain(second.ids()).chain(first.ids()).collect();
        let (codes, texts) = texts(&[&first, &second], &op_ids);
        assert_eq!(codes, [0, 1, 1, 2, 0, 0, 1]);
        assert_eq!(texts, ["a", "\u{fffd}", "b"]);
    }

    #[test]
    fn an_op_without_names_has_empty_texts() {
        let named = lease(&[b"a", b""]);
        let op_ids = [u32::MAX, named.first_id(), named.first_id() + 1];
        let (codes, texts) = texts(&[&named], &op_ids);
        assert_eq!(
            (codes, texts),
            (vec![0, 1, 0], vec![String::new(), "a".into()])
        );
    }

    #[test]
    fn an_op_that_did_not_run_has_no_text() {
        let named = lease(&[b"a", b"b"]);
        assert_eq!(texts(&[&named], &[named.first_id()]).1, ["a"]);
    }
}
