//! Lines that were cut at a width.

use std::ops::Range;

use super::source_map::Sink;
use crate::rules::{is_made, naming};

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
pub(crate) fn cuts(text: &[u8], is_new: &dyn Fn(&Range<usize>) -> bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, mut before, mut is_one) = (0, 0, false);
    for at in memchr::memchr_iter(b'\n', text) {
        let line = &text[start..at];
        let (from, next) = (start, at + 1);
        start = next;
        let rest = &text[next..];
        is_one = is_cut(line, rest, before) || (is_one && is_piece(line, rest));
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
    if memchr::memchr(b'\t', line.trim_ascii_start()).is_some() || assigns(line, rest) {
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

/// Whether what follows a line is an assignment of its own, and no piece of the line's last word:
/// `PORT=8080`, `export PORT=8080`, `port: 8080`. A width may cut a name of a secret
/// (`client_se`, `cret=...`), a query, and an address that has no end yet: these go on.
fn assigns(line: &[u8], rest: &[u8]) -> bool {
    let next = rest.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
    let Some(name) = assigned_name(next).filter(|name| is_name(name)) else { return false };
    let last = line.rsplit(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    // The name of a query or a list that has no value yet.
    let open = last.iter().rposition(|byte| b"&?;,".contains(byte)).map(|at| &last[at + 1..]);
    let is_open = open.is_some_and(|open| !open.is_empty() && !open.contains(&b'='));
    let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-');
    let head = last.len() - last.iter().rev().take_while(is_letter).count();
    let whole = [&last[head..], name].concat();
    let is_name_cut = naming::is_secret(&whole) && !naming::is_secret(name);
    !is_open && !is_name_cut && !is_address(last)
}

/// Whether somebody may have chosen a word as a name: `PORT`, `S3_BUCKET`, `log-level`. The end of
/// a token that was cut is not one: `aB3dE5fG`, `r9w`.
fn is_name(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    let is_variable = word.contains(&b'_') && word.iter().all(is_part);
    is_variable || !is_made(word)
}

/// Words before a name to which a shell or a program assigns a value.
const ASSIGNING: [&[u8]; 11] = [
    b"export",
    b"set",
    b"setx",
    b"declare",
    b"typeset",
    b"local",
    b"readonly",
    b"let",
    b"const",
    b"var",
    b"ENV",
];

/// The name to which a line assigns a value, if it does: behind the name is `=` or `: `, and behind
/// that a value. Padding of Base64 is no assignment.
fn assigned_name(line: &[u8]) -> Option<&[u8]> {
    let heads = [&b"- "[..], b"$env:", b"$"];
    let mut rest = heads.iter().find_map(|head| line.strip_prefix(*head)).unwrap_or(line);
    for _ in 0..2 {
        let word = rest.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
        let is_head = ASSIGNING.contains(&word) || matches!(word, [b'-', b'a'..=b'z']);
        rest = if is_head { rest[word.len()..].trim_ascii_start() } else { rest };
    }
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-' | b'.');
    let (name, behind) = rest.split_at(rest.iter().take_while(is_part).count());
    if !name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
        return None;
    }
    let is_value = match behind.trim_ascii_start() {
        [b'=' | b':', b' ', ..] | [b':', b'=', ..] => true,
        [b':'] => behind.len() == 1,
        // An empty value, where the name is one of the environment.
        [b'='] => {
            name.len() > 4 && name.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        }
        [b'=', b'"' | b'\'' | b'`', value, ..] => !b",;)}]".contains(value),
        [b'=', value, ..] => !b"=&\"'`;,)}]<\\%".contains(value),
        _ => false,
    };
    is_value.then_some(name)
}

/// Whether a short line behind a cut is a piece of the same word, which goes on.
fn is_piece(line: &[u8], rest: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // A sign alone is the mark of a line of a diff.
    let has_letter = line.iter().any(u8::is_ascii_alphanumeric);
    let is_word = has_letter && line.iter().all(|&byte| is_token(byte));
    let goes_on = rest.first().is_some_and(|&byte| is_token(byte)) && !assigns(line, rest);
    line.len() < LEAST && is_word && goes_on
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
    let next = within_string(next.strip_suffix(b"\r").unwrap_or(next));
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
    let is_head = last.len() >= 2 && piece.len() >= 10 && made[1];
    (is_piece && (is_word || is_head)) || is_known(last, piece)
}

/// The part of a line before the end of a string of JSON, behind which the next member is.
fn within_string(line: &[u8]) -> &[u8] {
    let ends = |quote: &usize| {
        let behind = line[quote + 1..].trim_ascii_start();
        matches!(behind, [b',' | b'}' | b']', ..])
    };
    let quote = memchr::memchr_iter(b'"', line).take(4).find(ends);
    quote.map_or(line, |quote| &line[..quote])
}

/// Whether two parts of a name are those of one that says what its value is.
fn is_known(last: &[u8], piece: &[u8]) -> bool {
    let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let letters = piece.iter().take_while(is_letter).count();
    let head = &last[last.len() - last.iter().rev().take_while(is_letter).count()..];
    let name = [head, &piece[..letters]].concat().to_ascii_lowercase();
    let cuts = |known: &[u8]| (1..known.len()).contains(&letters) && name.ends_with(known);
    !head.is_empty() && KNOWN.into_iter().any(cuts)
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
pub(crate) fn start_of_word(text: &[u8], at: usize) -> usize {
    let before = text[..at].iter().rev().take(WORD);
    at - before.take_while(|&&byte| is_in_word(byte)).count()
}

/// The end of the word that a position is in.
pub(crate) fn end_of_word(text: &[u8], at: usize) -> usize {
    let behind = text[at..].iter().take(WORD);
    at + behind.take_while(|&&byte| is_in_word(byte)).count()
}

pub(crate) const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'.')
}

/// Removes the line breaks that may cut a word, and the space that follows them.
pub(crate) fn wrapped(text: &[u8], out: &mut impl Sink) {
    let (mut from, mut line, mut before, mut is_one) = (0, 0, 0, false);
    for at in memchr::memchr_iter(b'\n', text) {
        let next = at + 1;
        let (here, rest) = (&text[line..at], &text[next..]);
        is_one = is_cut(here, rest, before) || (is_one && is_piece(here, rest));
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
    fn a_word_that_a_width_cut_is_whole_again() {
        let word = "k".repeat(30);
        let text = format!("{}{}\r\n  {} and more", "=".repeat(20), &word[..25], &word[25..]);
        let cuts = cuts(text.as_bytes(), &|_| true);
        assert_eq!((cuts.len(), &cuts[0]), (1, &(0..text.len())));
        let mut out = Vec::new();
        wrapped(text.as_bytes(), &mut out);
        assert!(String::from_utf8_lossy(&out).contains(&word));
        assert!(super::cuts(b"short\nlines\n", &|_| true).is_empty());
        let pieces = b"amqps://shop:kinTwk0cmLO\nDKvm5d\npkr@mq.local/vhost";
        let mut out = Vec::new();
        wrapped(pieces, &mut out);
        assert_eq!(out, b"amqps://shop:kinTwk0cmLODKvm5dpkr@mq.local/vhost");
        let mut out = Vec::new();
        let diff =
            b"+    return_audio: bool = False  # include base64 audio in response\n+\n+\n+@a\n";
        wrapped(diff, &mut out);
        assert!(out.ends_with(b"+\n+@a\n"));
    }

    #[test]
    fn an_assignment_is_no_piece_of_the_value_before_it() {
        let long = "h7".repeat(28);
        let whole = |text: &str| {
            let mut out = Vec::new();
            wrapped(text.as_bytes(), &mut out);
            String::from_utf8(out).expect("UTF-8")
        };
        for next in [
            "PORT=8080",
            "export PORT=8080",
            "  port: 8080",
            "- name: shop",
            "port = 8080",
            "-e PORT=8080",
            "$env:PORT = 8080",
            "LOG_LEVEL=",
            "NAME=\"shop\"",
            "Host: shop.example",
            "const port = 8080",
            "S3_BUCKET=shop",
        ] {
            for text in [format!("API_KEY={long}\n{next}\nX=1"), format!("{long}\n{next}\nX=1")] {
                assert_eq!(whole(&text), text);
            }
            let short = format!("KEY={}\n{next}\nX=1", &long[..20]);
            assert_eq!(whole(&short), short);
            let piece = format!("API_KEY={long}\nk3y\n{next}\nX=1");
            assert_eq!(whole(&piece), piece.replacen('\n', "", 1));
        }
        for (before, behind) in [
            ("", "QUJD=="),
            ("", "QUJD="),
            ("", "QUJD=\","),
            ("", "QUJD=&scope=read"),
            ("?a=b&client_se", "cret=k3y9w"),
            (" -e DB_PASSW", "ORD=k3y9w"),
            (" postgres://shop:k3", "y=9w@db.example/x"),
            (";AccountK", "ey=k3y9w"),
            // A sentence, a table or a log goes on behind the end of a token.
            ("ghp_aB3dE5fG7hJ9k", "L1mN3pQ5rS7tU9vW1xY3zA5: token expired"),
            (" wJalrXUtnFEMIk7MDENGbPxRfiCYzQ3", "kLmN5pRs: AccessDenied"),
            ("", "r9w=Zk7Lp3Vt"),
            ("sk_live_4fK9dQ2mZx7Rb1Ls6Wt0", "Jf6Gm1Yc0Xa8Qe = sandbox off"),
        ] {
            let text = format!("{long}{before}\n{behind}");
            assert_eq!(whole(&text), text.replace('\n', ""), "{before} {behind}");
        }
    }
}
