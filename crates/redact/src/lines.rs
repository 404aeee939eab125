//! Prefixes of lines, and lines that were cut at a width.

use std::ops::Range;

use super::decode::Sink;
use super::rules::is_made;

/// The most lines, and bytes, without a prefix between two with one that are seen together.
const APART: usize = 8;
const FAR: usize = 4096;
/// The lines around them that are seen with them, and the longest such line.
const AROUND_LINES: usize = 3;
const LONG: usize = 1024;

/// Lines with prefixes that are near each other.
struct Group {
    range: Range<usize>,
    /// The number of the last line, and whether its prefix is new.
    last: usize,
    is_new: bool,
    /// Whether they are more than single lines that begin so by chance.
    is_one: bool,
}

/// The ranges of a text in which lines have prefixes: two that follow each other, the only one, or
/// any behind a PEM header. `is_new` says whether a prefix was not seen in an earlier text.
pub(super) fn prefixed(text: &[u8], is_new: &dyn Fn(&Range<usize>) -> bool) -> Vec<Range<usize>> {
    let mut headers = memchr::memmem::find_iter(text, b"-----BEGIN ").peekable();
    let mut groups: Vec<Group> = Vec::new();
    let (mut start, mut header) = (0, None);
    for (number, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let range = start..start + line.len();
        start = range.end;
        let length = prefix(line);
        if length > 0 {
            let is_new = is_new(&(range.start..range.start + length));
            let is_one = line.len() == text.len()
                || header.is_some_and(|header| number <= header + AROUND_LINES);
            match groups.last_mut().filter(|group| group.is_near(number, &range)) {
                Some(group) => group.add(number, &range, is_new, is_one),
                None => {
                    groups.push(Group { range, last: number, is_new, is_one: is_new && is_one })
                }
            }
        }
        while headers.next_if(|&at| at < start).is_some() {
            header = Some(number);
        }
    }
    let groups = groups.into_iter().filter(|group| group.is_one);
    groups.map(|group| with_lines_around(text, group.range)).collect()
}

impl Group {
    fn is_near(&self, number: usize, line: &Range<usize>) -> bool {
        number - self.last <= APART && line.start - self.range.end <= FAR
    }

    fn add(&mut self, number: usize, line: &Range<usize>, is_new: bool, is_one: bool) {
        let follows = number == self.last + 1;
        self.is_one |= (follows && (is_new || self.is_new)) || (is_one && is_new);
        (self.range.end, self.last, self.is_new) = (line.end, number, is_new);
    }
}

/// Lines with some that are before and behind them.
fn with_lines_around(text: &[u8], lines: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = lines;
    for _ in 0..AROUND_LINES {
        let far = start.saturating_sub(LONG);
        let before = &text[far..start.saturating_sub(1).max(far)];
        let line = memchr::memrchr(b'\n', before).map(|at| far + at + 1);
        start = line.unwrap_or(if far == 0 { 0 } else { start });
        let behind = &text[end..text.len().min(end + LONG)];
        let line = memchr::memchr(b'\n', behind).map(|at| end + at + 1);
        end = line.unwrap_or(if end + behind.len() == text.len() { text.len() } else { end });
    }
    start..end
}

/// Removes the prefix of each line, and the other side of a table's row.
pub(super) fn prefixes(text: &[u8], out: &mut impl Sink) {
    let mut at = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let skip = prefix(line);
        let kept = line.len() - suffix(line, skip);
        if skip < kept {
            out.put(&line[skip..kept], at + skip..at + kept);
        }
        if kept < line.len() {
            out.put(b"\n", at + line.len() - 1..at + line.len());
        }
        at += line.len();
    }
}

/// The length of the right side of a row of a table or a box with such a prefix.
fn suffix(line: &[u8], prefix: usize) -> usize {
    let head = line[..prefix].trim_ascii();
    let trimmed = line.trim_ascii_end();
    let is_row = line.ends_with(b"\n") && BARS.contains(&head) && trimmed.len() > prefix;
    let inner = trimmed.strip_suffix(head).filter(|_| is_row);
    inner.map_or(0, |inner| line.len() - inner.trim_ascii_end().len().max(prefix))
}

/// The sides of tables and boxes.
const BARS: [&[u8]; 3] = [b"|", b"\xe2\x94\x82", b"\xe2\x94\x83"];

