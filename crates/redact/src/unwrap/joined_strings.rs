//! Joints: what a program or a page puts between the parts of one word: tags, the quotes and signs
//! of strings that are put together, quotes of a shell.

use std::cell::OnceCell;
use std::ops::Range;

use super::markup::{added, mark, template};
use super::quotes::{self, LONG};
use super::source_map::Sink;
use super::wrapped_lines::{end_of_word, start_of_word};

/// The largest number of bytes of a text around its joints.
const AROUND: usize = 768;

/// A joint at a place of a text.
#[derive(Clone, Copy)]
struct Joint {
    length: usize,
    /// Whether it joins whatever is on its sides; if not, only the parts of a word.
    any: bool,
    /// Whether it is between the strings of a list.
    list: bool,
}

impl Joint {
    const fn new(length: usize, any: bool) -> Self {
        Self { length, any, list: false }
    }
}

/// The joints of a text, in the order of its bytes.
fn joints(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    // A list goes on as long as its strings follow each other.
    let (mut at, mut list, mut quote, mut open) = (0, 0, None, None);
    let (has_lists, has_adding) = (OnceCell::new(), OnceCell::new());
    std::iter::from_fn(move || {
        loop {
            let found = text.get(at..)?.iter().position(|&byte| OPENS[usize::from(byte)])?;
            let start = at + found;
            at = start + 1;
            let is_quote = matches!(text[start], b'"' | b'\'');
            if !may_join(&text[start..]) || (is_quote && quotes::is_escaped(text, start)) {
                continue;
            }
            let length = if is_quote { None } else { mark(&text[start..]) };
            let is_template = !is_quote || open.is_some();
            let length = length
                .or_else(|| if is_template { template(&text[start..], &mut open) } else { None });
            if let Some(length) = length {
                at = start + length;
                return Some(start..at);
            }
            let Some(before) = start.checked_sub(1).map(|before| text[before]) else { continue };
            let before = if is_prefix(&text[..start]) { b' ' } else { before };
            let near = &text[start..text.len().min(start + LONG)];
            let goes_on = || {
                let has_lists = || *has_lists.get_or_init(|| quotes::has_list(text));
                // Other quotes are letters of a string.
                let is_end = |quote: Option<u8>| quote.is_none_or(|quote| quote == text[start]);
                let begins =
                    || quotes::is_list(text, start) && is_end(quotes::of_list(text, start));
                if start < list { is_end(quote) } else { has_lists() && begins() }
            };
            let adds = || *has_adding.get_or_init(|| quotes::has_adding_signs(text));
            let Some(joint) = joint(near, before, goes_on, adds) else { continue };
            let behind = text.get(start + joint.length);
            let is_word = is_token(before) && behind.is_some_and(|&byte| is_token(byte));
            if is_word || (joint.any && behind.is_some()) {
                at = start + joint.length;
                (list, quote) = match joint.list {
                    true => (at + LONG, Some(text[at - 1])),
                    false => (list, quote),
                };
                return Some(start..at);
            }
        }
    })
}

/// Whether a text ends with the prefix of a string: `b'`, `f"`.
fn is_prefix(text: &[u8]) -> bool {
    match text {
        [.., before, b'b' | b'f' | b'r' | b'u'] => !is_token(*before),
        [b'b' | b'f' | b'r' | b'u'] => true,
        _ => false,
    }
}

/// The bytes with which a joint begins.
const OPENS: [bool; 256] = {
    let mut opens = [false; 256];
    let signs = b"<\"'`\\^=]*?$";
    let mut at = 0;
    while at < signs.len() {
        opens[signs[at] as usize] = true;
        at += 1;
    }
    opens
};

/// Whether a text begins as a joint may: a quick look.
const fn may_join(text: &[u8]) -> bool {
    match text {
        [b'*', next, ..] => *next == b'*',
        [b']', next, ..] => *next == b']',
        [b'?', next, ..] => *next == b'=',
        [b'$', next, ..] => *next == b'{',
        [b'^', b'"', ..] => true,
        [b'\\' | b'^' | b'=', next, ..] => matches!(*next, b'\n' | b'\r'),
        [b'<', next, ..] => next.is_ascii_alphabetic() || matches!(*next, b'/' | b'!'),
        _ => text.len() > 1,
    }
}

