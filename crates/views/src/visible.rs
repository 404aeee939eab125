//! Characters that act, made visible: one table for terminals, pages and Markdown. These are
//! control characters and sequences, invisible characters, changes of the writing direction, and
//! long runs of combining marks.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

/// Maximum number of combining marks on one character. No writing system needs more.
const MARKS: usize = 4;

/// White space that a text keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Spaces only: a text on one line.
    Line,
    /// Line breaks too; a tab becomes four spaces.
    Lines,
    /// Line breaks and tabs: a text for a file.
    File,
}

/// A text in which every character that could act is made visible. `\r\n` is a line break.
#[must_use]
pub fn visible(text: &str, space: Space) -> Cow<'_, str> {
    let plain = |byte: u8| match byte {
        b' '..=b'~' => true,
        b'\n' => space != Space::Line,
        b'\t' => space == Space::File,
        _ => false,
    };
    let Some(first) = first_of_not(text.as_bytes(), plain) else {
        return Cow::Borrowed(text);
    };
    // A mark belongs to the character before it.
    let from = text.as_bytes().get(..first).map_or(0, |head| head.len().saturating_sub(1));
    let mut out = String::with_capacity(text.len() + 16);
    let (head, rest) = text.split_at_checked(from).unwrap_or(("", text));
    out.push_str(head);
    slowly(rest, space, &mut out);
    Cow::Owned(out)
}

/// Number of bytes that are tested together.
const BLOCK: usize = 32;

/// The first byte that is not `plain`. Nearly all blocks are printable ASCII, which is.
fn first_of_not(text: &[u8], plain: impl Fn(u8) -> bool) -> Option<usize> {
    let printable = |block: &[u8]| {
        block.iter().fold(true, |all, byte| all & (byte.wrapping_sub(b' ') <= b'~' - b' '))
    };
    text.chunks(BLOCK).enumerate().filter(|(_, block)| !printable(block)).find_map(|(at, block)| {
        block.iter().position(|byte| !plain(*byte)).map(|first| at * BLOCK + first)
    })
}

fn slowly(text: &str, space: Space, out: &mut String) {
    let (mut marks, mut dropped) = (0, 0usize);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // Most characters are these, in a text with few others too.
        if matches!(c, ' '..='~') {
            told(out, &mut dropped);
            marks = 0;
            out.push(c);
            continue;
        }
        let idle = is_idle(c, out.chars().next_back(), chars.peek().copied());
        if is_mark(c) && !idle {
            marks += 1;
            match marks <= MARKS && !out.is_empty() {
                true => out.push(c),
                false => dropped += 1,
            }
            continue;
        }
        told(out, &mut dropped);
        marks = 0;
        match c {
            '\n' if space != Space::Line => out.push('\n'),
            '\t' if space == Space::File => out.push('\t'),
            '\t' if space == Space::Lines => out.push_str("    "),
            '\r' if space != Space::Line && chars.peek() == Some(&'\n') => {}
            '\0'..='\x1f' => out.push(picture(c)),
            '\x7f' => out.push('\u{2421}'),
            c if is_hidden(c) || idle => {
                let _ = write!(out, "⟨U+{:04X}⟩", u32::from(c));
            }
            c => out.push(c),
        }
    }
    told(out, &mut dropped);
}

fn told(out: &mut String, dropped: &mut usize) {
    if *dropped > 0 {
        let _ = write!(out, "⟨{dropped} marks⟩");
        *dropped = 0;
    }
}

/// The visible symbol of a control character, from U+2400 on.
fn picture(c: char) -> char {
    char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')
}

/// Whether a joiner or a selector does nothing where it is, and so could hide a difference
/// between two texts. Joiners connect letters of some scripts and parts of emoji. A variation
/// selector chooses a form of the character before it: of the marks of a keycap, of a symbol, of an
/// ideograph, or of a letter of the few scripts that have such forms.
fn is_idle(c: char, before: Option<char>, behind: Option<char>) -> bool {
    let plain = |near: Option<char>| near.is_none_or(|near| near < '\u{590}');
    match c {
        '\u{200c}' | '\u{200d}' => plain(before) && plain(behind),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => !matches!(before, Some('\u{1820}'..='\u{18af}')),
        '\u{fe00}'..='\u{fe0f}' => match before {
            Some('#' | '*' | '0'..='9') => behind != Some('\u{20e3}'),
            Some('\u{a9}' | '\u{ae}' | '\u{1000}'..='\u{109f}') => false,
            // What was made visible before ends with this bracket.
            Some('⟩') => true,
            Some(before) => before < '\u{2000}' || is_mark(before),
            None => true,
        },
        _ => false,
    }
}

/// Whether a character takes no column and modifies the one before it: combining marks, variation
/// selectors, joiners.
fn is_mark(c: char) -> bool {
    let selector = matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{200d}' | '\u{200c}');
    selector || (c.width() == Some(0) && !is_hidden(c) && !c.is_control())
}