/// The beginnings of lines of comments.
const COMMENTS: [&[u8]; 8] = [b"# ", b"// ", b"* ", b"-- ", b";; ", b"; ", b"% ", b"rem "];

/// The length of a line's prefix: `  12→`, `12\t`, `12|`, `path:12:`, `path-12-`, `+`, `-`, `> `.
pub(super) fn prefix(line: &[u8]) -> usize {
    if let [b'+' | b'-', second, ..] = line
        && !matches!(second, b'+' | b'-' | b'\n')
    {
        return 1;
    }
    let space = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let rest = &line[space..];
    let marked = match rest {
        [b'0'..=b'9', ..] => numbered(rest),
        [b'>', b' ', ..] => 2,
        [b'|' | 0xe2, ..] => {
            let is_bar =
                |bar: &[u8]| rest.strip_prefix(bar).is_some_and(|rest| rest.starts_with(b" "));
            BARS.iter().find(|bar| is_bar(bar)).map_or(0, |bar| bar.len() + 1)
        }
        [b'#' | b'/' | b'*' | b'-' | b';' | b'%' | b'r', ..] => {
            COMMENTS.iter().find(|&&comment| rest.starts_with(comment)).map_or(0, |it| it.len())
        }
        _ => 0,
    };
    // A position in hexadecimal digits.
    let is_position = matches!(rest, [b'0'..=b'9' | b'a'..=b'f', _, _, _, b':', b' ', ..])
        && rest[1..4].iter().all(u8::is_ascii_hexdigit);
    match marked {
        0 if is_position => space + 6,
        0 => found_in(line).unwrap_or(0),
        length => space + length,
    }
}

/// The length of a number and the mark behind it.
fn numbered(line: &[u8]) -> usize {
    let digits = line.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let mark = match &line[digits..] {
        [0xe2, 0x86, 0x92, ..] => 3,
        [b':' | b'-', b' ', ..] => 2,
        [b'\t' | b'|' | b':', ..] => 1,
        _ => 0,
    };
    if mark > 0 && digits < 8 { digits + mark } else { 0 }
}

/// The length of `path:12:` or `path-12-`, as `grep -n` prints it.
fn found_in(line: &[u8]) -> Option<usize> {
    let head = &line[..line.len().min(200)];
    let word = head.iter().position(|byte| matches!(byte, b' ' | b'\t' | b'"'));
    let word = &head[..word.unwrap_or(head.len())];
    memchr::memchr2_iter(b':', b'-', word).find_map(|start| {
        let digits = head[start + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = start + 1 + digits;
        let is_number = (1..8).contains(&digits) && head.get(end) == head.get(start);
        // A time has digits between colons too, and no file.
        let is_path = || memchr::memchr2(b'/', b'.', &head[..start]).is_some();
        (is_number && is_path()).then_some(end + 1)
    })
}

/// The smallest width at which lines are cut.
const NARROW: usize = 40;
/// Names of values that a width may cut.
const KNOWN: [&[u8]; 5] = [b"password", b"passwd", b"secret", b"token", b"authtoken"];
/// The shortest line that is one word because a width cut it.
const WIDE: usize = 24;
/// The smallest width, where the line before or behind shows that it is one.
const LEAST: usize = 10;
/// The most bytes behind the last piece of a text that was cut.
const BEHIND: usize = 8;
/// The largest number of bytes of a text around its cuts.
const AROUND: usize = 8192;

/// The number of bytes on each side of a line break that decide whether it cuts a word.
const NEAR: usize = 16;

/// The ranges of a text around line breaks that may cut a word: the line is long, and a letter,
/// digit or mark of a token is on both sides. `is_new` says whether a break was not seen in an
/// earlier text.
pub(super) fn cuts(text: &[u8], is_new: &dyn Fn(&Range<usize>) -> bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, mut before) = (0, 0);
    for at in memchr::memchr_iter(b'\n', text) {
        let line = &text[start..at];
        let (from, next) = (start, at + 1);
        start = next;
        let is_one = is_cut(line, &text[next..], before);
        before = line.len();
        if !is_one || !is_new(&(at.saturating_sub(NEAR)..next + NEAR)) {
            continue;
        }
        let begin = start_of_word(text, from.max(at.saturating_sub(AROUND / 2)));
        let rest = &text[next..text.len().min(next + AROUND / 2)];
        let end = next + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let end = end_of_word(text, end);
        match found.last_mut() {
            Some(last) if last.end >= begin => last.end = end,
            _ => found.push(begin..end),
        }
    }
    found
}

