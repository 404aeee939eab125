//! Text from sessions, made safe for a terminal. Characters that could act on the terminal or
//! deceive its reader are made visible. These are control characters and sequences, invisible
//! characters, changes of the writing direction, and long runs of combining marks.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_width::UnicodeWidthChar;
use views::visible::{Space, is_hidden, visible};

/// Text that is safe for a terminal. Every constructor for foreign text makes it safe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plain(Cow<'static, str>);

impl Plain {
    /// Text of verbatim itself.
    #[must_use]
    pub const fn ours(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// Foreign text on one line. Line breaks and runs of white space become one space.
    #[must_use]
    pub fn line(text: &str) -> Self {
        // Most texts are as they are shown.
        let bytes = text.as_bytes();
        let is_one = !bytes.iter().any(|byte| matches!(byte, b'\n' | b'\t' | b'\r'))
            && !bytes.starts_with(b" ")
            && !bytes.ends_with(b" ")
            && !text.contains("  ");
        if is_one {
            return Self::words(text);
        }
        let words: Vec<&str> =
            text.split([' ', '\n', '\t', '\r']).filter(|w| !w.is_empty()).collect();
        let joined = words.join(" ");
        Self(Cow::Owned(
            visible(joined.strip_suffix('\r').unwrap_or(&joined), Space::Line).into_owned(),
        ))
    }

    /// Foreign text on one line, with all of its spaces.
    #[must_use]
    pub fn words(text: &str) -> Self {
        Self(Cow::Owned(visible(text, Space::Line).into_owned()))
    }

    /// Foreign text with its line breaks.
    #[must_use]
    pub fn block(text: &str) -> Self {
        Self(Cow::Owned(visible(text, Space::Lines).into_owned()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Width in columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.0.chars().map(columns).sum()
    }

    /// The beginning of the text, at most `width` columns. `…` at the end marks the cut.
    #[must_use]
    pub fn cut(self, width: usize) -> Self {
        if self.0.len() <= width || self.width() <= width {
            return self;
        }
        let mut used = 0;
        let fits = |(_, c): &(usize, char)| {
            used += columns(*c);
            used < width
        };
        let end =
            self.0.char_indices().take_while(fits).last().map_or(0, |(at, c)| at + c.len_utf8());
        Self(Cow::Owned(format!("{}…", self.0[..end].trim_end())))
    }

    /// The end of the text, at most `width` columns. `…` at the beginning marks the cut.
    #[must_use]
    pub fn cut_front(self, width: usize) -> Self {
        let mut over = self.width().saturating_sub(width);
        if over == 0 {
            return self;
        }
        over += 1;
        let rest = self.0.trim_start_matches(|c| {
            let skip = over > 0;
            over = over.saturating_sub(columns(c));
            skip
        });
        Self(Cow::Owned(format!("…{rest}")))
    }

    /// A part of the text.
    #[must_use]
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        Self(Cow::Owned(self.0.get(range).unwrap_or_default().to_owned()))
    }

    /// The text without its middle, at most `width` columns: of a path, the beginning and the file.
    #[must_use]
    pub fn cut_middle(self, width: usize) -> Self {
        if self.width() <= width {
            return self;
        }
        let behind = width.saturating_sub(1) * 2 / 3;
        let before = width.saturating_sub(1) - behind;
        let (mut used, mut end) = (0, 0);
        for (at, c) in self.0.char_indices() {
            used += columns(c);
            if used > before {
                break;
            }
            end = at + c.len_utf8();
        }
        let (mut used, mut start) = (0, self.0.len());
        for (at, c) in self.0.char_indices().rev() {
            used += columns(c);
            if used > behind {
                break;
            }
            start = at;
        }
        Self(Cow::Owned(format!("{}…{}", &self.0[..end], &self.0[start..])))
    }

    /// The text in lines of at most `width` columns, broken between words where it can be. A line
    /// keeps its indentation.
    #[must_use]
    pub fn wrapped(&self, width: usize) -> Vec<Self> {
        let width = width.max(8);
        let mut lines = Vec::new();
        let mut rest = &*self.0;
        let indent: String = rest.chars().take_while(|c| *c == ' ').take(width / 2).collect();
        let mut first = true;
        loop {
            let room = if first { width } else { width - indent.len() };
            let (line, left) = split(rest, room);
            let line = if first { line.to_owned() } else { format!("{indent}{line}") };
            lines.push(Self(Cow::Owned(line)));
            first = false;
            rest = left;
            if rest.is_empty() {
                return lines;
            }
        }
    }

    /// Its lines.
    pub fn lines(&self) -> impl Iterator<Item = Self> {
        self.0.lines().map(|line| Self(Cow::Owned(line.to_owned())))
    }

    /// Concatenation of two texts.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self(Cow::Owned(format!("{}{}", self.0, other.0)))
    }
}

impl std::fmt::Display for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The part of a text that fits into a width, and the rest.
fn split(text: &str, width: usize) -> (&str, &str) {
    let (mut used, mut space) = (0, None);
    for (at, c) in text.char_indices() {
        used += columns(c);
        if used > width {
            let at = if at == 0 { c.len_utf8() } else { at };
            return match space.filter(|space| !text[..*space].trim().is_empty()) {
                Some(space) => (&text[..space], text[space..].trim_start_matches(' ')),
                None => text.split_at(at),
            };
        }
        if c == ' ' {
            space = Some(at);
        }
    }
    (text, "")
}

/// Width of a character in columns.
pub(crate) fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// JSON text with such characters escaped. The values stay the same, because JSON allows these
/// characters only within strings.
#[must_use]
pub fn json(text: &str) -> Cow<'_, str> {
    let acts = |c: char| is_hidden(c) || c == '\x7f';
    let Some(first) = text.find(acts) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        match acts(c) {
            false => out.push(c),
            true => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                let _ = write!(out, "\\u{unit:04x}");
            }),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_shown_instead() {
        let cases = [
            ("a\u{1b}[2Jb", "a␛[2Jb"),
            ("x\r\ny\rz", "x\ny␍z"),
            ("\u{9b}2J", "⟨U+009B⟩2J"),
            ("\u{202e}txt.exe\u{202c}", "⟨U+202E⟩txt.exe⟨U+202C⟩"),
            ("pay\u{200b}pal", "pay⟨U+200B⟩pal"),
            ("\u{e0041}", "⟨U+E0041⟩"),
            ("pay\u{200d}pal \u{200c}x", "pay⟨U+200D⟩pal ⟨U+200C⟩x"),
            ("a\u{1bca1}b\u{13437}c", "a⟨U+1BCA1⟩b⟨U+13437⟩c"),
            ("tab\tend\u{7f}", "tab    end␡"),
        ];
        for (text, expected) in cases {
            assert_eq!(Plain::block(text).as_str(), expected);
        }
        assert_eq!(Plain::line(" a \n b\tc\r\n").as_str(), "a b c");
    }

    #[test]
    fn writing_systems_stay_as_they_are() {
        for text in
            ["héllo e\u{301}", "日本語", "👩\u{200d}👩\u{200d}👧", "نوشته\u{200c}ها", "❤\u{fe0f}"]
        {
            assert_eq!(Plain::block(text).as_str(), text);
        }
    }

    #[test]
    fn a_flood_of_marks_is_cut() {
        let flood = format!("a{}b", "\u{301}".repeat(500));
        assert_eq!(Plain::block(&flood).as_str(), "a\u{301}\u{301}\u{301}\u{301}⟨496 marks⟩b");
    }

    #[test]
    fn text_is_cut_by_columns() {
        assert_eq!(Plain::line("日本語の文").cut(7).as_str(), "日本語…");
        assert_eq!(Plain::line("short").cut(5).as_str(), "short");
        assert_eq!(Plain::line("/home/ana/work").cut_front(8).as_str(), "…na/work");
    }

    #[test]
    fn paths_lose_their_middle() {
        let path = Plain::line("/home/ana/work/shop/src/cart.rs");
        assert_eq!(path.clone().cut_middle(16).as_str(), "/home…rc/cart.rs");
        assert_eq!(path.clone().cut_middle(99), path);
        assert_eq!(Plain::line("日本語の文字列").cut_middle(8).width(), 7);
    }

    #[test]
    fn lines_break_between_words() {
        let wrapped = |text, width| -> Vec<String> {
            let lines = Plain::words(text).wrapped(width).into_iter();
            lines.map(|line| line.as_str().to_owned()).collect()
        };
        assert_eq!(wrapped("paint the door green", 10), ["paint the", "door green"]);
        assert_eq!(wrapped("  - paint the door", 11), ["  - paint", "  the door"]);
        assert_eq!(wrapped("abcdefghijkl", 8), ["abcdefgh", "ijkl"]);
        assert_eq!(wrapped("", 8), [""]);
        assert_eq!(wrapped("日本語の文", 8), ["日本語の", "文"]);
    }

    #[test]
    fn json_means_the_same_and_is_harmless() {
        let text = "{\"a\":\"\u{9b}\u{202e}\u{e0041}é\u{7f}\"}";
        let safe = json(text);
        assert_eq!(safe, "{\"a\":\"\\u009b\\u202e\\udb40\\udc41é\\u007f\"}");
        let same: serde_json::Value = serde_json::from_str(&safe).unwrap();
        assert_eq!(same, serde_json::from_str::<serde_json::Value>(text).unwrap());
    }
}
