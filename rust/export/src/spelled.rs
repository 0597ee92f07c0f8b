//! Names on one line.

use std::fmt::Write;

/// The text with its control characters spelled out, such as `\x0a`.
pub(crate) fn spelled(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            let spelling = write!(line, "\\x{:02x}", u32::from(letter));
            debug_assert!(spelling.is_ok(), "a string takes all that is written");
        } else {
            line.push(letter);
        }
    }
    line
}
