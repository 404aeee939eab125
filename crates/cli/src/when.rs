//! Times as people type them: `today`, `monday`, `3d`, `2026-11`, `last week`.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};
use session::UtcTime;

use crate::exit::Failure;
use crate::zone::Zone;

/// Reads a time. For the end of a span, a day, a week, a month or a year means the end of it.
pub(crate) fn time(text: &str, end: bool, zone: &Zone, now: UtcTime) -> Result<UtcTime, Failure> {
    read(text.trim(), end, zone, now).ok_or_else(|| {
        Failure::Usage(
            format!("`{text}` is not a valid time"),
            "use `today`, `yesterday`, `monday`, `3d`, `12h`, `2w`, `last week`, a day \
             (2026-03-01), a month (2026-03), or a day and a time (2026-03-01T14:30)"
                .into(),
        )
    })
}

fn read(text: &str, end: bool, zone: &Zone, now: UtcTime) -> Option<UtcTime> {
    let today = zone.day(now)?;
    let words = text.to_lowercase();
    let words: Vec<&str> = words.split([' ', '_']).filter(|word| !word.is_empty()).collect();
    if words == ["now"] {
        return Some(now);
    }
    if let Some((first, behind)) = days(&words, today).or_else(|| written(text)) {
        return zone.begin(if end { behind } else { first });
    }
    if let Some(ago) = ago(&words) {
        return Some(UtcTime(now.0.checked_sub(ago)?));
    }
    UtcTime::of_text(text).or_else(|| zone.at(text))
}

/// The first day of a span that words name, and the day behind it.
fn days(words: &[&str], today: Date) -> Option<(Date, Date)> {
    let span = |first: Date, length: Span| Some((first, first.checked_add(length).ok()?));
    let monday =
        today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
    let before = |first: Date, length: Span| first.checked_sub(length).ok();
    match *words {
        ["today"] => span(today, 1.day()),
        ["yesterday"] => span(today.yesterday().ok()?, 1.day()),
        ["this", "week"] | ["week"] => span(monday, 1.week()),
        ["last", "week"] => span(before(monday, 1.week())?, 1.week()),
        ["this", "month"] | ["month"] => span(today.first_of_month(), 1.month()),
        ["last", "month"] => span(before(today.first_of_month(), 1.month())?, 1.month()),
        ["this", "year"] | ["year"] => span(today.first_of_year(), 1.year()),
        ["last", "year"] => span(before(today.first_of_year(), 1.year())?, 1.year()),
        [day] => span(latest(weekday(day)?, today, 0)?, 1.day()),
        ["last", day] => span(latest(weekday(day)?, today, 1)?, 1.day()),
        _ => None,
    }
}

/// The latest such day that is at least so many days ago.
fn latest(wanted: Weekday, today: Date, least: i64) -> Option<Date> {
    let back = i64::from(wanted.until(today.weekday()));
    let back = if back < least { back + 7 } else { back };
    today.checked_sub(back.days()).ok()
}

