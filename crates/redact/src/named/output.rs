//! The one value in the output of a call.

use std::ops::Range;

use session::{Node, Scan, Shape};

use crate::rules::naming;

/// The shortest value, and the longest.
const SHORT: usize = 3;
const LONGEST: usize = 8192;

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
];

/// Members of an output in JSON that have what was printed.
const PRINTED: &[&[u8]] =
    &[b"output", b"stdout", b"content", b"result", b"text", b"answer", b"value"];

/// The value that a text is, with nothing beside it but what agents write around outputs.
pub(crate) fn value(text: &[u8]) -> Option<Range<usize>> {
    let length = text.len();
    if length > 4 * LONGEST {
        return None;
    }
    let range = answer(text).or_else(|| within_json(text)).or_else(|| one_line(text))?;
    let range = unquoted(text, unnumbered(text, range));
    is_value(&text[range.clone()]).then_some(range)
}

fn is_value(value: &[u8]) -> bool {
    let is_nothing = NOTHING.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    let mark = value.iter().position(|byte| matches!(byte, b'=' | b':'));
    // `DB_PASSWORD=...` has its name, by which other rules go.
    let is_named = mark.is_some_and(|mark| {
        let name = &value[..mark];
        name.iter().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(b))
            && naming::is_secret(name)
    });
    let has_letter = value.iter().any(u8::is_ascii_alphanumeric);
    let is_open = matches!(value, [b'$' | b'{' | b'[' | b'<' | b'*', ..]) || value.ends_with(b":");
    (SHORT..LONGEST).contains(&value.len())
        && has_letter
        && !is_nothing
        && !is_named
        && !is_open
        && !value.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b'\\')
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

/// The only line of a text, without the lines that agents write around an output.
fn one_line(text: &[u8]) -> Option<Range<usize>> {
    let from = memchr::memmem::find(text, b"Output:\n").map(|at| at + 8).filter(|_| is_head(text));
    let same = memchr::memmem::find(text, b"Output: ").map(|at| at + 8).filter(|_| is_head(text));
    let start = from.or(same).unwrap_or(0);
    let (mut at, mut only) = (start, None);
    for line in text[start..].split_inclusive(|&byte| byte == b'\n') {
        let inner = line.trim_ascii();
        let head = at + line.len() - line.trim_ascii_start().len();
        at += line.len();
        let is_first = head == start;
        if inner.is_empty() || is_frame(inner) || (!is_first && is_fact(inner)) {
            continue;
        }
        if only.replace(head..head + inner.len()).is_some() {
            return None;
        }
    }
    only
}

/// Whether a text begins with facts of how a command ran.
fn is_head(text: &[u8]) -> bool {
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
    ];
    names.iter().any(|name| first.starts_with(name))
}

/// Whether a line is a frame around an output: a tag, a fence.
fn is_frame(line: &[u8]) -> bool {
    let is_tag = line.starts_with(b"<") && line.ends_with(b">") && !line.contains(&b' ');
    is_tag || line.starts_with(b"```")
}

/// Whether a line is a fact of how a command ran.
fn is_fact(line: &[u8]) -> bool {
    let names = [
        &b"Exit code"[..],
        b"Exit Code",
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