/// Whether a character acts: control characters but line breaks and tabs, and hidden ones.
#[must_use]
pub fn acts(c: char) -> bool {
    !matches!(c, '\n' | '\t') && (c.is_control() || is_hidden(c))
}

/// Whether a character is invisible or changes other text: C1 controls, text direction, zero width,
/// tags, line separators, invisible operators, noncharacters.
#[must_use]
pub const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{80}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{fffe}'..='\u{ffff}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_shown_instead() {
        let cases = [
            ("a\u{1b}[2Jb", "a␛[2Jb"),
            ("x\r\ny\rz", "x\ny␍z"),
            ("\u{9b}2J", "⟨U+009B⟩2J"),
            ("\u{202e}txt.exe\u{202c}", "⟨U+202E⟩txt.exe⟨U+202C⟩"),
            ("a\u{61c}b\u{ad}c", "a⟨U+061C⟩b⟨U+00AD⟩c"),
            ("pay\u{200b}pal", "pay⟨U+200B⟩pal"),
            ("pay\u{34f}pal", "pay⟨U+034F⟩pal"),
            ("\u{e0041}", "⟨U+E0041⟩"),
            ("pay\u{200d}pal \u{200c}x", "pay⟨U+200D⟩pal ⟨U+200C⟩x"),
            ("a\u{1bca1}b\u{13437}c", "a⟨U+1BCA1⟩b⟨U+13437⟩c"),
            ("end\u{7f}", "end␡"),
            ("pay\u{fe0f}pal", "pay⟨U+FE0F⟩pal"),
            ("pay\u{180b}pal\u{180f}", "pay⟨U+180B⟩pal⟨U+180F⟩"),
            ("caf\u{e9}\u{200d} 1\u{fe0f}2", "café⟨U+200D⟩ 1⟨U+FE0F⟩2"),
            ("❤\u{fe0f}\u{fe00}\u{fe01}", "❤\u{fe0f}⟨U+FE00⟩⟨U+FE01⟩"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text, Space::Lines), expected);
            assert_eq!(visible(text, Space::File), expected);
        }
        assert_eq!(visible("a\tb\n", Space::Lines), "a    b\n");
        assert_eq!(visible("a\tb\n", Space::File), "a\tb\n");
        assert_eq!(visible("a\tb\n", Space::Line), "a␉b␊");
    }

    #[test]
    fn writing_systems_stay_as_they_are() {
        for text in [
            "héllo e\u{301}",
            "日本語",
            "👩\u{200d}👩\u{200d}👧",
            "نوشته\u{200c}ها",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "©\u{fe0f}",
            "🏳\u{fe0f}\u{200d}🌈",
            "\u{182d}\u{180b}",
            "क्\u{200d}",
        ] {
            assert_eq!(visible(text, Space::File), text);
        }
    }

    /// Each code point that Unicode calls ignorable by default (`Default_Ignorable_Code_Point` of
    /// DerivedCoreProperties.txt, version 16) is seen beside Latin letters.
    #[test]
    fn nothing_ignorable_is_unseen() {
        let ranges = [
            ('\u{ad}', '\u{ad}'),
            ('\u{34f}', '\u{34f}'),
            ('\u{61c}', '\u{61c}'),
            ('\u{115f}', '\u{1160}'),
            ('\u{17b4}', '\u{17b5}'),
            ('\u{180b}', '\u{180f}'),
            ('\u{200b}', '\u{200f}'),
            ('\u{202a}', '\u{202e}'),
            ('\u{2060}', '\u{206f}'),
            ('\u{3164}', '\u{3164}'),
            ('\u{fe00}', '\u{fe0f}'),
            ('\u{feff}', '\u{feff}'),
            ('\u{ffa0}', '\u{ffa0}'),
            ('\u{fff0}', '\u{fff8}'),
            ('\u{1bca0}', '\u{1bca3}'),
            ('\u{1d173}', '\u{1d17a}'),
            ('\u{e0000}', '\u{e0fff}'),
        ];
        let all: Vec<char> = ranges.iter().flat_map(|(first, last)| *first..=*last).collect();
        assert_eq!(all.len(), 4174, "as many as the table of Unicode says");
        for c in all {
            for text in [format!("ab{c}cd"), format!("é{c} d"), format!("{c}d"), format!("d{c}")] {
                let seen = visible(&text, Space::Lines);
                assert!(!seen.contains(c) && seen.contains('⟨'), "{:04X}: {seen}", u32::from(c));
            }
        }
    }

    #[test]
    fn a_flood_of_marks_is_cut() {
        let flood = format!("a{}b", "\u{301}".repeat(500));
        let cut = "a\u{301}\u{301}\u{301}\u{301}⟨496 marks⟩b";
        assert_eq!(visible(&flood, Space::Lines), cut);
    }
}
