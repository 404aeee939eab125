//! Points in time as written by a source, and their spellings in documents.

use std::borrow::Cow;

use session::{Moment, UtcTime};

use super::is_uint;
use super::out::Out;

/// A point in time as RFC 3339, in the source's spelling if documents may have it.
pub(crate) fn of<'s>(moment: &Moment<'s>) -> Cow<'s, str> {
    date_time(moment.raw).unwrap_or_else(|| Cow::Owned(moment.instant.rfc3339()))
}

/// Writes a point in time as a record's value.
pub(crate) fn write(moment: &Moment<'_>, out: &mut Out<'_>) {
    match is_timestamp(moment.raw) {
        true => out.raw(moment.raw),
        false => out.string(&moment.instant.rfc3339()),
    }
}

/// A native time as RFC 3339, section 5.6. It keeps its spelling if that is RFC 3339 and no finer
/// than a microsecond, the precision by which events are ordered. `None` if it is not a time.
pub(crate) fn date_time(raw: &[u8]) -> Option<Cow<'_, str>> {
    let instant = UtcTime::read(raw)?;
    if let [b'"', text @ .., b'"'] = raw
        && is_rfc3339(text)
        && &text[17..19] != b"60"
        && text[19..].iter().take_while(|byte| matches!(byte, b'.' | b'0'..=b'9')).count() <= 7
    {
        return Some(String::from_utf8_lossy(text));
    }
    let text = instant.rfc3339();
    is_rfc3339(text.as_bytes()).then_some(Cow::Owned(text))
}

/// `abstract-timestamp`: RFC 3339, or epoch milliseconds. A number that is too small (seconds) or
/// too large (microseconds) for our centuries is neither.
pub(crate) fn is_timestamp(raw: &[u8]) -> bool {
    match raw {
        [b'"', text @ .., b'"'] => is_rfc3339(text),
        _ => is_uint(raw) && (12..=14).contains(&raw.len()),
    }
}

/// `date-time-regexp` of the schema, anchored at both ends.
fn is_rfc3339(text: &[u8]) -> bool {
    let Some((head, mut tail)) = text.split_at_checked(19) else { return false };
    let number = |from: usize, to: usize| {
        let digits = &head[from..to];
        let all = digits.iter().all(u8::is_ascii_digit);
        all.then(|| digits.iter().fold(0u32, |sum, digit| sum * 10 + u32::from(digit - b'0')))
    };
    let within = |from: usize, to: usize, low: u32, high: u32| {
        number(from, to).is_some_and(|number| (low..=high).contains(&number))
    };
    let marks = head[4] == b'-' && head[7] == b'-' && head[10] == b'T';
    let date = number(0, 4).is_some() && within(5, 7, 1, 12) && within(8, 10, 1, 31);
    let time = within(11, 13, 0, 23) && within(14, 16, 0, 59) && within(17, 19, 0, 60);
    if !(marks && head[13] == b':' && head[16] == b':' && date && time) {
        return false;
    }
    if let [b'.', fraction @ ..] = tail {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return false;
        }
        tail = &fraction[digits..];
    }
    match tail {
        b"Z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            let digits = [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit());
            digits && (*h1, *h2) <= (b'2', b'3') && *m1 <= b'5' && (*h1 < b'2' || *h2 <= b'3')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_times_become_those_of_rfc_3339() {
        for (raw, expected) in [
            ("\"2026-09-21T16:13:20.123+02:00\"", Some("2026-09-21T16:13:20.123+02:00")),
            ("\"2026-09-21T14:13:20.123456789Z\"", Some("2026-09-21T14:13:20.123456Z")),
            ("\"2026-09-21T16:13:20+0200\"", Some("2026-09-21T14:13:20Z")),
            ("\"2026-09-21T14:13:60Z\"", Some("2026-09-21T14:13:59Z")),
            ("1790000000123", Some("2026-09-21T14:13:20.123Z")),
            ("1790000000", Some("2026-09-21T14:13:20Z")),
            ("\"2026-02-30T00:00:00Z\"", None),
            ("\"-000001-01-01T00:00:00Z\"", None),
            ("null", None),
        ] {
            assert_eq!(date_time(raw.as_bytes()).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn times_are_those_of_the_schema() {
        for good in [
            "\"2026-02-28T23:59:60Z\"",
            "\"2026-02-28T00:00:00.123456789+02:00\"",
            "\"0000-01-01T00:00:00-23:59\"",
            "1790000000123",
        ] {
            assert!(is_timestamp(good.as_bytes()), "{good}");
        }
        for bad in [
            "\"2026-02-28T23:59:60\"",
            "\"2026-02-28 23:59:59Z\"",
            "\"2026-13-28T23:59:59Z\"",
            "\"2026-02-28T23:59:59.Z\"",
            "\"2026-02-28T23:59:59+0200\"",
            "\"2026-02-28T23:59:59+24:00\"",
            "\"2026-02-28T23:59:59z\"",
            "\"2026-02-28T23:59:59Z \"",
            "1790000000",
            "1790000000.123",
            "-1790000000123",
            "null",
        ] {
            assert!(!is_timestamp(bad.as_bytes()), "{bad}");
        }
    }
}
