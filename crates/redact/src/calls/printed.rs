//! The lines that a call prints, and where the value is in them that the call names.

use std::ops::Range;

use super::output::{is_alone, is_phrase, is_value};
use crate::rules::{is_random, naming};

/// The most lines beside a value whose place in them is not known.
const FEW: usize = 6;
/// The shortest word that is taken for a value by its letters.
const WORD: usize = 8;

/// The lines that a call prints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Printed {
    /// `None` where other programs print lines of which nothing is known.
    lines: Option<Vec<Line>>,
    /// Others that may be printed in place of the lines.
    others: Vec<Printed>,
    /// The command that was typed into a session, which repeats it.
    typed: Option<String>,
}

/// A line that a call prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) parts: Vec<Part>,
    /// It may be missing, since another one is printed in its place.
    pub(super) is_optional: bool,
    /// It is what a variable or a file has, so that spaces may be in it.
    pub(super) is_exact: bool,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// The value that gives access.
    Value,
    /// Something else that is not known before.
    Other,
}

impl Line {
    /// A line that is the value.
    pub(super) fn value(is_exact: bool) -> Self {
        Self { parts: vec![Part::Value], is_optional: false, is_exact }
    }

    /// A line that is something else.
    pub(super) fn other() -> Self {
        Self { parts: vec![Part::Other], ..Self::default() }
    }

    pub(super) fn has_value(&self) -> bool {
        self.parts.contains(&Part::Value)
    }

    /// The text of a line that is known before.
    fn text(&self) -> Option<String> {
        let mut all = String::new();
        for part in &self.parts {
            let Part::Text(text) = part else { return None };
            all.push_str(text);
        }
        Some(all)
    }

    /// The values in a line that fits; `None` for another line.
    fn fit(&self, text: &[u8], line: &Range<usize>) -> Option<Vec<Range<usize>>> {
        let (mut at, mut open, mut found) = (line.start, None, Vec::new());
        let mut close = |open: Option<(&Part, usize)>, end: usize| {
            if let Some((Part::Value, start)) = open {
                found.push(start..end);
            }
        };
        let count = self.parts.len();
        for (number, part) in self.parts.iter().enumerate() {
            let Part::Text(words) = part else {
                if open.replace((part, at)).is_some() {
                    return None;
                }
                continue;
            };
            // Spaces at the ends of a line are not looked at.
            let words = if number == 0 { words.trim_start() } else { words };
            let words = if number + 1 == count { words.trim_end() } else { words };
            let rest = &text[at..line.end];
            let found_at = match open {
                _ if words.is_empty() => Some(rest.len()).filter(|_| number + 1 == count),
                Some(_) if number + 1 == count => {
                    rest.ends_with(words.as_bytes()).then(|| rest.len() - words.len())
                }
                Some(_) => memchr::memmem::find(rest, words.as_bytes()),
                None => rest.starts_with(words.as_bytes()).then_some(0),
            };
            let found_at = if words.is_empty() && open.is_none() { Some(0) } else { found_at }?;
            close(open.take(), at + found_at);
            at += found_at + words.len();
        }
        let is_whole = open.is_some() || at == line.end;
        close(open, line.end);
        is_whole.then_some(found)
    }
}

impl Printed {
    /// A call that prints the value alone.
    pub(super) fn value_alone(is_exact: bool) -> Self {
        Self::of(Some(vec![Line::value(is_exact)]))
    }

    /// A call that prints so many values, each in a line of its own.
    pub(super) fn values_alone(count: usize) -> Self {
        Self::of(Some(vec![Line::value(false); count]))
    }

    /// A call that prints what several others do, alone or together.
    pub(super) fn one_of(all: Vec<Self>) -> Self {
        let together: Option<Vec<Vec<Line>>> = all.iter().map(|of| of.lines.clone()).collect();
        Self { others: all, ..Self::of(together.map(|lines| lines.concat())) }
    }

    /// The same of a command that is typed into a session.
    pub(super) fn typed(self, command: &str) -> Self {
        Self { typed: Some(command.to_owned()), ..self }
    }

