//! The format `date-time` of JSON Schema: RFC 3339, section 5.6.

/// Whether a text is a date-time of RFC 3339, with a real date. Second 60 is accepted if it is a
/// leap second, 23:59:60 in UTC.
pub(super) fn is_date_time(text: &str) -> bool {
    read(text.as_bytes()).is_some()
}

fn read(text: &[u8]) -> Option<()> {
    let (year, text) = digits(text, 4)?;
    let (month, text) = digits(text.strip_prefix(b"-")?, 2)?;
    let (day, text) = digits(text.strip_prefix(b"-")?, 2)?;
    let text = text.strip_prefix(b"T").or_else(|| text.strip_prefix(b"t"))?;
    let (hour, text) = digits(text, 2)?;
    let (minute, text) = digits(text.strip_prefix(b":")?, 2)?;
    let (second, text) = digits(text.strip_prefix(b":")?, 2)?;
    let offset = offset(fraction(text)?)?;
    let is_date = (1..=12).contains(&month) && (1..=days(year, month)).contains(&day);
    let is_leap = (hour * 60 + minute - offset).rem_euclid(24 * 60) == 24 * 60 - 1;
    let is_time = hour < 24 && minute < 60 && (second < 60 || second == 60 && is_leap);
    (is_date && is_time).then_some(())
}

/// The number in the first `count` digits, and the rest.
fn digits(text: &[u8], count: usize) -> Option<(i32, &[u8])> {
    let (digits, rest) = text.split_at_checked(count)?;
    let number = digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i32::from(digit - b'0'))
    })?;
    Some((number, rest))
}

/// The text behind a fraction of a second, if there is one.
fn fraction(text: &[u8]) -> Option<&[u8]> {
    let Some(fraction) = text.strip_prefix(b".") else { return Some(text) };
    let count = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then(|| &fraction[count..])
}

/// The offset from UTC in minutes; nothing may follow it.
fn offset(text: &[u8]) -> Option<i32> {
    if matches!(text, b"Z" | b"z") {
        return Some(0);
    }
    let (sign, text) = text.split_first()?;
    let (hours, text) = digits(text, 2)?;
    let (minutes, text) = digits(text.strip_prefix(b":")?, 2)?;
    let minutes =
        (text.is_empty() && hours < 24 && minutes < 60).then_some(hours * 60 + minutes)?;
    match sign {
        b'+' => Some(minutes),
        b'-' => Some(-minutes),
        _ => None,
    }
}

fn days(year: i32, month: i32) -> i32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}
