//! Hits of a search in a session: the items of its transcript that match.

use formats::calls;
use formats::tools::Common;
use session::{EventRef, Session, Slot, UtcTime};
use views::transcript::{Answered, Body, Detail, Hidden, Item, Transcript};

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
    let has = |text: &str| pattern.find(text).is_some();
    let said = |answered: &Answered<'_>| has(&answered.lines().join("\n"));
    match &item.body {
        Body::Prompt(said) | Body::Answer(said) | Body::Injected(said) => has(&said.text),
        Body::Thought(thought) => has(&thought.text),
        Body::Call(call) => {
            let named = call.name.as_deref().is_some_and(has);
            named || has(&call.arguments().join("\n")) || call.answered.as_ref().is_some_and(said)
        }
        Body::Result { answered, .. } => said(answered),
        Body::Notice(notice) => has(&notice.text()),
    }
}

/// The matches in a session, in source order.
pub(crate) fn hits(session: &Session, pattern: &Pattern, parts: &[TalkSection]) -> Vec<TextMatch> {
    let mut found = Vec::new();
    for item in Transcript::of(session, Detail::Whole) {
        if !is_shown(&item) {
            continue;
        }
        let mut add = |part: TalkSection, text: &str| {
            let Some(lines) = lines(text, pattern) else { return };
            let standing = item.event.standing();
            let standing = (standing != session::Standing::Live).then(|| standing.word());
            found.push(TextMatch {
                turn: item.turn,
                part,
                time: item.event.when(),
                standing,
                lines,
            });
        };
        let wants = |part: TalkSection| wants(&item, parts, part);
        match &item.body {
            Body::Prompt(said) if wants(TalkSection::Prompts) => {
                add(TalkSection::Prompts, &said.text)
            }
            Body::Answer(said) if wants(TalkSection::Answers) => {
                add(TalkSection::Answers, &said.text)
            }
            Body::Injected(said) if wants(TalkSection::Notes) => {
                add(TalkSection::Notes, &said.text)
            }
            Body::Thought(thought) if wants(TalkSection::Thoughts) => {
                add(TalkSection::Thoughts, &thought.text)
            }
            Body::Call(call) => {
                if wants(TalkSection::Calls)
                    && may_match(item.event, &[Slot::Input, Slot::Name], pattern)
                {
                    add(TalkSection::Calls, &call.arguments().join("\n"));
                }
                if let Some(answered) = &call.answered
                    && wants(TalkSection::Outputs)
                    && may_match(answered.event, ANSWER, pattern)
                {
                    add(TalkSection::Outputs, &answered.lines().join("\n"));
                }
            }
            Body::Result { answered, .. }
                if wants(TalkSection::Outputs) && may_match(answered.event, ANSWER, pattern) =>
            {
                add(TalkSection::Outputs, &answered.lines().join("\n"));
            }
            _ => {}
        }
    }
    found
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

const ANSWER: &[Slot] = &[Slot::Output, Slot::Content, Slot::Detail];

/// Whether the decoded text of these fields may match.
fn may_match(event: EventRef<'_>, slots: &[Slot], pattern: &Pattern) -> bool {
    let mut sieve = pattern.sieve();
    slots.iter().filter_map(|slot| event.raw(*slot)).for_each(|raw| sieve.feed(raw));
    sieve.passes()
}

/// Whether an item is of the conversation, and not a repetition of another.
fn is_shown(item: &Item<'_>) -> bool {
    matches!(item.hidden, None | Some(Hidden::Rewound | Hidden::OtherBranch))
}

/// Greatest length of a line, and of its part before the match, in characters.
const LONGEST: usize = 240;
const BEFORE: usize = 60;

/// The line with the first match, and the next one that has text. A long line is cut around the
/// match.
fn lines(text: &str, pattern: &Pattern) -> Option<Vec<String>> {
    let first = pattern.find(text)?.into_iter().next().map_or(0, |place| place.start);
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
