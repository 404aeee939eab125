//! The pattern of a search. It is matched against decoded text; for the bytes of a file there is a
//! test that never misses a file whose decoded text matches, and mostly excludes the others.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use memchr::memmem;
use regex::{Regex, bytes};
use session::Sorting as _;

use super::composed::{Composed, compose, decompositions};
use crate::search::finder::{Finder, LongWord};

/// Greatest number of words: each is looked for by itself in every text.
const WORDS: usize = 100;

/// Greatest length of the words together, in bytes.
const LENGTH: usize = 10_000;

/// Number of letters from which on a word is long.
const LONG: usize = 64;

/// A pattern: words and phrases that a text must all have, or a regular expression.
#[derive(Debug, Default)]
pub struct Pattern {
    terms: Vec<Term>,
}

#[derive(Debug)]
struct Term {
    /// Matches decoded text.
    text: Finder,
    /// Matches the bytes of every JSON in which the text is written, or its beginning; `None` if
    /// they can be any.
    raw: Option<bytes::Regex>,
    /// The runs of ASCII letters and digits that every such JSON has, in small letters.
    runs: Vec<Vec<u8>>,
}

impl Pattern {
    /// A pattern of words and phrases. Case counts in a word with a capital letter only. White
    /// space in a phrase is any white space.
    ///
    /// # Errors
    ///
    /// A word is empty or too long: the reason.
    pub fn words(words: &[String]) -> Result<Self, String> {
        let term = |word: &String| {
            let word = &*compose(word.trim());
            if word.is_empty() {
                return Err("a word to search for is empty".to_owned());
            }
            let fold = !word.chars().any(char::is_uppercase);
            let (begin, is_long) = beginning(word);
            let text = match is_long {
                true => Finder::Long(LongWord::of(word, fold)),
                false => Finder::Expression(compiled(&with_case(&loose(word), fold))?),
            };
            let raw = bytes::Regex::new(&with_case(&written(begin), fold));
            let raw = raw.map_err(|error| error.to_string())?;
            Ok(Term { text, raw: Some(raw), runs: runs(begin) })
        };
        let length: usize = words.iter().map(String::len).sum();
        if words.len() > WORDS || length > LENGTH {
            return Err(format!("at most {WORDS} words of {LENGTH} bytes together"));
        }
        // A word that is there twice asks for nothing more.
        let words: BTreeSet<&String> = words.iter().collect();
        Ok(Self { terms: words.into_iter().map(term).collect::<Result<_, _>>()? })
    }

    /// A regular expression. Case counts if it has a capital letter.
    ///
    /// # Errors
    ///
    /// It can't be parsed: the reason.
    pub fn expression(pattern: &str) -> Result<Self, String> {
        let pattern = &*compose(pattern);
        let fold = !has_capital(pattern);
        regex_syntax::parse(pattern).map_err(|error| fault(&error))?;
        let text = Finder::Expression(compiled(&with_case(pattern, fold))?);
        let literal = literal(pattern);
        let runs = literal.as_deref().map(runs).unwrap_or_default();
        let raw =
            literal.map(|literal| bytes::Regex::new(&with_case(&regex::escape(&literal), fold)));
        let raw = raw.transpose().map_err(|error| error.to_string())?;
        Ok(Self { terms: vec![Term { text, raw, runs }] })
    }

    /// A word or phrase as a regular expression.
    #[must_use]
    pub fn quote(phrase: &str) -> String {
        loose(phrase)
    }

