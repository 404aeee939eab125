//! Sessions of a list, by their names: the uid for programs, and the title for people.

use catalog::Entry;

/// The uid of a session of a list.
pub(crate) fn uid(entry: &Entry) -> String {
    format!("{}:{}", entry.format, entry.id)
}

/// The words that name a session, and whether it is a recorded title: else they are the beginning
/// of the first prompt, or its id.
pub(crate) fn title(entry: &Entry) -> (String, bool) {
    let words = |text: &str| {
        let own = formats::wrapped::unwrapped(entry.format, text).own;
        let line = own.trim().lines().next().unwrap_or_default();
        let mut short: String = line.chars().take(TITLE).collect();
        if short.len() < line.len() {
            short.push('\u{2026}');
        }
        short
    };
    let of = |text: Option<&str>| text.map(words).filter(|text| !text.is_empty());
    match of(entry.title.as_deref()) {
        Some(title) => (title, true),
        None => (of(entry.prompt.as_deref()).unwrap_or_else(|| uid(entry)), false),
    }
}

/// The longest title, in characters.
const TITLE: usize = 90;
