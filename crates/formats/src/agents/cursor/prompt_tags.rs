//! Tags of prompts: a transcript has times only in
//! `<timestamp>Monday, Sep 21, 2026, 4:13 PM (UTC+2)</timestamp>` at the beginning of a prompt. It
//! is local time to the minute, with its offset.

use std::borrow::Cow;

use session::{UtcTime, value};

const OPEN: &str = "<timestamp>";
const CLOSE: &str = "</timestamp>";
/// The tag's name, and the lengths of JSON that are searched before and after it, in bytes. Prompts
/// are long, so the rest is not decoded.
const MARK: &[u8] = b"timestamp";
const BEFORE: usize = r"\u003c".len();
const BEHIND: usize = 160;

/// The time in a prompt's JSON.
pub(super) fn within(prompt: &[u8]) -> Option<UtcTime> {
    memchr::memmem::find_iter(prompt, MARK).find_map(|at| {
        let window = at.saturating_sub(BEFORE)..prompt.len().min(at + BEHIND);
        time(&value::unescape(&prompt[window]))
    })
}

/// The time in a text.
fn time(said: &str) -> Option<UtcTime> {
    let behind = &said[said.find(OPEN)? + OPEN.len()..];
    spelt(&behind[..behind.find(CLOSE)?])
}

/// A prompt without the tag at its beginning.
pub(super) fn behind(text: &[u8]) -> &[u8] {
    let inside = text.strip_prefix(OPEN.as_bytes());
    let end = inside.and_then(|inside| memchr::memmem::find(inside, CLOSE.as_bytes()));
    end.and_then(|end| text.get(OPEN.len() + end + CLOSE.len()..)).unwrap_or(text)
}

/// The tags of a prompt's own text. They are not escaped in it.
const QUERY: [&str; 2] = ["<user_query>", "</user_query>"];

/// A text as a prompt: within the tag that shows that a person wrote it, however it begins.
pub(super) fn wrapped(text: &str) -> String {
    format!("{}\n{text}\n{}", QUERY[0], QUERY[1])
}

/// The texts of one prompt, between which pictures may be, as a prompt: the tag opens in the
/// first of them and closes in the last. So there is one prompt, not one for each text.
pub(super) fn wrapped_texts(texts: &[&str]) -> Vec<String> {
    let last = texts.len().saturating_sub(1);
    let part = |(at, text): (usize, &&str)| {
        let opens = if at == 0 { format!("{}\n", QUERY[0]) } else { String::new() };
        let closes = if at == last { format!("\n{}", QUERY[1]) } else { String::new() };
        format!("{opens}{text}{closes}")
    };
    texts.iter().enumerate().map(part).collect()
}

/// The text of a prompt that has only these tags; any other prompt as it is.
pub(super) fn unwrapped(prompt: &str) -> Cow<'_, str> {
    let rest = behind(prompt.as_bytes());
    let rest = prompt.get(prompt.len() - rest.len()..).unwrap_or(prompt).trim();
    let inside = rest.strip_prefix(QUERY[0]).and_then(|text| text.strip_suffix(QUERY[1]));
    let Some(text) = inside.filter(|text| !text.trim().is_empty()) else {
        return Cow::Borrowed(prompt);
    };
    let text = text.strip_prefix('\n').unwrap_or(text);
    Cow::Borrowed(text.strip_suffix('\n').unwrap_or(text))
}

/// The tag of a time, in UTC. `None` for a time without a calendar date.
pub(super) fn spell(time: UtcTime) -> Option<String> {
    let text = time.millis();
    let (date, clock) = text.split_once('T')?;
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let mut parts = clock.split(':');
    let (hour, minute): (u32, &str) = (parts.next()?.parse().ok()?, parts.next()?);
    let at = 3 * month.parse::<usize>().ok()?.checked_sub(1)?;
    let (first, rest) = MONTHS.get(at..at + 3)?.split_at(1);
    let month = first.to_ascii_uppercase() + rest;
    // 1970 began on a Thursday.
    let weekday = (time.0.div_euclid(DAY) + 3).rem_euclid(7);
    let weekday = WEEKDAYS.get(usize::try_from(weekday).ok()?)?;
    let day: u32 = day.parse().ok()?;
    let (half, hour) = (if hour < 12 { "AM" } else { "PM" }, (hour + 11) % 12 + 1);
    let spelt = format!("{weekday}, {month} {day}, {year}, {hour}:{minute} {half} (UTC+0)");
    Some(format!("{OPEN}{spelt}{CLOSE}"))
}

/// A day in microseconds.
const DAY: i64 = 86_400_000_000;

const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: &str = "janfebmaraprmayjunjulaugsepoctnovdec";