    /// Whether a text has all of its terms.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        let is_there = |term: &Term| term.text.is_in(text);
        if self.terms.iter().all(is_there) {
            return true;
        }
        let Some(composed) = Composed::of(text) else { return false };
        self.terms.iter().all(|term| is_there(term) || term.text.is_in(&composed.text))
    }

    /// The first place of a term in a text; `None` if a term is missing.
    #[must_use]
    pub fn first(&self, text: &str) -> Option<usize> {
        if !text.is_ascii() {
            let first = || self.marks(text).first().map_or(0, |place| place.start);
            return self.is_in(text).then(first);
        }
        let first = |term: &Term| term.text.places(text).next();
        let firsts = self.terms.iter().filter_map(first).map(|place| place.start);
        self.is_in(text).then(|| firsts.min().unwrap_or(0))
    }

    /// The places of those of its terms that are in a text, in order. A letter and its marks are
    /// found as one character and as several.
    #[must_use]
    pub fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let ranges = |text: &str| -> Vec<Range<usize>> {
            self.terms.iter().flat_map(|term| term.text.places(text)).collect()
        };
        let mut places = ranges(text);
        if let Some(composed) = Composed::of(text) {
            let found = ranges(&composed.text);
            places.extend(found.iter().map(|range| composed.original(range)));
        }
        places.in_order_by_key(|place| (place.start, place.end));
        places.dedup();
        places
    }

    /// Whether decoded text of these bytes may match.
    #[must_use]
    pub fn may_be_in(&self, raw: &[u8]) -> bool {
        let mut sieve = self.sieve();
        sieve.feed(raw);
        sieve.passes()
    }

    /// The runs of ASCII letters and digits, in small letters, that are in the bytes of every text
    /// that matches, unless such a letter or digit is written as an escape.
    #[must_use]
    pub fn runs(&self) -> Vec<Vec<u8>> {
        let mut runs: Vec<Vec<u8>> =
            self.terms.iter().flat_map(|term| term.runs.iter().cloned()).collect();
        runs.in_order();
        runs.dedup();
        runs
    }

    /// A test of bytes that come in pieces. Each piece begins with the last [`OVERLAP`] bytes of
    /// the one before.
    pub(crate) fn sieve(&self) -> Sieve<'_> {
        let seen = self.terms.iter().map(|term| term.raw.is_none()).collect();
        Sieve { pattern: self, seen }
    }
}

/// Number of bytes that two pieces have in common.
pub(crate) const OVERLAP: usize = 4096;

/// The state of a test of bytes.
pub(crate) struct Sieve<'p> {
    pattern: &'p Pattern,
    seen: Vec<bool>,
}

impl Sieve<'_> {
    /// Looks through the next bytes.
    pub(crate) fn feed(&mut self, raw: &[u8]) {
        for (seen, term) in self.seen.iter_mut().zip(&self.pattern.terms) {
            *seen = *seen || term.raw.as_ref().is_none_or(|term| term.is_match(raw));
        }
        // A letter or digit that is written as an escape could be part of any word.
        if !self.passes() && memmem::find_iter(raw, b"\\u00").any(|at| is_word(&raw[at + 4..])) {
            self.seen.fill(true);
        }
    }

    /// Whether every term may have been in the bytes so far.
    pub(crate) fn passes(&self) -> bool {
        self.seen.iter().all(|seen| *seen)
    }
}

/// Whether the last two digits of an escape are those of an ASCII letter or digit.
fn is_word(digits: &[u8]) -> bool {
    let text = digits.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
    let code = text.and_then(|text| u8::from_str_radix(text, 16).ok());
    code.is_some_and(|code| code.is_ascii_alphanumeric())
}

fn compiled(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "the pattern is too large".to_owned(),
        error => error.to_string(),
    })
}

/// The fault of a regular expression, in one line.
fn fault(error: &regex_syntax::Error) -> String {
    let (kind, span) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span()),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span()),
        other => return other.to_string(),
    };
    format!("{kind}, at character {}", span.start.column)
}

fn with_case(pattern: &str, fold: bool) -> String {
    if fold { format!("(?i){pattern}") } else { pattern.to_owned() }
}

/// Whether a regular expression has a capital letter, other than in an escape such as `\W`.
fn has_capital(pattern: &str) -> bool {
    let mut escaped = false;
    pattern.chars().any(|c| {
        let counts = !escaped && c.is_uppercase();
        escaped = c == '\\' && !escaped;
        counts
    })
}

