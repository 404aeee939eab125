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
        usual(text.as_bytes())
            .or_else(|| text.parse::<Timestamp>().ok().map(|time| Self(time.as_microsecond())))
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

/// Reads a time in the form that nearly all agents write: `2026-03-01T10:00:00.123Z`, from 1970 on.
/// A list reads some of them for each session. `None` for any other form.
fn usual(text: &[u8]) -> Option<UtcTime> {
    let (head, rest) = text.split_first_chunk::<19>()?;
    let fraction = match rest.strip_suffix(b"Z")? {
        [] => &[],
        [b'.', digits @ ..] if (1..=9).contains(&digits.len()) => digits,
        _ => return None,
    };
    let marks = [head[4], head[7], head[10], head[13], head[16]];
    if marks != *b"--T::" {
        return None;
    }
    let [century, years, month, day, hour, minute, second] =
        [0, 2, 5, 8, 11, 14, 17].map(|at| digits(&head[at..at + 2]));
    let (year, month, day) = (century? * 100 + years?, month?, day?);
    let (hour, minute, second) = (hour?, minute?, second?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        _ => 31,
    };
    // The library ends within the year 9999.
    let is_date =
        (1970..9999).contains(&year) && (1..=12).contains(&month) && (1..=last).contains(&day);
    let is_time = hour < 24 && minute < 60 && second < 60;
    if !is_date || !is_time || !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // Days since 1 March of the year 0, in years that begin with March.
    let (from, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = from / 4 - from / 100 + from / 400;
    let days = 365 * from + leaps + (153 * months + 2) / 5 + day - 1 - EPOCH;
    let mut micros = 0;
    for at in 0..6 {
        micros = micros * 10 + fraction.get(at).map_or(0, |digit| i64::from(digit - b'0'));
    }
    Some(UtcTime((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000 + micros))
}

/// Days from 1 March of the year 0 to 1 January 1970.
const EPOCH: i64 = 719_468;

/// A number of some decimal digits.
fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quick way gives what the library gives, for days around each end of a month and year.
    #[test]
    fn the_usual_form_is_read_as_the_library_reads_it() {
        let judge = |text: &str| text.parse::<Timestamp>().ok().map(Timestamp::as_microsecond);
        let mut read = 0;
        for year in [1969, 1970, 1972, 1999, 2000, 2024, 2025, 2026, 2100, 2400, 9998, 9999] {
            for (month, day) in (0..14).flat_map(|month| (0..33).map(move |day| (month, day))) {
                for rest in ["T00:00:00Z", "T23:59:59.999999999Z", "T07:08:09.1Z", "T24:00:00Z"] {
                    let text = format!("{year:04}-{month:02}-{day:02}{rest}");
                    if let Some(time) = usual(text.as_bytes()) {
                        assert_eq!(Some(time.0), judge(&text), "{text}");
                        read += 1;
                    } else {
                        let known = judge(&text).is_some() && (1970..9999).contains(&year);
                        let known = known && rest != "T24:00:00Z";
                        assert!(!known, "{text}");
                    }
                }
            }
        }
        assert_eq!(read, 3 * (365 * 10 + 4));
        for text in ["2026-03-01T10:00:00.x2Z", "2026-03-01T10:00:00.", "2026-03-01T1:00:000Z", ""]
        {
            assert_eq!(usual(text.as_bytes()), None, "{text}");
        }
    }

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