/// Whether the break between a line and what follows may cut a word. `before` is the length of the
/// line before.
fn is_cut(line: &[u8], rest: &[u8], before: usize) -> bool {
    let is_long = line.len() == before;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if is_open(line, rest) {
        return true;
    }
    if line.len() < LEAST || !line.last().is_some_and(|&byte| is_token(byte)) {
        return false;
    }
    // A row of a table ends where it ends.
    if memchr::memchr(b'\t', line.trim_ascii_start()).is_some() {
        return false;
    }
    if line.len() < NARROW {
        return is_narrow(line, rest, is_long);
    }
    let space = rest.iter().take(64).take_while(|byte| byte.is_ascii_whitespace()).count();
    match rest[space..] {
        [byte, next, ..] if is_within(byte) => next.is_ascii_alphanumeric(),
        [byte, ..] => is_token(byte) || is_escape(byte),
        [] => false,
    }
}

/// Whether a quote opens at the end of a line, and closes on the next one: a width cut the string.
fn is_open(line: &[u8], rest: &[u8]) -> bool {
    let Some(tail) = line.get(line.len().saturating_sub(STRING)..).filter(|_| line.len() >= LEAST)
    else {
        return false;
    };
    let Some(quote) = memchr::memrchr(b'"', tail) else { return false };
    let before = tail[..quote].trim_ascii_end().last();
    let opens = matches!(before, Some(b'=' | b':')) && tail[quote + 1..].first() != Some(&b' ');
    opens && {
        let next = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
        memchr::memchr(b'"', &next[..next.len().min(STRING)]).is_some()
    }
}

/// The longest part of a string on a line that a width cut.
const STRING: usize = 128;

/// Whether a byte may be within a password or an address, and begins no word of a text.
const fn is_within(byte: u8) -> bool {
    matches!(byte, b'$' | b'@' | b':' | b'?' | b'~')
}

/// Whether an escape of a letter may begin with a byte, or a string ends with it.
const fn is_escape(byte: u8) -> bool {
    matches!(byte, b'%' | b'&' | b'\\' | b'"' | b'\'')
}

/// Whether a short line is one that a width cut: what follows is no longer, and begins with a piece
/// of a word, not with a name and its value; and either part is no common word, or both lines have
/// the same length.
fn is_narrow(line: &[u8], rest: &[u8], is_long: bool) -> bool {
    let next = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let next = next.strip_suffix(b"\r").unwrap_or(next);
    let last = || line.rsplit(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    let is_address = memchr::memchr2(b'@', b':', line).is_some() && is_address(last());
    let is_first =
        |&byte: &u8| is_token(byte) || is_escape(byte) || (is_address && is_within(byte));
    let indent = next.len() - next.trim_ascii_start().len();
    if next.len() > line.len() + BEHIND || !next[indent..].first().is_some_and(is_first) {
        return false;
    }
    if indent == 0 && (is_long || is_address || next.len() == line.len() || is_alone(line)) {
        return true;
    }
    let (next, last) = (&next[indent..], last());
    let first = next.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    let is_part = |byte: &&u8| is_token(**byte) && **byte != b'=';
    let piece = &first[..first.iter().take_while(is_part).count()];
    let behind = first[piece.len()..].trim_ascii();
    let is_name = matches!(behind, [b'=' | b':', ..]) && behind.iter().any(|&byte| byte != b'=');
    let ends = behind.first().is_none_or(|byte| b"@\"'`;}&=:".contains(byte));
    let is_piece = piece.len() > 1 && !is_name && ends;
    let made = [last, piece].map(|word| word.len() > 2 && is_made(word));
    let is_word = last.len() >= 8 && (made[0] || made[1]);
    let is_known = last.len() < 9 && KNOWN.contains(&&[last, piece].concat()[..]);
    let is_head = last.len() >= 2 && piece.len() >= 10 && made[1];
    is_piece && (is_word || is_head || is_known)
}

/// Whether a word is an address that has no end yet.
fn is_address(word: &[u8]) -> bool {
    let authority = word.windows(3).position(|of| of == b"://").map(|at| &word[at + 3..]);
    let is_open = authority.is_some_and(|of| !of.is_empty() && !of.contains(&b'/'));
    let host = memchr::memchr(b'@', word).map(|at| &word[at..]);
    is_open || host.is_some_and(|host| !host.contains(&b'.'))
}

/// Whether a word has a whole line.
fn is_alone(line: &[u8]) -> bool {
    line.len() >= WIDE && line.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// The longest word that is looked for at an end of a range.
const WORD: usize = 4096;

const fn is_in_word(byte: u8) -> bool {
    is_token(byte) || byte >= 0x80 || matches!(byte, b'@' | b'\\')
}

/// The first byte of the word that a position is in.
pub(super) fn start_of_word(text: &[u8], at: usize) -> usize {
    let before = text[..at].iter().rev().take(WORD);
    at - before.take_while(|&&byte| is_in_word(byte)).count()
}

/// The end of the word that a position is in.
pub(super) fn end_of_word(text: &[u8], at: usize) -> usize {
    let behind = text[at..].iter().take(WORD);
    at + behind.take_while(|&&byte| is_in_word(byte)).count()
}

pub(super) const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'.')
}

