//! Extent of a private key in text form (RFC 7468), as it is printed: with numbers of lines, quotes
//! or escapes between its lines, with a broken header, and its beginning or end alone. Each line is
//! looked at once, whatever the number of headers.

use std::ops::Range;

/// The longest header, with all that is between its words.
const HEADER: usize = 120;
/// The most bytes between two lines of a key.
const GAP: usize = 48;
/// The most words between two lines of a key: numbers, paths, and headers such as `DEK-Info`.
const WORDS: usize = 12;
/// The least length of a line of a key; of a shorter one at its end less is enough.
const LINE: usize = 16;
/// The least length of such a line where the other end of the key is missing.
const ALONE: usize = 20;

/// The key of which a range has the word `BEGIN` or `END`.
pub(super) fn extent(text: &[u8], word: &Range<usize>) -> Option<Range<usize>> {
    let behind = header(text, word.end)?;
    match text[word.clone()].first() {
        Some(b'B') => Some(dashes(text, word.start)..end(text, behind)?),
        _ => Some(start(text, dashes(text, word.start))?..behind),
    }
}

/// The first of the dashes before a position.
fn dashes(text: &[u8], at: usize) -> usize {
    let before = &text[at.saturating_sub(8)..at];
    let marks = before.iter().rev().take_while(|byte| matches!(byte, b'-' | b' ')).count();
    let spaces = before[before.len() - marks..].iter().take_while(|&&byte| byte == b' ').count();
    at - marks + spaces
}

/// The end of the header of a private key behind its first word.
fn header(text: &[u8], from: usize) -> Option<usize> {
    let rest = &text[from..text.len().min(from + HEADER)];
    let (mut letters, mut small) = (Vec::new(), 0);
    let mut end = None;
    for (at, &byte) in rest.iter().enumerate() {
        match byte {
            b'A'..=b'Z' => letters.push(byte),
            b'a'..=b'z' => small += 1,
            b'-' if letters.ends_with(b"PRIVATEKEY") || letters.ends_with(b"PRIVATEKEYBLOCK") => {
                end = Some(from + at);
                break;
            }
            _ => {}
        }
        if small > 6 {
            return None;
        }
    }
    let end = end?;
    let is_edge = |byte: &&u8| matches!(byte, b'-' | b'\n' | b'\r');
    let edge = text[end..].iter().take(12).take_while(is_edge);
    let edge: Vec<u8> = edge.copied().collect();
    let last = edge.iter().rposition(|&byte| byte == b'-').map_or(0, |last| last + 1);
    Some(end + last)
}

const fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a word is a line of a key: no word of a language.
fn is_line(word: &[u8]) -> bool {
    let kinds = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit];
    word.len() >= LINE && kinds.iter().filter(|is_kind| word.iter().any(**is_kind)).count() > 1
}

/// The end of the lines behind a header.
fn end(text: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut end, mut longest, mut words) = (from, from, 0, 0);
    loop {
        let gap = text[at..].iter().take_while(|&&byte| !is_digit(byte)).count();
        let between = &text[at..at + gap];
        if let Some(mark) = memchr::memmem::find(between, b"----") {
            let word = at + mark + text[at + mark..].iter().take_while(|&&b| b == b'-').count();
            let closes = text[word..].trim_ascii_start().starts_with(b"END");
            let behind = closes.then(|| header(text, word + 3)).flatten();
            return behind.filter(|_| longest >= LINE).or_else(|| cut(longest, end));
        }
        let word = &text[at + gap..];
        let length = word.iter().take_while(|&&byte| is_digit(byte)).count();
        let word = &word[..length];
        if length == 0 || gap > GAP {
            return cut(longest, end);
        }
        at += gap + length;
        let is_last = longest > 0 && words == 0 && (word.ends_with(b"=") || at == text.len());
        if is_line(word) || is_last {
            (end, longest, words) = (at, longest.max(length), 0);
        } else {
            words += 1;
        }
        if words > WORDS {
            return cut(longest, end);
        }
    }
}

fn cut(longest: usize, end: usize) -> Option<usize> {
    (longest >= ALONE).then_some(end)
}

/// The start of the lines before the last header, if their own header is not there.
fn start(text: &[u8], to: usize) -> Option<usize> {
    let (mut at, mut start, mut longest, mut words) = (to, to, 0, 0);
    loop {
        let gap = text[..at].iter().rev().take_while(|&&byte| !is_digit(byte)).count();
        let between = &text[at - gap..at];
        let mark = memchr::memmem::rfind(between, b"----");
        if mark.is_some() {
            let before = &text[..at - gap];
            let before = &before[before.len().saturating_sub(HEADER)..];
            let has_begin = memchr::memmem::rfind(before, b"BEGIN").is_some();
            return (!has_begin && longest >= ALONE).then_some(start);
        }
        let before = &text[..at - gap];
        let length = before.iter().rev().take_while(|&&byte| is_digit(byte)).count();
        let word = &before[before.len() - length..];
        if length == 0 || gap > GAP || words > WORDS {
            return (longest >= ALONE).then_some(start);
        }
        at -= gap + length;
        if is_line(word) {
            (start, longest, words) = (at, longest.max(length), 0);
        } else {
            words += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        let at = text.find("BEGIN").or_else(|| text.find("END"))?;
        let word = if text[at..].starts_with('B') { 5 } else { 3 };
        extent(text.as_bytes(), &(at..at + word)).map(|range| &text[range])
    }

    #[test]
    fn a_key_is_found_as_it_is_printed() {
        let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ";
        let (head, foot) = ("-----BEGIN {}KEY-----", "-----END {}KEY-----");
        let (head, foot) = (head.replace("{}", "PRIVATE "), foot.replace("{}", "PRIVATE "));
        let whole = format!("{head}\n{line}\n{line}\nq8==\n{foot}");
        assert_eq!(found(&format!("x {whole} y")), Some(&*whole));
        for between in ["\n  12\u{2192}", "\\n", "\" +\n    \"", "\r\n> ", "\nkey.pem:3:", "\n+"] {
            let key = whole.replace('\n', between);
            assert_eq!(found(&format!("x {key} y")), Some(&*key));
        }
        let cut = format!("{head}\n{line}\n{line}");
        assert_eq!(found(&format!("{cut}\nand so on")), Some(&*cut));
        let tail = format!("{line}\n{line}\nq8==\n{foot}");
        assert_eq!(found(&format!("it is:\n{tail} .")), Some(&*tail));
        let broken = whole.replace("PRIVATE KEY", "PRIVA\nTE KEY");
        assert_eq!(found(&broken), Some(&*broken));
    }

    #[test]
    fn a_header_without_a_key_is_none() {
        let head = "-----BEGIN {}KEY-----".replace("{}", "PRIVATE ");
        assert_eq!(found(&format!("{head} is what it begins with, and so do others")), None);
        assert_eq!(found(&head.repeat(3)), None);
        assert_eq!(
            found("-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw"),
            None
        );
    }
}
