//! Prefixes of lines: numbers, marks of diffs, quotations, comments, and the sides of tables.

use std::ops::Range;

use super::source_map::Sink;

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
pub(crate) fn prefixed(text: &[u8], is_new: &dyn Fn(&Range<usize>) -> bool) -> Vec<Range<usize>> {
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
pub(crate) fn prefixes(text: &[u8], out: &mut impl Sink) {
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
pub(crate) fn prefix(line: &[u8]) -> usize {
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
}
