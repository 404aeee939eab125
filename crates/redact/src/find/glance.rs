//! Glance: a quick look for credentials by the beginnings that providers give them, at a small part
//! of the cost of a scan. It undoes no wrapping and applies no pattern: a scan tells what there is.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::rules::is_random;

/// The beginnings of credentials, each with the least length of a whole one.
const BEGINNINGS: &str = include_str!("../../rules/beginnings.list");
/// The head of a private key.
const KEY: &[u8] = b"-----BEGIN ";
/// The length of a beginning by which it is looked for.
const LEAST: usize = 3;
/// The number of groups of beginnings.
const GROUPS: usize = 1 << 12;
/// The length of a text that is looked through at once.
const CHUNK: usize = 64 << 10;
/// The longest credential that a text of chunks may cut.
const LONGEST: usize = 2048;
/// The number of bytes before a credential that tell whether a word begins there.
const BEFORE: usize = 16;

/// A look at a text, which may come in parts.
#[derive(Debug)]
pub struct Glance {
    /// By two bytes, the number of bytes that can be skipped.
    skips: Vec<u8>,
    /// The beginnings with the least lengths, by a digest of their first three bytes.
    beginnings: Vec<Vec<(&'static [u8], usize)>>,
    /// The end of the text so far, and the number of its bytes that were looked at.
    rest: Vec<u8>,
    done: usize,
    /// The digests of the credentials that were seen.
    seen: HashSet<u64>,
}

impl Default for Glance {
    fn default() -> Self {
        let mut glance = Self {
            skips: vec![LEAST as u8 - 1; 1 << 16],
            beginnings: vec![Vec::new(); GROUPS],
            rest: Vec::new(),
            done: 0,
            seen: HashSet::new(),
        };
        for line in BEGINNINGS.lines().filter(|line| !line.starts_with('#')) {
            let words = line.split_once(' ');
            let length =
                words.and_then(|(beginning, length)| Some((beginning, length.parse().ok()?)));
            if let Some((beginning, length)) = length {
                glance.add(beginning.as_bytes(), length);
            }
        }
        glance.add(KEY, KEY.len());
        glance
    }
}

impl Glance {
    fn add(&mut self, beginning: &'static [u8], length: usize) {
        let [first, second, third, ..] = *beginning else { return };
        let skip = &mut self.skips[block(first, second)];
        *skip = (*skip).min(1);
        self.skips[block(second, third)] = 0;
        self.beginnings[group(first, second, third)].push((beginning, length));
    }

    /// Looks at the next part of a text.
    pub fn look(&mut self, part: &[u8]) {
        if self.rest.is_empty() && part.len() >= CHUNK {
            let end = part.len() - LONGEST;
            self.text(part, end);
            self.rest.extend_from_slice(&part[end - BEFORE..]);
            self.done = BEFORE;
            return;
        }
        self.rest.extend_from_slice(part);
        if self.rest.len() >= CHUNK {
            let end = self.rest.len() - LONGEST;
            let mut text = std::mem::take(&mut self.rest);
            self.text(&text, end);
            text.drain(..end - BEFORE);
            (self.rest, self.done) = (text, BEFORE);
        }
    }

    /// The number of different credentials in the text.
    #[must_use]
    pub fn end(mut self) -> usize {
        let text = std::mem::take(&mut self.rest);
        self.text(&text, text.len());
        self.seen.len()
    }

