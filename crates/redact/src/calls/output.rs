//! The values in the output of a call that names them.

use std::ops::Range;

use session::{Node, Scan, Shape};

use super::printed::Printed;
use super::{by_hand, frames};
use crate::rules::naming;

/// The shortest value, and the longest.
const SHORT: usize = 3;
const LONGEST_VALUE: usize = 8192;
/// The longest output that is read.
const LONGEST: usize = 64 << 10;

/// Words that are printed where there is no value.
const NOTHING: &[&str] = &[
    "null",
    "none",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "ok",
    "set",
    "unset",
    "found",
    "missing",
    "present",
    "empty",
    "error",
    "failed",
    "success",
    "n/a",
    "not-found",
    "<no value>",
    "<none>",
    "(none)",
    "(empty)",
    "done",
    "cancelled",
    "canceled",
    "interrupted",
    "aborted",
    "timeout",
    "rejected",
    "skipped",
    "denied",
    "completed",
    "running",
];

/// Members of an output in JSON that have what was printed.
const PRINTED: &[&[u8]] =
    &[b"output", b"stdout", b"content", b"result", b"text", b"answer", b"value"];

/// The values in the text of an output, of which the call says what it prints.
pub(crate) fn values(text: &[u8], printed: &Printed) -> Vec<Range<usize>> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    if let Some(range) = answer(text).or_else(|| within_json(text)) {
        // Of a text in JSON, the view of the text itself has the lines.
        let range = bare(text, range);
        return if is_value(&text[range.clone()]) { vec![range] } else { Vec::new() };
    }
    let members = named_members(text);
    if !members.is_empty() {
        return members;
    }
    let mut lines = Vec::new();
    let whole = || std::iter::once(0..text.len()).collect();
    for part in by_hand::printed(text).unwrap_or_else(whole) {
        lines.clear();
        content(text, part, &mut lines);
        let found = printed.values(text, &lines);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Whether a word can be a value that gives access.
pub(super) fn is_value(value: &[u8]) -> bool {
    let is_open = matches!(value, [b'$' | b'{' | b'[' | b'<' | b'*', ..]);
    can_be_value(value)
        && !is_open
        && !value.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b'\\')
}

/// Whether the only line of a call that prints exactly a value can be the value, with any
/// characters in it.
pub(super) fn is_alone(value: &[u8]) -> bool {
    // A program that knows no variables prints the name, such as `$DB_PASSWORD`.
    let is_name = value.strip_prefix(b"$").is_some_and(|name| {
        name.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
            && naming::is_secret(name)
    });
    let is_masked = value.starts_with(b"***");
    let is_framed = matches!(value, [b'{' | b'[', ..] | [b'<', .., b'>'])
        || value.starts_with(b"${")
        || value.starts_with(b"$(");
    let mut words = value.split(|byte| byte.is_ascii_whitespace());
    let is_fault = words.clone().count() > 1
        && (words.clone().count() > 12 || words.any(|word| word.ends_with(b":") || is_fault(word)));
    can_be_value(value) && !is_name && !is_masked && !is_framed && !is_fault
}

/// Whether a text is neither a word for nothing, nor a name with its value, nor a heading.
fn can_be_value(value: &[u8]) -> bool {
    let is_nothing = NOTHING.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    let mark = value.iter().position(|byte| matches!(byte, b'=' | b':'));
    // `DB_PASSWORD=...` has its name, by which other rules go.
    let is_named = mark.is_some_and(|mark| {
        let name = &value[..mark];
        name.iter().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(b))
            && naming::is_secret(name)
    });
    (SHORT..LONGEST_VALUE).contains(&value.len())
        && value.iter().any(u8::is_ascii_alphanumeric)
        && !is_nothing
        && !is_named
        && !value.ends_with(b":")
}

/// Whether a word is one that messages of faults have.
fn is_fault(word: &[u8]) -> bool {
    const FAULTS: [&[u8]; 12] = [
        b"not", b"no", b"error", b"denied", b"cannot", b"unable", b"failed", b"usage", b"unset",
        b"set", b"empty", b"missing",
    ];
    FAULTS.iter().any(|fault| word.eq_ignore_ascii_case(fault))
}

/// Whether a text of several words can be such a value: no message of a fault has only words.
pub(super) fn is_phrase(value: &[u8]) -> bool {
    let words = || value.split(|&byte| byte == b' ');
    let is_word = |word: &[u8]| {
        !word.is_empty() && word.iter().all(|byte| byte.is_ascii_graphic() && *byte != b':')
    };
    (SHORT..200).contains(&value.len())
        && (2..=12).contains(&words().count())
        && words().all(is_word)
        && !words().any(is_fault)
        && !matches!(value, [b'$' | b'{' | b'[' | b'<' | b'*', ..])
}

/// The answer of somebody: `"question"="answer"`, once.
fn answer(text: &[u8]) -> Option<Range<usize>> {
    let mark = memchr::memmem::find(text, b"\"=\"")?;
    let from = mark + 3;
    let to = from + memchr::memchr(b'"', &text[from..])?;
    memchr::memmem::find(&text[to..], b"\"=\"").is_none().then_some(from..to)
}

/// The text that was printed, in an output that is JSON.
fn within_json(text: &[u8]) -> Option<Range<usize>> {
    let head = text.len() - text.trim_ascii_start().len();
    if !matches!(text.get(head), Some(b'{' | b'[')) {
        return None;
    }
    let mut scan = Scan::new();
    let doc = scan.read(text, 0).ok()?;
    printed(doc.root(), 0)
}

