//! Texts that others gave to an agent: a hook, a skill, a file, a command. Its own request is the
//! measure: whatever it sends of its session is conversation, but for a list of named texts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::parts::{Part, plain, strings};

/// The text of the list.
const LIST: &str = include_str!("../../../../interop/own.txt");

/// A line of the list.
pub(crate) struct OwnText {
    /// The agent.
    pub agent: &'static str,
    start: &'static str,
    /// Its name, and where it was seen.
    #[cfg_attr(not(test), allow(dead_code))]
    words: [&'static str; 2],
}

/// The list of texts that agents add by themselves.
pub(crate) fn own_texts() -> impl Iterator<Item = OwnText> {
    let lines = LIST.lines().filter(|line| !line.starts_with('#') || line.starts_with("# |"));
    lines.filter_map(|line| {
        let mut cells = line.split(" | ").map(str::trim);
        let (agent, start) = (cells.next()?, cells.next()?);
        Some(OwnText { agent, start, words: [cells.next()?, cells.next()?] })
    })
}

/// Whether a text of an agent's request is one that the list names.
pub(crate) fn is_own(agent: &str, text: &str) -> bool {
    own_texts().any(|own| own.agent == agent && text.starts_with(own.start))
}

const OPEN: &str = "<system-reminder>";
const CLOSE: &str = "</system-reminder>";

/// The pieces of a text between the reminders in it, and those, which its agent put there on the
/// way to its provider. A tag in backticks is one that a text speaks of.
pub(crate) fn reminders(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut left, mut pieces, mut found) = (text, vec![String::new()], Vec::new());
    while let Some((before, rest)) = left.split_once(OPEN) {
        let last = pieces.last_mut().expect("there is one at the beginning");
        last.push_str(before);
        if before.ends_with('`') {
            last.push_str(OPEN);
            left = rest;
            continue;
        }
        pieces.push(String::new());
        let (within, behind) = rest.split_once(CLOSE).unwrap_or((rest, ""));
        found.push(within.trim().to_owned());
        left = behind;
    }
    pieces.last_mut().expect("there is one at the beginning").push_str(left);
    (pieces, found)
}

/// A person's text that an agent sends as a reminder, since it was typed while tools ran.
pub(crate) fn typed_meanwhile(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("The user sent a new message while you were working:\n")?;
    Some(rest.split_once("\n\nThis is how ").map_or(rest, |(typed, _)| typed).trim_end())
}

/// The shortest text of a session's file that counts as a part of a text of others.
const SHORTEST: usize = 12;

/// The largest file whose texts are read.
const LARGEST: u64 = 16_000_000;

/// The texts of a session's files, as far as they are long enough.
#[derive(Default)]
pub(crate) struct FileTexts(Vec<String>);

impl FileTexts {
    /// The texts of the JSON files below a folder, or of one file.
    pub(crate) fn of(path: &Path) -> Self {
        let mut found = BTreeSet::new();
        let mut paths = vec![path.to_owned()];
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                paths.extend(entries.map(|entry| entry.path()));
                continue;
            }
            let is_small = fs::metadata(&path).is_ok_and(|file| file.len() <= LARGEST);
            let is_json = path.extension().is_some_and(|kind| kind == "jsonl" || kind == "json");
            if is_json && is_small {
                read(&fs::read_to_string(&path).unwrap_or_default(), &mut found);
            }
        }
        let mut all: Vec<String> = found.into_iter().collect();
        all.sort_by_key(|text| std::cmp::Reverse(text.len()));
        Self(all)
    }

    /// The parts of a text that the session's files have: another agent must send those. The words
    /// around them are the agent's own, and so are tags. Without such parts, all of it counts.
    pub(crate) fn core(&self, told: Part) -> Vec<Part> {
        if told.text.starts_with('<') {
            let part = |text: &str| Part::new(&told.kind, text.to_owned());
            return within_tags(&told.text).map(part).collect();
        }
        let mut found: Vec<Part> = Vec::new();
        let lines = unnumbered(&told.text);
        for text in &self.0 {
            let (as_sent, as_read) = (told.text.contains(text), lines.contains(text));
            let is_numbered = as_sent && text.starts_with("1 ");
            let plain = if is_numbered { unnumbered(text) } else { text.clone() };
            if !as_sent && !as_read || found.iter().any(|part| part.text.contains(&plain)) {
                continue;
            }
            let mut part =
                Part::new(&told.kind, if lines.contains(&plain) { plain } else { text.clone() });
            part.numbered = numbered(&told.text, &part.text);
            found.push(part);
        }
        if found.is_empty() { vec![told] } else { found }
    }
}

/// The piece of a text that is another one but for the numbers before its lines, with them.
fn numbered(text: &str, lines: &str) -> Option<String> {
    let starts = text.match_indices(' ').map(|(at, _)| at + 1);
    let mut starts = std::iter::once(0).chain(starts).map(|at| &text[at..]);
    let rest = starts.find(|rest| rest.starts_with("1 ") && unnumbered(rest).starts_with(lines))?;
    let (mut next, mut left) = (1_u32, lines.split(' ').count());
    let of_lines = |word: &&str| {
        let is_number = word.parse() == Ok(next);
        next += u32::from(is_number);
        let is_in = left > 0;
        left -= usize::from(is_in && !is_number);
        is_in
    };
    Some(rest.split(' ').take_while(of_lines).collect::<Vec<_>>().join(" "))
}

