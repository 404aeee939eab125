//! Numbers as people read them.

use session::UtcTime;

/// A size in decimal units, in which disks are sold: `1.2 GB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ if value < 9.95 => format!("{value:.1} {}", units[unit]),
        _ => format!("{value:.0} {}", units[unit]),
    }
}

/// A number with separators of thousands: `1,234,567`.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun: `1 session`, `412 sessions`.
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Age of a time: `now`, `5 min`, `3 h`, `2 d`, `4 mo`, `1 y`.
#[must_use]
pub fn age(now: UtcTime, then: UtcTime) -> String {
    let minutes = now.0.saturating_sub(then.0) / 60_000_000;
    let (hours, days) = (minutes / 60, minutes / 60 / 24);
    match days {
        _ if minutes < 1 => "now".into(),
        _ if hours < 1 => format!("{minutes} min"),
        0..2 => format!("{hours} h"),
        2..60 => format!("{days} d"),
        60..730 => format!("{} mo", (days * 10 + 152) / 304),
        _ => format!("{} y", days / 365),
    }
}

/// A length of time: `450 ms`, `45 s`, `2 min`, `1 h 5 min`.
#[must_use]
pub fn span(micros: i64) -> String {
    let seconds = micros / 1_000_000;
    match seconds {
        ..1 => format!("{} ms", micros / 1000),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A number in few digits: `950`, `12k`, `3.4M`.
#[must_use]
pub fn thousands(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        1000..10_000 => format!("{:.1}k", number as f64 / 1e3),
        10_000..1_000_000 => format!("{}k", number / 1000),
        _ => format!("{:.1}M", number as f64 / 1e6),
    }
}

/// A time in UTC, to the minute: `2026-03-01 10:05`.
#[must_use]
pub fn moment(time: UtcTime) -> String {
    let text = time.rfc3339();
    match (text.get(..10), text.get(11..16)) {
        (Some(day), Some(minute)) => format!("{day} {minute}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_counts() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (9_960, "10 kB"),
            (123_456, "123 kB"),
            (999_600, "1.0 MB"),
            (1_234_567_890, "1.2 GB"),
            (5_000_000_000_000_000, "5000 TB"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(size(bytes), expected);
        }
        assert_eq!(
            (count(0), count(1000), count(1_234_567)),
            ("0".into(), "1,000".into(), "1,234,567".into())
        );
        assert_eq!(counted(1, "session", "sessions"), "1 session");
    }

    #[test]
    fn ages() {
        const MINUTE: i64 = 60_000_000;
        let cases = [
            (-5, "now"),
            (0, "now"),
            (59, "59 min"),
            (60, "1 h"),
            (60 * 47, "47 h"),
            (60 * 48, "2 d"),
            (60 * 24 * 61, "2 mo"),
            (60 * 24 * 800, "2 y"),
        ];
        for (minutes, expected) in cases {
            assert_eq!(age(UtcTime(0), UtcTime(-minutes * MINUTE)), expected);
        }
    }

    #[test]
    fn lengths_and_numbers_in_few_letters() {
        let spans = [4_000, 45_000_000, 125_000_000, 3_900_000_000].map(span);
        assert_eq!(spans, ["4 ms", "45 s", "2 min", "1 h 5 min"]);
        assert_eq!([950, 1234, 12_345, 3_400_000].map(thousands), ["950", "1.2k", "12k", "3.4M"]);
    }
}
