//! The days for which Gemini CLI keeps a session: `general.sessionRetention`. Without the
//! setting it deletes sessions after 30 days too.

use session::value;

use crate::format::ReadBeside;
use crate::probe;

/// Days without the setting.
const USUAL: u64 = 30;

pub(super) fn days(read: ReadBeside<'_>) -> Option<u64> {
    let Some(text) = read("settings.json") else { return Some(USUAL) };
    let said = probe::look(&text, |node| {
        let retention = node.at(&["general", "sessionRetention"])?;
        let is_off = retention.at(&["enabled"]).is_some_and(|value| value.raw() == b"false");
        let age = value::text_at(retention, &["maxAge"]);
        Some((is_off, age.and_then(|age| period(&age))))
    });
    match said.flatten() {
        Some((true, _)) => None,
        Some((false, age)) => Some(age.unwrap_or(USUAL)),
        None => Some(USUAL),
    }
}

/// The days of a period as `30d`, `24h`, `4w` or `1m`.
fn period(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let number: u64 = number.parse().ok()?;
    match unit {
        "h" => Some(number / 24),
        "d" => Some(number),
        "w" => number.checked_mul(7),
        "m" => number.checked_mul(30),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_counts_and_else_the_usual_number() {
        let of = |text: &str| {
            let text = format!("{{\"general\":{{\"sessionRetention\":{text}}}}}");
            days(&move |_| Some(text.clone().into_bytes()))
        };
        assert_eq!(of("{\"enabled\":true,\"maxAge\":\"12w\"}"), Some(84));
        assert_eq!(of("{\"enabled\":true,\"maxAge\":\"48h\"}"), Some(2));
        assert_eq!(of("{\"enabled\":false,\"maxAge\":\"7d\"}"), None);
        assert_eq!(of("{\"maxAge\":\"soon\"}"), Some(30));
        assert_eq!(days(&|_| None), Some(30));
    }
}
