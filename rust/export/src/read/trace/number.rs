//! Numbers of a trace, which may be texts.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::read::table::micros;

/// A member as it stands in the file.
pub(crate) type Raw<'a> = Option<&'a RawValue>;

/// The nanoseconds of a time or a duration in microseconds.
pub(crate) fn ns(raw: Raw<'_>) -> Option<u64> {
    let text = raw?.get().trim_matches('"');
    if let Some(ns) = micros(text.as_bytes()) {
        return Some(ns);
    }
    let ns = text.parse::<f64>().ok()? * 1e3;
    (ns >= 0.0 && ns < u64::MAX as f64).then(|| ns.round() as u64)
}

/// A whole number.
pub(crate) fn integer(raw: Raw<'_>) -> Option<u64> {
    raw?.get().trim_matches('"').parse().ok()
}

/// A whole number that is an id; 0 for any other, and for `u32::MAX`, which stands for none.
pub(crate) fn id(raw: Raw<'_>) -> u32 {
    let number = integer(raw).and_then(|number| u32::try_from(number).ok());
    number.filter(|&number| number != u32::MAX).unwrap_or(0)
}

pub(crate) fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    let raw = raw?.get();
    let plain = raw.strip_prefix('"')?.strip_suffix('"')?;
    if plain.contains('\\') {
        return serde_json::from_str(raw).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(plain))
}