    /// Looks for credentials that begin before `end`.
    fn text(&mut self, text: &[u8], end: usize) {
        let mut at = self.done + 1;
        while at + 1 < text.len() && at <= end {
            let skip = self.skips[block(text[at], text[at + 1])];
            if skip > 0 {
                at += usize::from(skip);
                continue;
            }
            let beginnings = &self.beginnings[group(text[at - 1], text[at], text[at + 1])];
            let credential = beginnings
                .iter()
                .find_map(|&(beginning, least)| credential(text, at - 1, beginning, least));
            if let Some(credential) = credential {
                let mut hasher = DefaultHasher::new();
                credential.hash(&mut hasher);
                self.seen.insert(hasher.finish());
            }
            at += 1;
        }
    }
}

const fn block(first: u8, second: u8) -> usize {
    (first as usize) << 8 | second as usize
}

/// The group of the beginnings whose first bytes are these: others may be in it.
const fn group(first: u8, second: u8, third: u8) -> usize {
    let (first, second, third) = (first as usize, second as usize, third as usize);
    (first ^ second << 3 ^ third << 6) % GROUPS
}

/// The credential that begins at a place of a text.
fn credential<'t>(text: &'t [u8], at: usize, beginning: &[u8], least: usize) -> Option<&'t [u8]> {
    let rest = &text[at..];
    if !rest.starts_with(beginning) {
        return None;
    }
    if beginning == KEY {
        let head = &rest[..rest.len().min(80)];
        return memchr::memmem::find(head, b"PRIVATE KEY").map(|_| &rest[..rest.len().min(160)]);
    }
    // Not `/`, which paths have.
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.+=~".contains(byte);
    let secret = &rest[beginning.len()..];
    let secret = &secret[..secret.iter().take_while(is_part).take(LONGEST / 2).count()];
    let length = beginning.len() + secret.len();
    (length >= least && begins(text, at) && is_random(secret)).then(|| &rest[..length])
}

/// Whether a word begins at a place of a text: no letter is before it, except that of an escape of
/// JSON or of a colour.
fn begins(text: &[u8], at: usize) -> bool {
    match text[..at] {
        [.., b'\\', b'n' | b't' | b'r' | b'b' | b'f'] => true,
        [ref before @ .., b'm'] => {
            let digits = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
            let length = before.iter().rev().take_while(digits).count();
            before[..before.len() - length].ends_with(b"\x1b[")
                || before[..before.len() - length].ends_with(b"\\u001b[")
        }
        [.., before] => !(before.is_ascii_alphanumeric() || b"_-+/".contains(&before)),
        [] => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(parts: &[&str]) -> usize {
        let mut glance = Glance::default();
        parts.iter().for_each(|part| glance.look(part.as_bytes()));
        glance.end()
    }

    fn token(number: usize) -> String {
        format!("gh{}_{}{number:04}", 'p', "q7Wn2RkT".repeat(4))
    }

    #[test]
    fn each_credential_counts_once_behind_escapes_and_colours() {
        let token = token(1);
        for text in [
            format!("a\\n{token}\\nb {token}"),
            format!("\x1b[2m{token}\x1b[0m"),
            format!("\\u001b[1;31m{token}"),
            token.clone(),
            format!("https://x:{token}@host"),
        ] {
            assert_eq!(number(&[&text]), 1, "{text}");
        }
        let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA";
        assert_eq!(number(&[&format!("{key} {}", self::token(2))]), 2);
    }

    #[test]
    fn words_ids_and_examples_are_none() {
        for text in [
            "",
            "\\",
            "\x1b[",
            "gh",
            "sk-",
            "task-runner-of-the-whole-project-2024-11-02-abcdef12",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk-proj-your-key-goes-here-and-nothing",
            "-----BEGIN CERTIFICATE-----",
            "0123ghp_q7Wn2RkTq7Wn2RkTq7Wn2RkTq7Wn2RkT1234",
        ] {
            assert_eq!(number(&[text]), 0, "{text}");
        }
    }

    #[test]
    fn parts_of_any_length_are_one_text() {
        let text: String =
            (0..3000).map(|at| format!("{:>1$} {2}", "", at % 97, token(at))).collect();
        for length in [1, 7, 1000, CHUNK - 1, CHUNK, CHUNK + 1, text.len()] {
            let mut glance = Glance::default();
            text.as_bytes().chunks(length).for_each(|part| glance.look(part));
            assert_eq!(glance.end(), 3000, "{length}");
            let mut glance = Glance::default();
            let words = text.replace("gh", "xgh");
            words.as_bytes().chunks(length).for_each(|part| glance.look(part));
            assert_eq!(glance.end(), 0, "{length}");
        }
    }
}
