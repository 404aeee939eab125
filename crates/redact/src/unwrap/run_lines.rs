//! Gaps: what is between two lines of a run of Base64.

use super::line_prefixes::prefix;

/// The least length of a run of Base64.
pub(crate) const BASE64: usize = 24;
/// Classes of bytes.
const ALNUM: u8 = 1;
const SYMBOL: u8 = 2;

pub(crate) const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => ALNUM,
            b'+' | b'/' | b'-' | b'_' => SYMBOL,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// The length of what is between two lines of a run, if digits go on behind it: a break with the
/// prefix of the line, or what is between the strings of a list. A short line is the last one.
pub(crate) fn gap(rest: &[u8], before: usize) -> Option<usize> {
    let near = &rest[..rest.len().min(WIDE)];
    if let Some(skip) = word_of_mail(near) {
        return Some(skip);
    }
    let skip = match near.first()? {
        b'\n' | b'\r' | b'$' => {
            // `cat -A` shows each end of a line.
            let shown = usize::from(near[0] == b'$');
            let start = shown + near[shown..].iter().position(|&byte| byte != b'\r')?;
            (near[start] == b'\n').then_some(())?;
            start + 1 + prefix_of(&near[start + 1..])
        }
        quote @ (b'"' | b'\'') => {
            let comma = near.iter().skip(1).position(|byte| !byte.is_ascii_whitespace())? + 1;
            (near[comma] == b',').then_some(())?;
            let other = near.iter().skip(comma + 1).position(|byte| !byte.is_ascii_whitespace())?;
            (near[comma + 1 + other] == *quote).then_some(comma + 2 + other)?
        }
        _ => return None,
    };
    let line = &near[skip..];
    let digits = line.iter().take_while(|&&byte| is_digit(byte) || byte == b'=').count();
    let ends = line.get(digits).is_none_or(|byte| b"\r\n\"'`<\\$".contains(byte));
    let is_last = before >= BASE64 && (2..before).contains(&digits) && ends;
    (digits >= BASE64 / 2 || (is_last && skip + digits < WIDE)).then_some(skip)
}

/// The length of the end of an encoded word of a mail (RFC 2047) and the head of the next one.
fn word_of_mail(text: &[u8]) -> Option<usize> {
    let padding = text.iter().take(2).take_while(|&&byte| byte == b'=').count();
    let behind = text[padding..].strip_prefix(b"?=")?;
    let head = behind.trim_ascii_start().strip_prefix(b"=?")?;
    let end = memchr::memmem::find(&head[..head.len().min(40)], b"?B?")
        .or_else(|| memchr::memmem::find(&head[..head.len().min(40)], b"?b?"))?;
    Some(text.len() - head.len() + end + 3)
}

/// The length of what is before the digits of a line: spaces, a number, the mark of a quotation, or
/// whatever a log has before its last word.
fn prefix_of(line: &[u8]) -> usize {
    let digits = line.iter().take_while(|&&byte| is_digit(byte)).count();
    // A time has digits too.
    let ends = line.get(digits).is_none_or(|byte| b"\r\n\"'`<\\=".contains(byte));
    if digits >= BASE64 || (digits >= BASE64 / 2 && ends) {
        return 0;
    }
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_run = |word: &[u8]| word.iter().all(|&byte| is_digit(byte) || byte == b'=');
    let is_mark = |byte: &u8| b":|]>".contains(byte);
    // Behind the mark of a log, or the last word of the line.
    let behind = line.windows(2).rposition(|pair| is_mark(&pair[0]) && pair[1] == b' ');
    let behind = behind.map(|mark| mark + 2).filter(|&start| {
        let word = line[start..].split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let word = before_quote(word);
        word.len() >= BASE64 / 2 && is_run(word)
    });
    let word = line.rsplit(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    let head = &line[..line.len() - word.len()];
    let word = before_quote(word);
    let is_long = word.len() >= BASE64;
    let is_logged = is_long || (word.len() > 3 && head.iter().any(is_mark));
    if let Some(skip) = behind.or((is_logged && is_run(word)).then_some(head.len())) {
        return skip;
    }
    let space = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    prefix(line).max(space)
}

/// A word without what ends the string that contains it: `aGVs"]}` in JSON is `aGVs`.
fn before_quote(word: &[u8]) -> &[u8] {
    word.split(|byte| QUOTES.contains(byte)).next().unwrap_or_default()
}

/// The signs that end a string.
const QUOTES: [u8; 5] = *b"\"'`<\\";

/// The most bytes at which a run may go on.
const WIDE: usize = 200;

/// Whether a byte is a digit of Base64, in either alphabet.
pub(crate) const fn is_digit(byte: u8) -> bool {
    CLASSES[byte as usize] != 0
}
