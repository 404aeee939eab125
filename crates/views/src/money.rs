//! Money: exact integers of 10^-12 US dollars. A price per token is a whole number of them, so that
//! a sum is exact; it is rounded once, for display.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

/// An amount in units of 10^-12 US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(pub i128);

/// Units in a dollar.
const DOLLAR: i128 = 1_000_000_000_000;

impl Money {
    /// The amount that an agent wrote as a number of dollars, rounded to the unit. `None` if it is
    /// no finite number.
    #[must_use]
    pub fn of_dollars(dollars: f64) -> Option<Self> {
        let units = dollars * 1e12;
        (units.is_finite() && units.abs() < 1e30).then_some(Self(units.round() as i128))
    }

    /// Reads a decimal number of dollars, with or without an exponent (`3e-06`). `None` if it is no
    /// such number, or finer than the unit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i32 = exponent.parse().ok()?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.starts_with(['-', '+']) {
            return None;
        }
        let mut digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let mut shift =
            exponent.checked_add(12)?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        while shift > 0 {
            (digits, shift) = (digits.checked_mul(10)?, shift - 1);
        }
        while shift < 0 {
            if digits == 0 {
                break;
            }
            (digits, shift) = ((digits % 10 == 0).then_some(digits / 10)?, shift + 1);
        }
        Some(Self(digits))
    }

    /// The price of a number of tokens.
    #[must_use]
    pub fn times(self, tokens: u64) -> Self {
        Self(self.0.saturating_mul(i128::from(tokens)))
    }

    /// The amount times a factor that is given as an amount of dollars (1.1 of them), rounded to
    /// the unit.
    #[must_use]
    pub fn scaled(self, factor: Self) -> Self {
        Self(self.0.saturating_mul(factor.0).saturating_add(DOLLAR / 2).div_euclid(DOLLAR))
    }

    /// The nearest binary fraction to the number of dollars, for comparisons with other programs.
    #[must_use]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / DOLLAR as f64
    }

    /// All digits of the number of dollars: `0.0000123`.
    #[must_use]
    pub fn exact(self) -> String {
        let (sign, units) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let (whole, part) = (units / DOLLAR.unsigned_abs(), units % DOLLAR.unsigned_abs());
        let fraction = format!("{part:012}");
        match fraction.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        }
    }
}

/// For people: `$1,234.56`; below a dollar with four digits, `$0.0123`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = self.0.unsigned_abs();
        let digits: u32 = if units < DOLLAR.unsigned_abs() { 4 } else { 2 };
        let unit = DOLLAR.unsigned_abs() / 10_u128.pow(digits);
        let rounded = (units + unit / 2) / unit;
        let scale = 10_u128.pow(digits);
        let whole = u64::try_from(rounded / scale).unwrap_or(u64::MAX);
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, width) = (crate::human::count(whole), digits as usize);
        write!(f, "{sign}${whole}.{:0width$}", rounded % scale)
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::Money;

    #[test]
    fn amounts_are_exact_and_rounded_once() {
        let parsed = |text: &str| Money::parse(text).map(|money| money.0);
        assert_eq!(parsed("3e-06"), Some(3_000_000));
        assert_eq!(parsed("1.25e-06"), Some(1_250_000));
        assert_eq!(parsed("0.000000000001"), Some(1));
        assert_eq!(parsed("0.0"), Some(0));
        assert_eq!(parsed("2"), Some(2_000_000_000_000));
        assert_eq!(parsed("-2.5"), Some(-2_500_000_000_000));
        for wrong in ["1e-13", "", ".", "x", "1.-5", "1e99999", "1e40"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
        assert_eq!(Money(1_234_567_895_000_000).to_string(), "$1,234.57");
        assert_eq!(Money(12_345_000_000).to_string(), "$0.0123");
        assert_eq!(Money(999_999_000_000).to_string(), "$1.0000");
        assert_eq!(Money(0).to_string(), "$0.0000");
        assert_eq!(Money(12_300_000).exact(), "0.0000123");
        assert_eq!(Money(-2_500_000_000_000).exact(), "-2.5");
        assert_eq!(Money::of_dollars(0.038_857_36), Some(Money(38_857_360_000)));
        assert_eq!(Money::of_dollars(f64::NAN), None);
    }
}