const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'.' | b'=')
}

/// Whether a byte before a quote is one of a word of a shell.
const fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/' | b'+')
}

/// The joint at the beginning of a text.
fn joint(
    text: &[u8],
    before: u8,
    is_list: impl Fn() -> bool,
    adds: impl Fn() -> bool,
) -> Option<Joint> {
    match text {
        [b'<', next, ..] if next.is_ascii_alphabetic() || matches!(next, b'/' | b'!') => tags(text),
        // Most quotes are the first of a string.
        [b'"' | b'\'' | b'`', next, ..] if next.is_ascii_alphanumeric() => {
            let may = b"fbruFBRU".contains(next) || is_in_word(before) || adds();
            if may { strings(text, before, is_list, adds) } else { None }
        }
        [b'"' | b'\'' | b'`', ..] => broken(text).or_else(|| strings(text, before, is_list, adds)),
        // An escape of a quote, but not the beginning of a set of a pattern.
        [b'^', b'"', ..] => (before != b'[').then(|| Joint::new(1, true)),
        [b'\\' | b'^' | b'=', ..] => broken(text),
        _ => None,
    }
}

/// A line that goes on in the next one: `\`, `^`, a backquote or `=`, the break, and the space
/// behind it.
fn broken(text: &[u8]) -> Option<Joint> {
    let end = match text {
        [b'\\' | b'^' | b'`' | b'=', b'\n', ..] => 2,
        [b'\\' | b'^' | b'`' | b'=', b'\r', b'\n', ..] => 3,
        _ => return None,
    };
    let space = text[end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    Some(Joint::new(end + space, text[0] == b'\\'))
}

/// Elements within a line: one that follows another of its name goes on with the text.
const INLINE: [&[u8]; 6] = [b"span", b"b", b"i", b"em", b"code", b"font"];

/// Whether tags end an element and begin another one of the same name, within a line.
fn goes_on(text: &[u8]) -> bool {
    let goes_on = |name: &&[u8]| {
        let rest = text.strip_prefix(b"</").and_then(|rest| rest.strip_prefix(*name));
        let rest = rest.and_then(|rest| rest.strip_prefix(b"><"));
        let rest = rest.and_then(|rest| rest.strip_prefix(*name));
        rest.is_some_and(|rest| matches!(rest, [b'>' | b' ', ..]))
    };
    INLINE.iter().any(goes_on)
}

/// Tags and comments behind each other.
fn tags(text: &[u8]) -> Option<Joint> {
    let mut at = 0;
    while text[at..].starts_with(b"<") {
        let end = match text[at..].starts_with(b"<!--") {
            true => memchr::memmem::find(&text[at..], b"-->")? + 2,
            false => text[at..].iter().position(|byte| matches!(byte, b'>' | b'\n'))?,
        };
        if text[at + end] != b'>' {
            return None;
        }
        let is_break = is_break(&text[at..at + end]);
        at += end + 1;
        // What follows a break may be on a line of its own.
        at += if is_break { line_break(&text[at..]) } else { 0 };
    }
    Some(Joint::new(at, goes_on(text)))
}

/// Whether a tag breaks a line or a word.
fn is_break(tag: &[u8]) -> bool {
    let name = tag[1..].split(|&byte| matches!(byte, b'/' | b' ')).next().unwrap_or_default();
    [&b"br"[..], b"wbr"].iter().any(|of| name.eq_ignore_ascii_case(of))
}

/// The length of the line break at the beginning of a text, with the space behind it.
fn line_break(text: &[u8]) -> usize {
    let end = match text {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => return 0,
    };
    let space = text[end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    end + space
}

/// The end of a string, a sign that puts strings together, and the beginning of the next; or one
/// quote within a word of a shell.
fn strings(
    text: &[u8],
    before: u8,
    is_list: impl Fn() -> bool,
    adds: impl Fn() -> bool,
) -> Option<Joint> {
    let quote = text[0];
    if let Some(joint) = doubled(text, before) {
        return Some(joint);
    }
    let space = |at: usize| {
        let rest = text[at..].iter().take_while(|byte| byte.is_ascii_whitespace());
        at + rest.count()
    };
    let mut at = space(1);
    let mut joint = Joint::new(0, text[..at].contains(&b'\n'));
    let sign = sign(&text[at..]);
    if sign > 0 {
        joint.any = true;
        at = space(at + sign);
        // Visual Basic continues a line with `_`.
        at = if text[at..].starts_with(b"_") { space(at + 1) } else { at };
    } else if text[at..].starts_with(b",") && is_list() {
        (joint.any, joint.list) = (true, true);
        at = space(at + 1);
    } else if let Some(end) = adds().then(|| added(text, at)).flatten() {
        (joint.any, at) = (true, end);
    }
    let prefix = text[at..].iter().take_while(|byte| b"fbruFBRU".contains(byte)).count();
    // Behind a sign the quotes may be others.
    let any = joint.any && at > 1;
    let opens = |at: usize| match text.get(at) {
        Some(b'"' | b'\'') if any && quote != b'`' => true,
        next => next == Some(&quote),
    };
    if prefix <= 2 && opens(at + prefix) {
        joint.length = at + prefix + 1;
        joint.any |= prefix > 0 && at > 1;
        return Some(joint);
    }
    // A shell puts strings behind each other together: `"a"'b'`, `'a'$'b'`.
    let other = 1 + usize::from(text.get(1) == Some(&b'$'));
    // Behind a string, a program goes on with a sign.
    let goes_on = |rest: &[u8]| match rest {
        // A quote behind a space is a letter of the next string.
        [b' ', b'"' | b'\'' | b'\\', ..] => true,
        [b';', b' ', next, ..] | [b' ' | b'+' | b';' | b':' | b'&', next, ..] => {
            next.is_ascii_alphanumeric()
        }
        [first, ..] => !first.is_ascii_whitespace() && !b"+,;:&|)]}".contains(first),
        [] => false,
    };
    if quote != b'`' && matches!(text.get(other), Some(b'"' | b'\'')) {
        return goes_on(&text[other + 1..]).then(|| Joint::new(other + 1, true));
    }
    // Only a letter or digit: `key="value"` is no word.
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    (quote != b'`' && is_in_word(before) && is_letter(text.get(1))).then(|| Joint::new(1, false))
}

/// A quote within a string of a table, a query or a shell, which is doubled or escaped there.
fn doubled(text: &[u8], before: u8) -> Option<Joint> {
    let next = *text.get(1)?;
    if next != text[0] && next != b'"' {
        return None;
    }
    let same = text.iter().take(5).take_while(|&&byte| byte == text[0]).count();
    let beside = [Some(&before), text.get(same)].into_iter().flatten();
    // Three of the other kind open a string of Python.
    let most = if text[0] == b'\'' { 4 } else { 2 };
    let is_one = text[0] != b'`' && (2..=most).contains(&same) && before != text[0];
    let has_letter = beside.into_iter().any(u8::is_ascii_alphanumeric);
    let escape = text[0] == b'`' && next == b'"';
    match is_one && has_letter {
        true => Some(Joint::new(same - 1, true)),
        false => escape.then(|| Joint::new(1, true)),
    }
}

/// The length of a sign that puts strings together, at the beginning of a text.
const fn sign(text: &[u8]) -> usize {
    match text {
        [b'+', b'+', ..] | [b'.', b'.', ..] | [b'|', b'|', ..] | [b'<', b'>', ..] => 2,
        [b'+' | b'.' | b'&' | b'\\' | b'~' | b'_', ..] => 1,
        _ => 0,
    }
}

/// The ranges of a text around its joints.
pub(crate) fn ranges(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for joint in joints(text) {
        let begin = start_of_word(text, joint.start.saturating_sub(AROUND));
        let end = (joint.end + AROUND).min(text.len());
        if found.last().is_some_and(|last| last.end >= end) {
            continue;
        }
        // A part of a word would be taken for a whole one.
        let end = end_of_word(text, end);
        match found.last_mut() {
            Some(last) if last.end >= begin => last.end = end,
            _ => found.push(begin..end),
        }
    }
    found
}

/// The same where letters are spelled that may be taken for the joints' own.
pub(crate) fn hidden(text: &[u8]) -> Vec<Range<usize>> {
    if !quotes::may_hide(text) {
        return Vec::new();
    }
    let ranges = ranges(text).into_iter();
    ranges.filter(|range| quotes::hides(&text[range.clone()])).collect()
}

/// Removes the joints.
pub(crate) fn joined(text: &[u8], out: &mut impl Sink) {
    let mut from = 0;
    for joint in joints(text) {
        out.put(&text[from..joint.start], from..joint.start);
        from = joint.end;
    }
    out.put(&text[from..], from..text.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_word_are_joined() {
        for (text, word) in [
            ("x = \"abc1\" + \"def2\"", "abc1def2"),
            ("x = 'abc1'\n    'def2'", "abc1def2"),
            ("x = 'abc1' . 'def2'", "abc1def2"),
            ("x = f\"abc1\" \\\n f\"def2\"", "abc1def2"),
            ("<td>abc1<span class=\"b\">def2</td>", "abc1def2"),
            ("abc1<b></b>def2", "abc1def2"),
            ("abc1<br>\r\n  def2", "abc1def2"),
            ("abc1<br />def2", "abc1def2"),
            ("echo abc1'de'f2", "abc1def2"),
            ("echo \"abc1\"'de'$'f2'", "abc1def2"),
            ("abc1<!-- x -->def2", "abc1def2"),
            ("x = \"abc1\" & _\n  \"def2\"", "abc1def2"),
            ("x = \"abc1\";\nx += \"def2\";", "abc1def2"),
            ("x = `abc1` + `def2`", "abc1def2"),
            ("[\"abc1\", \"def2\"].join('')", "abc1def2"),
            ("abc1\\\n  def2", "abc1def2"),
            ("x = \"abc1:\" + \" def2\"", "abc1: def2"),
            ("x = \"['abc1'\" +\n  \"] def2\"", "'abc1'] def2"),
            ("<span>abc1=</span><span class=\"k\"> def2</span>", "abc1= def2"),
            ("abc1^\r\ndef2", "abc1def2"),
            ("abc1`\ndef2", "abc1def2"),
            ("abc1=\ndef2", "abc1def2"),
            ("abc1]]><![CDATA[def2", "abc1def2"),
            ("{^\"abc1^\":^\"def2^\"}", "\"abc1\":\"def2\""),
            ("(b'abc1' b'def2')", "(b'abc1def2')"),
            ("x = 'abc1' + \"def2\"", "abc1def2"),
            ("x = ''abc1 def2''", "= 'abc1"),
            ("=?utf-8?Q?abc1?=\n =?utf-8?Q?def2?=", "abc1def2"),
            ("`x=abc1${\"def2\"}`", "abc1def2"),
        ] {
            assert_eq!(ranges(text.as_bytes()).len(), 1, "{text}");
            let mut out = Vec::new();
            joined(text.as_bytes(), &mut out);
            assert!(String::from_utf8_lossy(&out).contains(word), "{text}");
        }
        for text in ["a < b", "key=\"value\"", "f(\"a\", \"b\")", "<td>a</td>"] {
            assert!(ranges(text.as_bytes()).is_empty(), "{text}");
        }
    }

    #[test]
    fn no_range_cuts_a_word() {
        for length in AROUND - 20..AROUND + 20 {
            let text = format!("a'b'c {} /Users/marianne/x", "x ".repeat(length / 2));
            let range = ranges(text.as_bytes()).remove(0);
            let name = text.find("marianne").expect("there");
            assert!(range.end <= name || range.end >= name + 8, "{range:?} {name}");
        }
    }
}
