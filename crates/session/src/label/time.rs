//! Conversion of native times to instants. The bytes keep the native spelling; an instant is used
//! only for comparing and display.

use jiff::Timestamp;

use crate::json::value;

/// Microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcTime(pub i64);

/// `0001-01-01T00:00:00Z` in microseconds: the zero of some languages.
const YEAR_ONE: i64 = -62_135_596_800_000_000;

impl UtcTime {
    /// Reads a JSON value: a string that is RFC 3339 (an offset without a colon is accepted too) or
    /// digits; or a number of seconds, milliseconds or microseconds since 1970, distinguished by
    /// their size. `None` for anything else, and for the zero that programs write for "not set":
    /// the beginning of 1970, or of the year 1.
    #[must_use]
    pub fn read(raw: &[u8]) -> Option<Self> {
        Self::any(raw).filter(|time| ![0, YEAR_ONE].contains(&time.0))
    }

    fn any(raw: &[u8]) -> Option<Self> {
        match raw.first()? {
            b'"' => {
                let text = value::text(raw)?;
                Self::of_text(&text).or_else(|| Self::of_number(&text))
            }
            b'0'..=b'9' => Self::of_number(std::str::from_utf8(raw).ok()?),
            _ => None,
        }
    }

    /// Reads an RFC 3339 time.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        text.parse::<Timestamp>().ok().map(|time| Self(time.as_microsecond()))
    }

    fn of_number(text: &str) -> Option<Self> {
        let number: f64 = text.parse().ok()?;
        let micros = match number.abs() {
            size if size < 1e11 => number * 1e6,
            size if size < 1e14 => number * 1e3,
            size if size < 1e17 => number,
            _ => return None,
        };
        let whole = text.parse::<i64>().ok();
        match (whole, micros == number * 1e3) {
            (Some(millis), true) => millis.checked_mul(1000).map(Self),
            _ => Some(Self(micros.round() as i64)),
        }
    }

    /// RFC 3339 in UTC with six fraction digits: such times sort as text.
    #[must_use]
    pub fn sortable(self) -> String {
        let time = Timestamp::from_microsecond(self.0);
        time.map_or_else(|_| self.0.to_string(), |time| format!("{time:.6}"))
    }

    /// RFC 3339 in UTC with three fraction digits, as most agents write it.
    #[must_use]
    pub fn millis(self) -> String {
        let time = Timestamp::from_microsecond(self.0);
        time.map_or_else(|_| self.0.to_string(), |time| format!("{time:.3}"))
    }

    /// RFC 3339 in UTC, with as many fraction digits as it has.
    #[must_use]
    pub fn rfc3339(self) -> String {
        Timestamp::from_microsecond(self.0).map_or_else(|_| self.0.to_string(), |t| t.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spellings_of_one_instant_are_one() {
        let expected = Some(UtcTime(1_790_000_000_123_000));
        for raw in [
            "\"2026-09-21T14:13:20.123Z\"",
            "\"2026-09-21T16:13:20.123+02:00\"",
            "\"2026-09-21T16:13:20.123+0200\"",
            "1790000000123",
            "\"1790000000123\"",
            "1790000000.123",
            "1790000000123000",
        ] {
            assert_eq!(UtcTime::read(raw.as_bytes()), expected, "{raw}");
        }
        assert_eq!(UtcTime::read(b"1790000000"), Some(UtcTime(1_790_000_000_000_000)));
        assert_eq!(UtcTime(1_790_000_000_123_000).rfc3339(), "2026-09-21T14:13:20.123Z");
    }

    #[test]
    fn times_of_one_width_sort_as_text() {
        let [early, late] = [47_800_000, 47_801_000].map(|time| UtcTime(time).sortable());
        assert_eq!(early, "1970-01-01T00:00:47.800000Z");
        assert!(early < late && UtcTime(47_000_000).sortable() < early);
    }

    #[test]
    fn what_is_no_time_is_none() {
        let zeros = ["0", "0.0", "\"0\"", "\"1970-01-01T00:00:00Z\"", "\"0001-01-01T00:00:00Z\""];
        let others =
            ["null", "\"\"", "\"soon\"", "{}", "99999999999999999999", "\"2026-13-01T00:00:00Z\""];
        for raw in zeros.into_iter().chain(others) {
            assert_eq!(UtcTime::read(raw.as_bytes()), None, "{raw}");
        }
    }
}
