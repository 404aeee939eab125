//! Elements with tags that agents write around an output and beside it.

use std::ops::Range;

/// An element that an agent writes beside an output.
pub(super) struct Aside {
    /// The place of all of it; of one without an end, the place of its begin tag.
    pub(super) place: Range<usize>,
    pub(super) is_closed: bool,
}

/// The next element beside the output in a part of a text: its name has several words, such as
/// `system-reminder`.
pub(super) fn next_aside(text: &[u8], part: Range<usize>) -> Option<Aside> {
    for found in memchr::memchr_iter(b'<', &text[part.clone()]) {
        let start = part.start + found;
        let Some(end) = aside(&text[start..part.end]) else { continue };
        let closed = memchr::memmem::find(&text[start..part.end], &end);
        let tag = memchr::memchr(b'>', &text[start..part.end]).map_or(0, |at| at + 1);
        let length = closed.map_or(tag, |at| at + end.len());
        return Some(Aside { place: start..start + length, is_closed: closed.is_some() });
    }
    None
}

/// The end tag of such an element, whose begin tag is at the beginning.
fn aside(line: &[u8]) -> Option<Vec<u8>> {
    const OUTPUTS: [&[u8]; 6] =
        [b"bash-", b"local-command", b"persisted-", b"tool_", b"user_shell", b"function_"];
    let rest = line.strip_prefix(b"<")?;
    let name = &rest[..rest.iter().take_while(|byte| is_letter(byte)).count()];
    let is_tag = matches!(rest.get(name.len()), Some(b'>' | b' '));
    let has_words = name.iter().any(|byte| matches!(byte, b'-' | b'_'));
    let is_output = OUTPUTS.iter().any(|of| name.starts_with(of));
    (is_tag && has_words && !is_output).then(|| [b"</", name, b">"].concat())
}

const fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_lowercase() || matches!(*byte, b'-' | b'_')
}

/// The output in a line that is all of an element, and whether it is the message of a fault. `None`
/// for an element that says something else, such as `<status>completed</status>`.
pub(super) fn within(text: &[u8], line: Range<usize>) -> Option<(Range<usize>, bool)> {
    const OUTPUTS: [&str; 10] = [
        "out", "result", "err", "content", "text", "value", "answer", "response", "data", "return",
    ];
    let (mut line, mut is_message) = (line, false);
    while let Some((name, inner)) = element(&text[line.clone()]) {
        let name = String::from_utf8_lossy(name);
        let is_fact = ["file", "path", "type", "status", "code", "id", "time"];
        let is_fact = name.split(['-', '_']).any(|word| is_fact.contains(&word));
        if is_fact || !OUTPUTS.iter().any(|of| name.contains(of)) {
            return None;
        }
        is_message |= name.contains("err");
        line = line.start + inner.start..line.start + inner.end;
    }
    Some((line, is_message))
}

/// The name of the element that a line is, and what is in it.
fn element(line: &[u8]) -> Option<(&[u8], Range<usize>)> {
    let rest = line.strip_prefix(b"<")?;
    let name = &rest[..rest.iter().take_while(|byte| is_letter(byte)).count()];
    let from = name.len() + 2;
    let behind = rest.get(name.len()..)?.strip_prefix(b">")?;
    let end = behind.strip_suffix(b">")?.strip_suffix(name)?.strip_suffix(b"</")?;
    (!name.is_empty()).then(|| {
        let head = end.len() - end.trim_ascii_start().len();
        (name, from + head..from + head + end.trim_ascii().len())
    })
}

/// Whether a line is a frame around an output: a tag, a fence.
pub(super) fn is_frame(line: &[u8]) -> bool {
    let inner = line.strip_prefix(b"<").and_then(|rest| rest.strip_suffix(b">"));
    let is_tag = inner.is_some_and(|inner| !inner.iter().any(|byte| b" <>".contains(byte)));
    is_tag || line.starts_with(b"```")
}
