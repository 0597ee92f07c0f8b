//! Decimal microseconds, exactly.

/// The nanoseconds of a text of microseconds, such as `1767225600000150.000`; digits beyond the
/// nanoseconds are rounded. `None` for what is no such number, or lies beyond the range.
pub(crate) fn micros(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii();
    let mut parts = text.splitn(2, |&byte| byte == b'.');
    let (whole, fraction) = (parts.next()?, parts.next().unwrap_or(&[]));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut ns = digits(whole)?.checked_mul(1_000)?;
    let mut thousandths = [b'0'; 4];
    for (place, digit) in thousandths.iter_mut().zip(fraction) {
        *place = *digit;
    }
    let beyond = fraction.get(thousandths.len()..).unwrap_or(&[]);
    if !beyond.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let tenths = digits(&thousandths)?;
    ns = ns.checked_add(tenths / 10)?;
    ns.checked_add(u64::from(tenths % 10 >= 5))
}

/// The number of a text.
pub(crate) fn integer(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii();
    if text.is_empty() {
        return None;
    }
    digits(text)
}

fn digits(text: &[u8]) -> Option<u64> {
    text.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number.checked_mul(10)?.checked_add(digit.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_spelling_of_a_time_is_read() {
        for (text, ns) in [
            ("1767225600000150.000\t", Some(1_767_225_600_000_150_000)),
            ("1695115378713661", Some(1_695_115_378_713_661_000)),
            ("0.5", Some(500)),
            (".5", Some(500)),
            ("0.60003125", Some(600)),
            ("2.0005", Some(2_001)),
            ("18446744073709551.615", Some(u64::MAX)),
            ("18446744073709551.6155", None),
            ("18446744073709552", None),
            ("N/A", None),
            ("", None),
            (".", None),
            ("-1.0", None),
            ("1.x", None),
            ("1.00000x", None),
            ("1.0.0", None),
        ] {
            assert_eq!(micros(text.as_bytes()), ns, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text: Vec<u8>) {
            let _ = (micros(&text), integer(&text));
        }
    }
}