/// Removes the line breaks that may cut a word, and the space that follows them.
pub(super) fn wrapped(text: &[u8], out: &mut impl Sink) {
    let (mut from, mut line, mut before) = (0, 0, 0);
    for at in memchr::memchr_iter(b'\n', text) {
        let next = at + 1;
        let is_one = is_cut(&text[line..at], &text[next..], before);
        before = at - line;
        if is_one {
            let end = if text[..at].ends_with(b"\r") { at - 1 } else { at };
            out.put(&text[from..end], from..end);
            let rest = text[next..].iter().take(64);
            let space = rest.take_while(|byte| byte.is_ascii_whitespace()).count();
            from = next + space;
        }
        line = next;
    }
    if from < text.len() {
        out.put(&text[from..], from..text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_lines_are_removed() {
        for (line, text) in [
            ("   12\u{2192}let a = 1;\n", "let a = 1;\n"),
            ("12\tlet a", "let a"),
            ("src/a.rs:12:let a", "let a"),
            ("src/a-b.rs-12-let a", "let a"),
            ("+let a", "let a"),
            ("> let a", "let a"),
            ("let a", "let a"),
            ("++ let a", "++ let a"),
            ("at 12:30:00", "at 12:30:00"),
            ("| let a  |\n", "let a\n"),
            ("\u{2502} let a \u{2502}\n", "let a\n"),
            ("  // let a", "let a"),
        ] {
            let mut out = Vec::new();
            prefixes(line.as_bytes(), &mut out);
            assert_eq!(String::from_utf8_lossy(&out), text);
        }
    }

    #[test]
    fn lines_with_prefixes_are_found_with_those_around_them() {
        let (plain, two) = ("words\n".repeat(20), "> a\n> b\n");
        let around = |text: &str| {
            let found = prefixed(text.as_bytes(), &|_| true);
            found.into_iter().map(|range| text[range].to_owned()).collect::<Vec<_>>()
        };
        let three = "words\n".repeat(3);
        let block = format!("{three}{two}{three}");
        assert_eq!(around(&format!("{plain}{two}{plain}{two}{plain}")), [&*block, &*block]);
        assert_eq!(around("> a\nb\n> c\n"), [""; 0]);
        assert_eq!(around("> a"), ["> a"]);
        let key = "-----BEGIN X KEY-----\n> a\n";
        assert_eq!(around(key), [key]);
        let long = format!("{}\n{two}{}", "x".repeat(LONG), "y".repeat(LONG + 1));
        assert_eq!(around(&long), [two]);
        assert_eq!(prefixed(two.as_bytes(), &|prefix| prefix.start > 9).len(), 0);
    }

    #[test]
    fn a_word_that_a_width_cut_is_whole_again() {
        let word = "k".repeat(30);
        let text = format!("{}{}\r\n  {} and more", "=".repeat(20), &word[..25], &word[25..]);
        let cuts = cuts(text.as_bytes(), &|_| true);
        assert_eq!((cuts.len(), &cuts[0]), (1, &(0..text.len())));
        let mut out = Vec::new();
        wrapped(text.as_bytes(), &mut out);
        assert!(String::from_utf8_lossy(&out).contains(&word));
        assert!(super::cuts(b"short\nlines\n", &|_| true).is_empty());
    }
}