fn weekday(name: &str) -> Option<Weekday> {
    Some(match name {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" | "tues" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" | "thurs" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

/// A day, a month or a year in digits: 2026-03-01, 2026-03, 2026.
fn written(text: &str) -> Option<(Date, Date)> {
    let (whole, length) = match text.len() {
        10 => (text.to_owned(), 1.day()),
        7 => (format!("{text}-01"), 1.month()),
        4 => (format!("{text}-01-01"), 1.year()),
        _ => return None,
    };
    let first: Date = whole.parse().ok()?;
    Some((first, first.checked_add(length).ok()?))
}

/// A length of time before now, in microseconds: `3d`, `-3d`, `3 days ago`, `an hour ago`.
fn ago(words: &[&str]) -> Option<i64> {
    let words = match words {
        [most @ .., "ago"] => most,
        all => all,
    };
    let (number, unit) = match *words {
        ["a" | "an" | "one", unit] => (1, unit),
        [number, unit] => (number.parse().ok()?, unit),
        [one] => {
            let one = one.strip_prefix('-').unwrap_or(one);
            let digits = one.find(|c: char| !c.is_ascii_digit())?;
            let (number, unit) = one.split_at_checked(digits)?;
            (number.parse().ok()?, unit)
        }
        _ => return None,
    };
    let minutes: i64 = match unit {
        "min" | "mins" | "m" | "minute" | "minutes" => 1,
        "h" | "hour" | "hours" => 60,
        "d" | "day" | "days" => 60 * 24,
        "w" | "week" | "weeks" => 60 * 24 * 7,
        _ => return None,
    };
    i64::checked_mul(number, minutes)?.checked_mul(60_000_000).filter(|ago| *ago >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;

    /// A time that is read in a zone nine hours east of UTC, on Monday, 2 March 2026, at one.
    fn read_at_nine(text: &str, end: bool) -> Option<String> {
        let mut machine = catalog::Machine::default();
        // POSIX zones need no files of the system.
        machine.variables.insert("TZ".into(), "JST-9".into());
        let (mut input, mut out, mut err) = (std::io::empty(), Vec::new(), Vec::new());
        let env = Environment {
            formats: &[],
            machine,
            now: UtcTime(0),
            input: &mut input,
            out: &mut out,
            err: &mut err,
            width: None,
            links: false,
            err_terminal: false,
        };
        let now = UtcTime::of_text("2026-03-01T16:00:00Z").unwrap();
        read(text, end, &Zone::of(&env, false), now).map(UtcTime::rfc3339)
    }

    #[test]
    fn times_are_read_in_the_zone() {
        for (text, end, wanted) in [
            ("today", false, "2026-03-01T15:00:00Z"),
            ("Yesterday", false, "2026-02-28T15:00:00Z"),
            ("yesterday", true, "2026-03-01T15:00:00Z"),
            ("2026-03-01", false, "2026-02-28T15:00:00Z"),
            ("2026-03-01", true, "2026-03-01T15:00:00Z"),
            ("2026-03-01T14:30", true, "2026-03-01T05:30:00Z"),
            ("2026-03-01T14:30:00Z", true, "2026-03-01T14:30:00Z"),
            ("3d", false, "2026-02-26T16:00:00Z"),
            ("-3d", false, "2026-02-26T16:00:00Z"),
            ("3 days ago", false, "2026-02-26T16:00:00Z"),
            ("12h", false, "2026-03-01T04:00:00Z"),
            ("an hour ago", false, "2026-03-01T15:00:00Z"),
        ] {
            assert_eq!(read_at_nine(text, end).as_deref(), Some(wanted), "{text}");
        }
        let wrong = ["", "d", "3x", "tomorrowish", "2026-13-01", "2026-13", "monda", "last", "ago"];
        for wrong in wrong.into_iter().chain(["99999999999999999999d", "--until", "-3 days"]) {
            assert_eq!(read_at_nine(wrong, false), None, "{wrong}");
        }
    }

    #[test]
    fn spans_begin_and_end_at_midnight() {
        for (text, first, behind) in [
            ("monday", "2026-03-02", "2026-03-03"),
            ("last monday", "2026-02-23", "2026-02-24"),
            ("Sun", "2026-03-01", "2026-03-02"),
            ("tuesday", "2026-02-24", "2026-02-25"),
            ("this week", "2026-03-02", "2026-03-09"),
            ("last week", "2026-02-23", "2026-03-02"),
            ("2026-11", "2026-11-01", "2026-12-01"),
            ("2025", "2025-01-01", "2026-01-01"),
            ("last month", "2026-02-01", "2026-03-01"),
            ("last year", "2025-01-01", "2026-01-01"),
        ] {
            let at = |day: &str| read_at_nine(&format!("{day}T00:00"), false);
            assert_eq!(read_at_nine(text, false), at(first), "{text}");
            assert_eq!(read_at_nine(text, true), at(behind), "{text}");
        }
    }
}