    pub(super) fn of(lines: Option<Vec<Line>>) -> Self {
        Self { lines, ..Self::default() }
    }

    /// The lines, if all are known.
    pub(super) fn into_lines(self) -> Option<Vec<Line>> {
        self.lines
    }

    /// The values in the lines of an output.
    pub(super) fn values(&self, text: &[u8], lines: &[Range<usize>]) -> Vec<Range<usize>> {
        let own = self.own(text, lines);
        let lines = own.as_deref().unwrap_or(lines);
        let forms = std::iter::once(self).chain(&self.others).filter_map(|of| of.lines.as_ref());
        let found = forms.filter_map(|known| fitting(known, text, lines));
        let found = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        if found.is_empty() { made_by_chance(text, lines) } else { found }
    }

    /// The lines without what was typed, which a session repeats, and without its last prompt.
    fn own(&self, text: &[u8], lines: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
        let typed = self.typed.as_ref()?.as_bytes();
        let is_typed = |line: &&Range<usize>| text[(*line).clone()].ends_with(typed);
        let mut own: Vec<_> = lines.iter().filter(|line| !is_typed(line)).cloned().collect();
        let is_prompt = |line: &Range<usize>| {
            matches!(text[line.clone()].last(), Some(b'$' | b'#' | b'%' | b'>'))
        };
        if own.len() > 1 && own.last().is_some_and(is_prompt) {
            own.pop();
        }
        Some(own)
    }
}

/// The values of an output whose lines are these.
fn fitting(known: &[Line], text: &[u8], lines: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
    let texts: Vec<String> =
        known.iter().filter_map(Line::text).map(|line| line.trim().to_owned()).collect();
    let is_text = |line: &&Range<usize>| {
        let line = &text[(*line).clone()];
        texts.iter().any(|known| known.as_bytes() == line)
    };
    let rest: Vec<_> = lines.iter().filter(|line| !is_text(line)).collect();
    let open: Vec<_> = known.iter().filter(|line| line.text().is_none()).collect();
    let needed: Vec<_> = open.iter().copied().filter(|line| !line.is_optional).collect();
    let open = if open.len() == rest.len() { open } else { needed };
    if open.len() != rest.len() {
        return None;
    }
    let mut found = Vec::new();
    let is_only = known.len() == 1 && lines.len() == 1;
    for (line, range) in open.into_iter().zip(rest) {
        let is_only = is_only && line.is_exact && line.parts == [Part::Value];
        let is_good = |range: &Range<usize>| {
            let value = &text[range.clone()];
            is_value(value) || (line.is_exact && is_phrase(value)) || (is_only && is_alone(value))
        };
        let bare = |range| super::output::bare(text, range);
        found.extend(line.fit(text, range)?.into_iter().map(bare).filter(is_good));
    }
    Some(found)
}

/// The words of a few lines that are made by chance.
fn made_by_chance(text: &[u8], lines: &[Range<usize>]) -> Vec<Range<usize>> {
    if lines.len() > FEW {
        return Vec::new();
    }
    let mut found = Vec::new();
    if let [line] = lines {
        let word = &text[line.clone()];
        if word.len() >= WORD && is_value(word) && !naming::is_plain(word) && !is_id(word) {
            let range = super::output::bare(text, line.clone());
            return vec![range];
        }
    }
    for line in lines {
        let (mut at, is_end) = (line.start, |byte: &u8| b" \t\"'`,;()<>[]{}|=".contains(byte));
        for word in text[line.clone()].split(is_end) {
            let range = at..at + word.len();
            at = range.end + 1;
            // `user:value`
            let begin = memchr::memrchr(b':', word).map_or(0, |mark| mark + 1);
            let (range, word) = (range.start + begin..range.end, &word[begin..]);
            let is_path = word.contains(&b'/') && naming::is_plain(word);
            if word.len() >= WORD && is_value(word) && is_random(word) && !is_id(word) && !is_path {
                found.push(range);
            }
        }
    }
    found
}

/// Whether a word is the id of a commit, or a UUID.
fn is_id(word: &[u8]) -> bool {
    word.len() <= 40 && word.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
}