/// The texts of an output in JSON whose names say that they give access.
fn named_members(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if text.trim_ascii_start().starts_with(b"{") {
        let mut scan = Scan::new();
        if let Ok(doc) = scan.read(text, 0) {
            add_members(doc.root(), 0, &mut found);
        }
    }
    found
}

fn add_members(node: Node<'_>, depth: usize, found: &mut Vec<Range<usize>>) {
    for member in node.members().filter(|_| depth < 16 && node.shape() == Shape::Object) {
        let (value, span) = (member.value, member.value.span());
        match value.shape() {
            Shape::Object => add_members(value, depth + 1, found),
            Shape::String if naming::is_secret(member.name) => {
                let range = span.start as usize + 1..span.end as usize - 1;
                found.extend(Some(range).filter(|_| value.text().is_some_and(is_value)));
            }
            _ => {}
        }
    }
}

fn printed(node: Node<'_>, depth: usize) -> Option<Range<usize>> {
    match node.shape() {
        Shape::Object => {
            let mut members = node.members().filter(|member| PRINTED.contains(&member.name));
            members.find_map(|member| printed(member.value, depth + 1))
        }
        Shape::Array if depth < 4 => {
            let mut all = node.elements();
            let (first, second) = (all.next()?, all.next());
            if second.is_some() { None } else { printed(first, depth + 1) }
        }
        Shape::String => {
            let (raw, span) = (node.text()?, node.span());
            let mut end = raw.len();
            while raw[..end].ends_with(b"\\n")
                || raw[..end].ends_with(b"\\r")
                || raw[..end].ends_with(b" ")
            {
                end -= if raw[..end].ends_with(b" ") { 1 } else { 2 };
            }
            let start = span.start as usize + 1;
            Some(start..start + end)
        }
        _ => None,
    }
}

/// The lines of an output, without those that agents write around it.
fn content(text: &[u8], range: Range<usize>, lines: &mut Vec<Range<usize>>) {
    let part = &text[range.clone()];
    let output = |mark: &[u8]| memchr::memmem::find(part, mark).map(|at| at + mark.len());
    let begin = output(b"Output:\n").or_else(|| output(b"Output: ")).filter(|_| is_head(part));
    let mut at = range.start + begin.unwrap_or(0);
    while let Some(aside) = frames::next_aside(text, at..range.end) {
        lines_of(text, at..aside.place.start, false, lines);
        at = aside.place.end;
        if !aside.is_closed {
            // Of an element whose end was cut, or of a value behind its begin tag.
            let is_first = text[range.start..aside.place.start].trim_ascii_end().is_empty();
            lines_of(text, at..if is_first { range.end } else { at }, true, lines);
            return;
        }
    }
    lines_of(text, at..range.end, false, lines);
}

/// The lines of a part, of which only single words count if it is no output for sure.
fn lines_of(text: &[u8], part: Range<usize>, is_doubtful: bool, lines: &mut Vec<Range<usize>>) {
    let mut at = part.start;
    for line in text[part].split_inclusive(|&byte| byte == b'\n') {
        let start = at + line.len() - line.trim_ascii_start().len();
        at += line.len();
        let Some((own, is_message)) = frames::within(text, start..start + line.trim_ascii().len())
        else {
            continue;
        };
        let inner = &text[own.clone()];
        let has_words = inner.iter().any(u8::is_ascii_whitespace);
        let is_skipped = (is_doubtful || is_message) && has_words;
        if !inner.is_empty() && !frames::is_frame(inner) && !is_fact(inner) && !is_skipped {
            lines.push(own);
        }
    }
}

/// Whether a text begins with facts of how a command ran.
fn is_head(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let names = [
        &b"Output:"[..],
        b"Exit code",
        b"Exit Code",
        b"Chunk ID",
        b"Wall time",
        b"Command:",
        b"Process",
        b"Directory:",
        b"Script ",
    ];
    names.iter().any(|name| first.starts_with(name))
}

/// Whether a line is a fact of how a command ran.
fn is_fact(line: &[u8]) -> bool {
    let names = [
        &b"Exit code"[..],
        b"Exit Code",
        b"Error: Exit code",
        b"Shell cwd was reset",
        b"Command exited with code",
        b"npm warn",
        b"npm WARN",
        b"Warning:",
        b"WARNING:",
        b"warning:",
        b"Error: (none)",
        b"Signal: (none)",
        b"Background PIDs",
        b"Process Group",
        b"Stderr: (empty)",
        b"Wall time",
        b"Duration",
        b"[exit",
        b"(exit",
    ];
    names.iter().any(|name| line.starts_with(name))
}

/// A value without the number of its line and the quotes around it.
pub(super) fn bare(text: &[u8], range: Range<usize>) -> Range<usize> {
    unquoted(text, unnumbered(text, range))
}

/// Without the number of the line before it.
fn unnumbered(text: &[u8], range: Range<usize>) -> Range<usize> {
    let line = &text[range.clone()];
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let marks = [&b"\t"[..], "\u{2192}".as_bytes(), b"| ", b": "];
    let mark = marks.iter().find(|mark| digits > 0 && line[digits..].starts_with(mark));
    mark.map_or(range.clone(), |mark| range.start + digits + mark.len()..range.end)
}

/// Without the quotes around it.
fn unquoted(text: &[u8], range: Range<usize>) -> Range<usize> {
    match text[range.clone()] {
        [b'"', .., b'"'] | [b'\'', .., b'\''] if range.len() > 2 => range.start + 1..range.end - 1,
        _ => range,
    }
}