/// A time as written in the tag.
fn spelt(text: &str) -> Option<UtcTime> {
    let (local, zone) = text.trim().split_once('(')?;
    let mut parts = local.split([',', ' ']).filter(|part| !part.is_empty());
    let (_weekday, month, day) = (parts.next()?, month(parts.next()?)?, parts.next()?);
    let (year, clock, half) = (parts.next()?, parts.next()?, parts.next()?);
    let (hour, minute) = clock.split_once(':')?;
    let hour: u32 = hour.parse().ok()?;
    let hour = match (half.to_ascii_uppercase().as_str(), hour) {
        ("AM", 12) => 0,
        ("PM", 12) | ("AM", _) => hour,
        ("PM", _) => hour + 12,
        _ => return None,
    };
    let (day, minute): (u32, u32) = (day.parse().ok()?, minute.parse().ok()?);
    let offset = offset(zone.strip_suffix(')')?)?;
    UtcTime::of_text(&format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:00{offset}"))
}

/// The number of a month, by its first three letters.
fn month(name: &str) -> Option<usize> {
    let at = MONTHS.find(&name.get(..3)?.to_ascii_lowercase())?;
    (at % 3 == 0).then_some(at / 3 + 1)
}

/// An offset (`UTC`, `UTC+2`, `UTC-5:30`) in the form of RFC 3339.
fn offset(zone: &str) -> Option<String> {
    let rest = zone.trim().strip_prefix("UTC").or(zone.trim().strip_prefix("GMT"))?;
    if rest.is_empty() {
        return Some("Z".to_owned());
    }
    let (sign, rest) = rest.split_at_checked(1)?;
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    matches!(sign, "+" | "-").then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weekdays by `date -u`.
    #[test]
    fn a_time_is_spelt_as_the_agent_does() {
        let cases = [
            ("2026-09-21T14:13:59.999Z", "Monday, Sep 21, 2026, 2:13 PM (UTC+0)"),
            ("2024-02-29T00:05:00Z", "Thursday, Feb 29, 2024, 12:05 AM (UTC+0)"),
            ("1969-12-31T12:00:00Z", "Wednesday, Dec 31, 1969, 12:00 PM (UTC+0)"),
        ];
        for (at, expected) in cases {
            let at = UtcTime::of_text(at).expect("a time");
            let tag = spell(at).expect("a tag");
            assert_eq!(tag, format!("{OPEN}{expected}{CLOSE}"));
            let minute = at.0 - at.0.rem_euclid(60_000_000);
            assert_eq!(time(&tag), Some(UtcTime(minute)));
        }
        assert_eq!(spell(UtcTime(i64::MAX)), None);
    }

    #[test]
    fn a_prompt_is_wrapped_and_unwrapped() {
        for text in ["go", " \ngo\n\n", "a </user_query> too", "<context>\nx", "<user_query>"] {
            let tag = spell(UtcTime(0)).expect("a tag");
            assert_eq!(unwrapped(&format!("{tag}\n{}", wrapped(text))), text);
            assert_eq!(unwrapped(&wrapped(text)), text);
        }
        // Of several texts, between which are pictures, there is one prompt.
        for texts in [&["go"][..], &["a tide", "at", " noon\n"], &["<user_query>", "x"]] {
            assert_eq!(unwrapped(&wrapped_texts(texts).join("\n")), texts.join("\n"));
        }
        // Other text of the agent is part of the prompt.
        let whole = "<attached_files>\na\n</attached_files>\n<user_query>\ngo\n</user_query>";
        for text in ["go", "", "<user_query>\n\n</user_query>", "<user_query>go", whole] {
            assert_eq!(unwrapped(text), text);
        }
    }

    #[test]
    fn the_tag_names_a_minute() {
        let at =
            |text: &str| time(&format!("<timestamp>{text}</timestamp>\nx")).map(UtcTime::rfc3339);
        let cases = [
            ("Monday, Sep 21, 2026, 4:13 PM (UTC+2)", "2026-09-21T14:13:00Z"),
            ("Tuesday, September 1, 2026, 12:05 AM (UTC+5:30)", "2026-08-31T18:35:00Z"),
            ("Sunday, Jan 4, 2026, 12:59 PM (UTC-3:30)", "2026-01-04T16:29:00Z"),
            ("Sunday, Jan 4, 2026, 1:00 AM (UTC)", "2026-01-04T01:00:00Z"),
        ];
        for (text, expected) in cases {
            assert_eq!(at(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "Monday", "Monday, Sep 21, 2026, 25:13 XM (UTC)", "a, b c, d, e f (UTC+x)"]
        {
            assert_eq!(at(text), None, "{text}");
        }
    }
}
