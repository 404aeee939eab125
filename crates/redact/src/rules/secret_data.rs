//! The data of a secret of Kubernetes: each member of its `data` and `stringData` is a credential,
//! whatever its name, in YAML and in JSON.

use std::ops::Range;

use session::Sorting as _;

/// The most bytes before the kind of a document, and behind it, in which its data is.
const AROUND: usize = 16 << 10;
/// The shortest value.
const SHORT: usize = 4;

/// Adds the values of the document whose kind a keyword says.
pub(super) fn values(text: &[u8], keyword: &Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(region) = region(text, keyword) else { return };
    for name in [&b"data"[..], b"stringData"] {
        for at in memchr::memmem::find_iter(&text[region.clone()], name) {
            let start = region.start + at;
            let Some(behind) = member(text, start..start + name.len()) else { continue };
            match text[behind..region.end].iter().position(|byte| !byte.is_ascii_whitespace()) {
                Some(gap) if text[behind + gap] == b'{' => {
                    in_object(text, behind + gap + 1..region.end, found);
                }
                _ => in_lines(text, start, behind..region.end, found),
            }
        }
    }
    // Two lines that were joined are no value.
    found.retain(|range| memchr::memmem::find(&text[range.clone()], b": ").is_none());
    found.in_order_by_key(|range| range.start);
    found.dedup();
}

/// The part of a text that is one document with the kind of a secret.
fn region(text: &[u8], keyword: &Range<usize>) -> Option<Range<usize>> {
    const WORDS: [&[u8]; 2] = [b"kind", b"apiVersion"];
    let is_whole = !text.get(keyword.end).is_some_and(u8::is_ascii_alphanumeric);
    let before = &text[keyword.start.saturating_sub(AROUND)..keyword.start];
    let start = keyword.start - before.len();
    let head = before.trim_ascii_end();
    let head = head.strip_suffix(b"\"").unwrap_or(head).trim_ascii_end();
    let head = head.strip_suffix(b":")?;
    let head = head.strip_suffix(b"\"").unwrap_or(head);
    let head = head.strip_suffix(b"kind").filter(|_| is_whole)?;
    let from = memchr::memmem::rfind(head, b"kind").map_or(0, |at| at + 4);
    let behind = &text[keyword.end..text.len().min(keyword.end + AROUND)];
    let ends = WORDS.iter().filter_map(|word| memchr::memmem::find(behind, word));
    let end = ends.min().unwrap_or(behind.len());
    Some(start + from..keyword.end + end)
}

/// The place behind the colon of a member with this name.
fn member(text: &[u8], name: Range<usize>) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if name.start > 0 && is_part(&text[name.start - 1]) {
        return None;
    }
    let rest = &text[name.end..];
    let quote = usize::from(rest.starts_with(b"\""));
    let space = rest[quote..].iter().take_while(|byte| **byte == b' ').count();
    (rest.get(quote + space) == Some(&b':')).then(|| name.end + quote + space + 1)
}

/// The texts of an object, up to its end.
fn in_object(text: &[u8], object: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut at = object.start;
    let mut is_value = false;
    while let Some(next) = memchr::memchr3(b'"', b'}', b':', &text[at..object.end]) {
        at += next + 1;
        match text[at - 1] {
            b'}' => return,
            b':' => is_value = true,
            _ => {
                let Some(length) = memchr::memchr(b'"', &text[at..object.end]) else { return };
                if is_value && length >= SHORT {
                    found.push(at..at + length);
                }
                (is_value, at) = (false, at + length + 1);
            }
        }
    }
}

/// The values of the lines that are indented more than the one of the name.
fn in_lines(text: &[u8], name: usize, behind: Range<usize>, found: &mut Vec<Range<usize>>) {
    let line = memchr::memrchr(b'\n', &text[..name]).map_or(0, |at| at + 1);
    let depth = |line: &[u8]| line.iter().take_while(|byte| **byte == b' ').count();
    let own = depth(&text[line..name]);
    let Some(first) = memchr::memchr(b'\n', &text[behind.clone()]) else { return };
    let mut at = behind.start + first + 1;
    let mut block = None;
    for line in text[at..behind.end].split_inclusive(|&byte| byte == b'\n') {
        let (start, inner) = (at, line.trim_ascii());
        at += line.len();
        if inner.is_empty() {
            continue;
        }
        let deep = depth(line);
        if deep <= own {
            return;
        }
        // The lines of a text behind `|`.
        if block.is_some_and(|of| deep > of) {
            found.extend((inner.len() >= SHORT).then(|| start + deep..start + deep + inner.len()));
            continue;
        }
        let Some(mark) = memchr::memmem::find(inner, b": ") else {
            block = inner.ends_with(b":").then_some(deep);
            continue;
        };
        let value = inner[mark + 2..].trim_ascii();
        let is_block = matches!(value, [b'|' | b'>', ..]) && value.len() <= 3;
        block = is_block.then_some(deep);
        let bare = match value {
            [quote @ (b'"' | b'\''), inner @ .., last] if quote == last => inner,
            _ => value,
        };
        if !is_block && bare.len() >= SHORT {
            let end = start + deep + inner.len() - usize::from(bare.len() < value.len());
            found.push(end - bare.len()..end);
        }
    }
}
