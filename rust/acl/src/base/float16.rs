//! Half precision, by its bits.

const SIGN: u16 = 0x8000;
const INFINITY: u16 = 0x7c00;

/// The value of half-precision bits.
///
/// ```
/// assert_eq!(optap_acl::base::float16_to_float(0x3c00), 1.0);
/// ```
pub fn float16_to_float(bits: u16) -> f32 {
    let sign = if bits & SIGN == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f32::from(bits & 0x3ff);
    sign * match exponent {
        0 => fraction * 2.0_f32.powi(-24),
        0x1f if fraction == 0.0 => f32::INFINITY,
        0x1f => f32::NAN,
        _ => (1024.0 + fraction) * 2.0_f32.powi(exponent - 25),
    }
}

/// The half-precision bits nearest to a value; of two, the even one.
///
/// ```
/// assert_eq!(optap_acl::base::float_to_float16(-2.0), 0xc000);
/// ```
pub fn float_to_float16(value: f32) -> u16 {
    let sign = (value.to_bits() >> 16) as u16 & SIGN;
    let size = f64::from(value.abs());
    let bits = if value.is_nan() {
        INFINITY | 0x200
    } else if size >= 65_520.0 {
        INFINITY
    } else {
        // Below the smallest normal number the spacing stays the same.
        let exponent = (value.to_bits() >> 23 & 0xff) as i32 - 127;
        let exponent = exponent.max(-14);
        let steps = (size / 2.0_f64.powi(exponent - 10)).round_ties_even() as u16;
        ((exponent + 14) as u16 * 1024) + steps
    };
    sign | bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_there_and_back() {
        for bits in 0..=u16::MAX {
            let value = float16_to_float(bits);
            if !value.is_nan() {
                assert_eq!(float_to_float16(value), bits, "{bits:#x} is {value}");
            }
        }
    }

    #[test]
    fn values_between_halves_go_to_the_nearest_one() {
        let cases = [
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (65_519.0, 0x7bff),
            (65_520.0, 0x7c00),
        ];
        for (value, bits) in cases {
            assert_eq!(float_to_float16(value), bits, "{value}");
        }
        assert!(float16_to_float(float_to_float16(f32::NAN)).is_nan());
        assert_eq!(float_to_float16(1e-9), 0);
    }
}
