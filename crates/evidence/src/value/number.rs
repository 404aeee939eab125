//! Exact JSON numbers: a JSON number is a decimal, and is never rounded unless requested.

/// A decimal number `digits * 10^exponent` in canonical form: no zero at either end of the digits.
/// Zero has no digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    /// Whether it is negative, or zero written with a minus.
    pub negative: bool,
    /// ASCII digits.
    pub digits: Vec<u8>,
    /// Power of ten of the last digit; `None` if it does not fit.
    pub exponent: Option<i64>,
}

impl Decimal {
    /// The value of a number that follows the JSON grammar (RFC 8259, section 6).
    #[must_use]
    pub fn of(literal: &str) -> Decimal {
        let negative = literal.starts_with('-');
        let unsigned = literal.trim_start_matches('-');
        let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let kept = digits.iter().rposition(|&d| d != b'0').map_or(0, |last| last + 1);
        let dropped = digits.len() - kept;
        digits.truncate(kept);
        let leading = digits.iter().position(|&d| d != b'0').unwrap_or(0);
        digits.drain(..leading);
        if digits.is_empty() {
            return Decimal { negative, digits, exponent: Some(0) };
        }
        let shift = dropped as i64 - fraction.len() as i64;
        let exponent = power.parse::<i64>().ok().and_then(|power| power.checked_add(shift));
        Decimal { negative, digits, exponent }
    }

    /// The absolute value, if the number is an integer of at most 20 digits, which 64 bits need.
    /// "JSON does not distinguish between integers and floating-point numbers" (RFC 8610, appendix
    /// E): 10, 10.0, 1e1 and 100e-1 are the same integer.
    #[must_use]
    pub fn magnitude(&self) -> Option<u128> {
        const MOST: usize = 20;
        let zeros = usize::try_from(self.exponent?).ok()?;
        if zeros > MOST || self.digits.len() + zeros > MOST {
            return None;
        }
        let digits = self.digits.iter().copied().chain(std::iter::repeat_n(b'0', zeros));
        Some(digits.fold(0, |n, digit| n * 10 + u128::from(digit - b'0')))
    }
}

/// The binary64 closest to a JSON number; `None` beyond its range.
#[must_use]
pub fn nearest_f64(literal: &str) -> Option<f64> {
    literal.parse::<f64>().ok().filter(|float| float.is_finite())
}

/// The binary64 whose shortest decimal is this JSON number, if there is one.
#[must_use]
pub fn exact_f64(literal: &str) -> Option<f64> {
    let float = nearest_f64(literal)?;
    (Decimal::of(&shortest(float)) == Decimal::of(literal)).then_some(float)
}

/// The shortest JSON number that parses as this float. It always has a fraction or exponent.
#[must_use]
pub fn shortest(float: f64) -> String {
    format!("{float:?}")
}
