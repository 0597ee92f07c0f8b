//! Rows of a table, one a line.

use std::io::{self, BufRead, Read};
use std::ops::Range;

/// The longest row that is read, bytes.
const LONGEST_BYTES: u64 = 1 << 20;

/// Reads rows one after another. A row never goes on in the next line: the tables that are read here
/// have none that does, and so a stray quote costs one row.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    /// Where the row begins, bytes from the start of the file.
    pub(crate) at: u64,
    /// How long it is, bytes.
    pub(crate) bytes: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            line: Vec::new(),
            at: 0,
            bytes: 0,
        }
    }

    /// Reads the next row: its cells, or `false` at the end. A row that is longer than any should be
    /// is passed over and has no cells.
    pub(crate) fn next(&mut self, cells: &mut Cells) -> io::Result<bool> {
        self.at += self.bytes;
        self.line.clear();
        let mut input = self.input.by_ref().take(LONGEST_BYTES);
        self.bytes = input.read_until(b'\n', &mut self.line)? as u64;
        if self.bytes == LONGEST_BYTES && !self.line.ends_with(b"\n") {
            self.line.clear();
            self.bytes += skip_line(&mut self.input)?;
        }
        let text = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        cells.split(text.strip_suffix(b"\r").unwrap_or(text));
        Ok(self.bytes > 0)
    }
}

/// Reads to the end of the line; gives the number of bytes.
fn skip_line(input: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let block = input.fill_buf()?;
        let end = block.iter().position(|&byte| byte == b'\n');
        let bytes = end.map_or(block.len(), |at| at + 1);
        input.consume(bytes);
        skipped += bytes as u64;
        if bytes == 0 || end.is_some() {
            return Ok(skipped);
        }
    }
}

/// The cells of a row, without quotes.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    text: Vec<u8>,
    cells: Vec<Range<usize>>,
}

impl Cells {
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// A cell; empty where the row has none.
    pub(crate) fn get(&self, at: usize) -> &[u8] {
        self.cells
            .get(at)
            .map_or(&[], |cell| &self.text[cell.clone()])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|at| self.get(at))
    }

    fn split(&mut self, line: &[u8]) {
        self.text.clear();
        self.cells.clear();
        let mut rest = Some(line).filter(|line| !line.is_empty());
        while let Some(text) = rest {
            let begin = self.text.len();
            rest = match text.strip_prefix(b"\"") {
                Some(quoted) => self.quoted(quoted),
                None => self.plain(text),
            };
            self.cells.push(begin..self.text.len());
        }
    }

    /// Takes a cell up to the next comma; gives what follows that.
    fn plain<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let end = text.iter().position(|&byte| byte == b',');
        self.text
            .extend_from_slice(&text[..end.unwrap_or(text.len())]);
        end.map(|end| &text[end + 1..])
    }

    /// Takes a cell up to its closing quote, in which a quote is told twice; without one, the rest.
    fn quoted<'a>(&mut self, mut text: &'a [u8]) -> Option<&'a [u8]> {
        while let Some(end) = text.iter().position(|&byte| byte == b'"') {
            self.text.extend_from_slice(&text[..end]);
            text = &text[end + 1..];
            match text.strip_prefix(b"\"") {
                Some(more) => {
                    self.text.push(b'"');
                    text = more;
                }
                None => return self.plain(text),
            }
        }
        self.text.extend_from_slice(text);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(line: &str) -> Vec<String> {
        let mut cells = Cells::default();
        cells.split(line.as_bytes());
        cells
            .iter()
            .map(|cell| String::from_utf8_lossy(cell).into_owned())
            .collect()
    }

    #[test]
    fn quotes_hold_commas_and_quotes() {
        assert_eq!(
            cells(r#"a,"b,c","say ""hi""","""16,64""","#),
            ["a", "b,c", "say \"hi\"", "\"16,64\"", ""]
        );
        assert_eq!(cells(r#"a,"b"#), ["a", "b"]);
        assert_eq!(cells(""), [""; 0]);
    }

    #[test]
    fn a_row_that_never_ends_is_passed_over() {
        let long = "x,".repeat(LONGEST_BYTES as usize);
        let text = format!("a,b\n{long}\nc,d\n");
        let mut lines = Lines::new(text.as_bytes());
        let mut row = Cells::default();
        let mut counts = Vec::new();
        while lines.next(&mut row).unwrap() {
            counts.push((row.len(), lines.at));
        }
        let third = 4 + 2 * LONGEST_BYTES + 1;
        assert_eq!(counts, [(2, 0), (0, 4), (2, third)]);
    }

    proptest! {
        #[test]
        fn quoted_cells_come_back(texts in prop::collection::vec("[a,\" ]{0,6}", 1..6)) {
            let quoted: Vec<String> =
                texts.iter().map(|text| format!("\"{}\"", text.replace('"', "\"\""))).collect();
            prop_assert_eq!(cells(&quoted.join(",")), texts);
        }
    }
}
