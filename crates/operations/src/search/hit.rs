//! Hits of a search in a session: the items of its transcript that match.

use std::borrow::Cow;

use session::{Session, Standing, UtcTime};
use views::transcript::{Item, SessionText, texts_with_title};

pub use views::transcript::TalkSection;

use crate::search::pattern::Pattern;

/// A match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextMatch {
    /// The number of its turn, from 1; 0 before the first prompt.
    pub turn: u64,
    /// The part of the conversation.
    pub part: TalkSection,
    /// Its time.
    pub time: Option<UtcTime>,
    /// The standing of its event, if it is not live: `compacted`, `rewound`.
    pub standing: Option<&'static str>,
    /// The line with the first match, and the line after it.
    pub lines: Vec<String>,
}

/// Whether a text of an item matches.
#[must_use]
pub fn matches(item: &Item<'_>, pattern: &Pattern) -> bool {
    item.texts().any(|text| may_match(text.fields(), pattern) && pattern.is_in(&text.text()))
}

/// The matches in a session with this title, in source order; the title's first.
pub(crate) fn hits(
    session: &Session,
    title: Option<&str>,
    pattern: &Pattern,
    parts: &[TalkSection],
) -> Vec<TextMatch> {
    let wants = |text: &SessionText<'_>| {
        let is_given = |part: TalkSection| parts.contains(&part);
        parts.is_empty() || is_given(text.part) || text.narrow().is_some_and(is_given)
    };
    let hit = |text: SessionText<'_>| {
        if !wants(&text) || !may_match(text.fields(), pattern) {
            return None;
        }
        let lines = lines(&text.text(), pattern)?;
        let standing = text.standing();
        let standing = (standing != Standing::Live).then(|| standing.word());
        Some(TextMatch { turn: text.turn, part: text.part, time: text.time(), standing, lines })
    };
    texts_with_title(session, title.map(Cow::Borrowed)).filter_map(hit).collect()
}

/// Whether prompts are among these parts.
pub(crate) fn wants_prompts(parts: &[TalkSection]) -> bool {
    parts.is_empty() || parts.contains(&TalkSection::Prompts)
}

/// The matches in typed prompts, numbered from 1 in the place of turns.
pub(crate) fn typed_hits<'t>(
    prompts: impl Iterator<Item = (Option<UtcTime>, &'t str)>,
    pattern: &Pattern,
) -> Vec<TextMatch> {
    let hit = |(turn, (time, text)): (u64, (Option<UtcTime>, &str))| {
        let (part, standing, lines) = (TalkSection::Prompts, None, lines(text, pattern)?);
        Some(TextMatch { turn, part, time, standing, lines })
    };
    (1..).zip(prompts).filter_map(hit).collect()
}

/// Whether the decoded text may match, by the bytes that it is made of.
fn may_match<'s>(fields: Option<impl Iterator<Item = &'s [u8]>>, pattern: &Pattern) -> bool {
    let Some(fields) = fields else { return true };
    let mut sieve = pattern.sieve();
    fields.for_each(|raw| sieve.feed(raw));
    sieve.passes()
}

/// Greatest length of a line, and of its part before the match, in characters.
const LONGEST: usize = 240;
const BEFORE: usize = 60;

/// The line with the first match, and the next one that has text. A long line is cut around the
/// match.
fn lines(text: &str, pattern: &Pattern) -> Option<Vec<String>> {
    let first = pattern.first(text)?;
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let mut rest = text[start..].lines();
    let line = rest.next().unwrap_or_default();
    let chars_before = text[start..first].chars().count();
    let begun: String = match chars_before > BEFORE {
        true => format!("…{}", line.chars().skip(chars_before - BEFORE).collect::<String>()),
        false => line.to_owned(),
    };
    let next = rest.find(|line| !line.trim().is_empty());
    let lines = [Some(begun), next.map(str::to_owned)].into_iter().flatten();
    Some(lines.map(|line| cut(line.trim())).collect())
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_lines_around_the_match() {
        let pattern = Pattern::words(&["door".to_owned()]).unwrap();
        let long =
            format!("first\n{} the door {}\n\n next \nlast", "x".repeat(90), "y".repeat(400));
        let found = lines(&long, &pattern).unwrap();
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("…x") && found[0].ends_with("y…"), "{}", found[0]);
        assert!(found[0].contains("the door"));
        assert_eq!(found[1], "next");
        assert_eq!(lines("no match", &pattern), None);
    }
}
