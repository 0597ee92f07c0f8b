//! Cells of a table, appended to a buffer of bytes.

use crate::json::Json;
use crate::spelled::spelled;

/// Rows that grow at their end.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    text: Json,
    is_within: bool,
}

impl Cells {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            text: Json::with_capacity(bytes),
            is_within: false,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.text.bytes()
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
    }

    /// Appends cells that need no quotes.
    #[inline]
    pub(crate) fn raw(&mut self, cells: &str) -> &mut Self {
        self.begin();
        self.text.raw(cells.as_bytes());
        self
    }

    #[inline]
    pub(crate) fn integer(&mut self, value: u64) -> &mut Self {
        self.begin();
        self.text.integer(value);
        self
    }

    /// Appends an instant, us with three decimals. The tab keeps spreadsheets from rounding it.
    #[inline]
    pub(crate) fn instant(&mut self, ns: u64) -> &mut Self {
        self.begin();
        self.text.micros(ns);
        self.text.raw(b"\t");
        self
    }

    /// Appends a duration, us with one to three decimals.
    #[inline]
    pub(crate) fn duration(&mut self, ns: u64) -> &mut Self {
        self.begin();
        self.text.integer(ns / 1_000);
        let thousandths = (ns % 1_000) as u16;
        let digits = [thousandths / 100, thousandths / 10 % 10, thousandths % 10];
        let shown = digits
            .iter()
            .rposition(|&digit| digit != 0)
            .map_or(1, |at| at + 1);
        self.text.raw(b".");
        self.text
            .raw(&digits.map(|digit| b'0' + digit as u8)[..shown]);
        self
    }

    /// Appends a name: control characters are spelled out, and what needs quotes gets them.
    pub(crate) fn name(&mut self, name: &str) -> &mut Self {
        self.begin();
        let name = spelled(name);
        if name.contains([',', '"']) {
            let quoted = name.replace('"', "\"\"");
            self.text.raw(format!("\"{quoted}\"").as_bytes());
        } else {
            self.text.raw(name.as_bytes());
        }
        self
    }

    pub(crate) fn end_row(&mut self) {
        self.text.raw(b"\n");
        self.is_within = false;
    }

    #[inline]
    fn begin(&mut self) {
        if self.is_within {
            self.text.raw(b",");
        }
        self.is_within = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(append: impl FnOnce(&mut Cells) -> &mut Cells) -> String {
        let mut cells = Cells::default();
        append(&mut cells);
        String::from_utf8_lossy(cells.bytes()).into_owned()
    }

    #[test]
    fn durations_keep_every_nanosecond_and_no_zero() {
        for (ns, text) in [
            (0, "0.0"),
            (7, "0.007"),
            (12_500, "12.5"),
            (40_000, "40.0"),
            (1_010, "1.01"),
        ] {
            assert_eq!(shown(|cells| cells.duration(ns)), text);
        }
    }

    #[test]
    fn names_are_quoted_only_where_they_must_be() {
        for (name, text) in [
            ("conv1", "conv1"),
            ("a,b", "\"a,b\""),
            ("\"", "\"\"\"\""),
            ("\n", "\\x0a"),
        ] {
            assert_eq!(shown(|cells| cells.name(name)), text);
        }
    }
}