/// A text without the numbers that an agent puts before the lines of a file: 1, 2 and so on.
fn unnumbered(text: &str) -> String {
    let mut next = 1_u32;
    let is_text = |word: &&str| {
        let is_number = word.parse() == Ok(next);
        next += u32::from(is_number);
        !is_number
    };
    text.split(' ').filter(is_text).collect::<Vec<_>>().join(" ")
}

/// The texts between the tags of a text. What a screen says of a command ("count is running…") is
/// the agent's own: the command's name and its arguments are in the tags beside it.
fn within_tags(text: &str) -> impl Iterator<Item = &str> {
    let behind = |piece: &'_ str| piece.find('>').map_or(0, |end| end + 1);
    let pieces = text.split('<').skip(1).filter(|piece| !piece.starts_with("command-message>"));
    let pieces = pieces.map(move |piece| piece[behind(piece)..].trim());
    pieces.filter(|piece| piece.len() > 2)
}

/// The texts of a file's values.
fn read(text: &str, found: &mut BTreeSet<String>) {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut texts = Vec::new();
    values.map_while(Result::ok).for_each(|value| strings(&value, &mut texts));
    found.extend(texts.iter().map(|text| plain(text)).filter(|text| text.len() >= SHORTEST));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_the_list_has_a_name_and_a_source() {
        let agents = ["claude-code", "codex", "copilot", "gemini", "opencode", "pi", "qwen"];
        let lines = LIST.lines().filter(|line| !line.starts_with("# ") && !line.is_empty());
        let lines = lines.filter(|line| *line != "#").count();
        let (mut count, mut hashes) = (0, 0);
        for OwnText { agent, start, words: [what, source] } in own_texts() {
            assert!(agents.contains(&agent), "{agent}: {start}");
            assert!(start.len() > 5 && what.len() > 5, "{agent}: {start}: {what}");
            let (scenario, version) = source.split_once(", ").expect("a source and a version");
            assert!(!scenario.is_empty() && version.contains('.'), "{source}");
            hashes += usize::from(start.starts_with("# "));
            count += 1;
        }
        assert_eq!(count, lines);
        assert!(hashes > 0, "a beginning with a hash is read too");
    }

    /// A text that only looks like an agent's own is conversation.
    #[test]
    fn a_told_text_is_not_the_agents_own() {
        for told in [
            "<bash-input>ls figs</bash-input>",
            "Base directory for this skill: /srv/shop/figs",
            "SessionStart hook additional context: closed at noon",
            "[Request interrupted by user]",
            "<task-notification>the count failed</task-notification>",
        ] {
            assert!(!is_own("claude-code", told), "{told}");
        }
        assert!(is_own("claude-code", "Today's date is Monday."));
        assert!(!is_own("codex", "Today's date is Monday."));
    }

    #[test]
    fn reminders_are_apart_from_the_text_that_they_are_in() {
        let text = "one <system-reminder>\nThe figs are ripe.\n</system-reminder>two";
        let (pieces, found) = reminders(text);
        assert_eq!((pieces.concat(), pieces.len()), ("one two".to_owned(), 2));
        assert_eq!(found, ["The figs are ripe."]);
        let named = "a hook writes `<system-reminder>` before its text";
        assert_eq!(reminders(named), (vec![named.to_owned()], Vec::new()));
        let typed = "The user sent a new message while you were working:\nAnd figs?\n\nThis is how";
        assert_eq!(typed_meanwhile(&format!("{typed} it goes.")), Some("And figs?"));
    }

    /// Of a text in the agent's own words, the parts that the file has must be sent.
    #[test]
    fn the_core_of_a_told_text_is_what_its_file_has() {
        let told = |text: &str| Part::new("told", text.to_owned());
        let texts = FileTexts(vec!["The stall closes at noon.".to_owned(), "at noon.".to_owned()]);
        let core = |text: &str| -> Vec<String> {
            texts.core(told(text)).into_iter().map(|part| part.text).collect()
        };
        assert_eq!(core("A hook said: The stall closes at noon."), ["The stall closes at noon."]);
        assert_eq!(core("A skill, whole"), ["A skill, whole"]);
        let command = "<command-name>/count</command-name> <command-args>the figs</command-args>";
        assert_eq!(core(command), ["/count", "the figs"]);
        let file = "Result of calling the Read tool: 1 The stall closes 2 at noon.";
        let parts = texts.core(told(file));
        let read: Vec<_> = parts.iter().map(|part| &*part.text).collect();
        assert_eq!(read, ["The stall closes at noon."]);
        assert!(parts[0].is_in(file) && parts[0].is_in("The stall closes at noon."));
        assert!(!parts[0].is_in("1 The stall opens 2 at noon."));
        let shown = format!("<command-message>count is running…</command-message> {command}");
        assert_eq!(core(&shown), ["/count", "the figs"]);
    }
}