/// The first letters of a word, which are enough to exclude files, and whether it has more.
fn beginning(word: &str) -> (&str, bool) {
    match word.char_indices().nth(LONG) {
        Some((end, _)) => (&word[..end], true),
        None => (word, false),
    }
}

/// A phrase as a pattern of text.
fn loose(phrase: &str) -> String {
    let words: Vec<String> = phrase.split_whitespace().map(regex::escape).collect();
    words.join(r"\s+")
}

/// A phrase as a pattern of the bytes of JSON, once or several times within strings: each character
/// as it is or as an escape.
fn written(phrase: &str) -> String {
    let mut pattern = String::new();
    let mut space = false;
    for c in phrase.chars() {
        if c.is_whitespace() {
            space = true;
            continue;
        }
        if std::mem::take(&mut space) {
            pattern.push_str(r"(?:\s|\\+(?:[nrtf]|u[0-9a-fA-F]{4}))+");
        }
        let _ = match c {
            '"' => write!(pattern, r#"\\*(?:"|u0022)"#),
            '\\' => write!(pattern, r"\\+(?:u005[cC])?"),
            '/' => write!(pattern, r"\\*(?:/|u002[fF])"),
            // Letters and digits as escapes are looked for by themselves.
            _ if c.is_ascii_alphanumeric() => write!(pattern, "{c}"),
            _ if c.is_ascii() => {
                let plain = regex::escape(c.encode_utf8(&mut [0; 4]));
                write!(pattern, r"(?:{plain}|\\+u(?i:{:04x}))", c as u32)
            }
            _ => write!(pattern, "(?:{})", spellings(c)),
        };
    }
    pattern
}

/// The runs of ASCII letters and digits of a phrase, in small letters. Shorter ones exclude few
/// files.
fn runs(phrase: &str) -> Vec<Vec<u8>> {
    let runs = phrase.split(|c: char| !c.is_ascii_alphanumeric());
    let long = runs.filter(|run| run.len() >= LITERAL);
    long.map(|run| run.to_ascii_lowercase().into_bytes()).collect()
}

/// A character that is not ASCII, and its escapes, in both cases; and the same as a letter with
/// marks.
fn spellings(c: char) -> String {
    let mut all = escapes(c);
    for text in decompositions(c) {
        all.push('|');
        for c in text.chars() {
            match c.is_ascii() {
                // Letters and digits as escapes are looked for by themselves.
                true => all.push(c),
                false => _ = write!(all, "(?:{})", escapes(c)),
            }
        }
    }
    all
}

/// A character that is not ASCII, and its escapes, in both cases.
fn escapes(c: char) -> String {
    let mut all = c.to_string();
    let mut cases: Vec<char> = vec![c];
    cases.extend(c.to_lowercase());
    cases.extend(c.to_uppercase());
    for c in cases {
        all.push('|');
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(all, r"\\+u(?i:{unit:04x})");
        }
    }
    all
}

/// Shortest literal that excludes enough files.
const LITERAL: usize = 3;

/// The longest run of letters and digits that every match of a regular expression has.
fn literal(pattern: &str) -> Option<String> {
    let parsed = regex_syntax::parse(pattern).ok()?;
    let mut best = String::new();
    required(&parsed, &mut best);
    (best.len() >= LITERAL).then_some(best)
}

fn required(part: &regex_syntax::hir::Hir, best: &mut String) {
    use regex_syntax::hir::HirKind;
    match part.kind() {
        HirKind::Literal(literal) => {
            let words = literal.0.split(|byte| !byte.is_ascii_alphanumeric());
            let longest = words.max_by_key(|word| word.len()).unwrap_or_default();
            if longest.len() > best.len() {
                *best = String::from_utf8_lossy(longest).into_owned();
            }
        }
        HirKind::Capture(group) => required(&group.sub, best),
        HirKind::Repetition(repeated) if repeated.min > 0 => required(&repeated.sub, best),
        HirKind::Concat(parts) => parts.iter().for_each(|part| required(part, best)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
