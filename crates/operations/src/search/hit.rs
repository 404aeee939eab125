//! Hits of a search in a session: the items of its transcript that match.

use formats::calls;
use formats::tools::Common;
use session::{EventRef, Kind, Session, UtcTime};
use views::transcript::{Answered, Body, Detail, Hidden, Item, ItemPart, ItemText, Transcript};

use crate::search::pattern::Pattern;

/// A part of a conversation that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TalkSection {
    /// Prompts of a person.
    Prompts,
    /// Answers of the model.
    Answers,
    /// Thoughts of the model.
    Thoughts,
    /// Calls of tools, with their arguments.
    Calls,
    /// Outputs of tools.
    Outputs,
    /// Calls that change files.
    Edits,
    /// Calls that did not succeed.
    Errors,
    /// Texts of neither: summaries, reports, tasks of sub-agents.
    Notes,
    /// Reports of the agent itself, as that a request failed.
    Notices,
    /// Titles of sessions, as a list shows them.
    Titles,
}

impl TalkSection {
    /// Its name for one of them.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Prompts => "prompt",
            Self::Answers => "answer",
            Self::Thoughts => "thought",
            Self::Calls => "call",
            Self::Outputs => "output",
            Self::Edits => "edit",
            Self::Errors => "error",
            Self::Notes => "note",
            Self::Notices => "notice",
            Self::Titles => "title",
        }
    }
}

/// Whether an item is one of these parts; every item is, if no part is given.
#[must_use]
pub fn is_of(item: &Item<'_>, parts: &[TalkSection]) -> bool {
    parts.is_empty() || parts.iter().any(|part| is_part(item, *part))
}

fn is_part(item: &Item<'_>, part: TalkSection) -> bool {
    let bad = |answered: &Answered<'_>| answered.outcome.is_some_and(|outcome| outcome.is_bad());
    match (&item.body, part) {
        (Body::Prompt(_), TalkSection::Prompts)
        | (Body::Answer(_), TalkSection::Answers)
        | (Body::Thought(_), TalkSection::Thoughts)
        | (Body::Call(_), TalkSection::Calls | TalkSection::Outputs)
        | (Body::Result { .. }, TalkSection::Outputs)
        | (Body::Injected(_), TalkSection::Notes) => true,
        (Body::Call(_), TalkSection::Edits) => edits(item.event),
        (Body::Call(call), TalkSection::Errors) => call.answered.as_ref().is_some_and(bad),
        (Body::Result { answered, .. }, TalkSection::Errors) => bad(answered),
        (Body::Notice(notice), TalkSection::Notes) => notice.summary,
        _ => false,
    }
}

/// Whether a call changes files.
fn edits(call: EventRef<'_>) -> bool {
    calls::of(call).is_some_and(|tool| {
        use Common::{Delete, Edit, Notebook, Patch, Write};
        matches!(tool.common, Edit | Patch | Write | Notebook | Delete)
    })
}

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
    item.texts().any(|text| may_match(&text, pattern) && pattern.is_in(&text.text()))
}

/// The matches in a session with this title, in source order; the title's first.
pub(crate) fn hits(
    session: &Session,
    title: Option<&str>,
    pattern: &Pattern,
    parts: &[TalkSection],
) -> Vec<TextMatch> {
    let title = title.filter(|_| parts.is_empty()).and_then(|title| lines(title, pattern));
    let title = title.map(|lines| TextMatch {
        turn: 0,
        part: TalkSection::Titles,
        time: None,
        standing: None,
        lines,
    });
    let mut found: Vec<TextMatch> = title.into_iter().collect();
    for item in Transcript::of(session, Detail::Whole).filter(is_searched) {
        for text in item.texts() {
            let part = section(&item, text.part);
            if !wants(&item, parts, part) || !may_match(&text, pattern) {
                continue;
            }
            let Some(lines) = lines(&text.text(), pattern) else { continue };
            let standing = item.event.standing();
            let standing = (standing != session::Standing::Live).then(|| standing.word());
            let time = item.event.when();
            found.push(TextMatch { turn: item.turn, part, time, standing, lines });
        }
    }
    found
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

/// The section of a text of an item. A text that the agent wrote in the place of an answer is a
/// notice: its request failed.
fn section(item: &Item<'_>, part: ItemPart) -> TalkSection {
    match part {
        ItemPart::Prompt => TalkSection::Prompts,
        ItemPart::Answer => TalkSection::Answers,
        ItemPart::Thought => TalkSection::Thoughts,
        ItemPart::Call => TalkSection::Calls,
        ItemPart::Output => TalkSection::Outputs,
        ItemPart::Note if item.event.kind == Kind::Assistant => TalkSection::Notices,
        ItemPart::Note => TalkSection::Notes,
        _ => TalkSection::Notices,
    }
}

/// Whether a part of an item is searched. Outputs of failed calls are errors, and calls that change
/// files are edits.
fn wants(item: &Item<'_>, parts: &[TalkSection], part: TalkSection) -> bool {
    let also = |narrow: TalkSection| parts.contains(&narrow) && is_part(item, narrow);
    parts.is_empty()
        || parts.contains(&part)
        || match part {
            TalkSection::Calls => also(TalkSection::Edits),
            TalkSection::Outputs => also(TalkSection::Errors),
            _ => false,
        }
}

/// Whether the decoded text may match, by the bytes that it is made of.
fn may_match(text: &ItemText<'_, '_>, pattern: &Pattern) -> bool {
    let Some(fields) = text.fields() else { return true };
    let mut sieve = pattern.sieve();
    fields.for_each(|raw| sieve.feed(raw));
    sieve.passes()
}

/// Whether an item is searched: what belongs to the conversation and does not repeat another item,
/// and what the agent itself reports, but for the context that it inserts.
fn is_searched(item: &Item<'_>) -> bool {
    match item.hidden {
        None | Some(Hidden::Rewound | Hidden::OtherBranch | Hidden::Notice) => true,
        Some(Hidden::Injected) => item.event.kind == Kind::Assistant,
        _ => false,
    }
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
