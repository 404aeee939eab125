//! The pattern of a search. It is matched against decoded text; for the bytes of a file there is a
//! test that never misses a file whose decoded text matches, and mostly excludes the others.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use memchr::memmem;
use regex::{Regex, bytes};

use super::composed::{Composed, compose, decompositions};
use crate::search::finder::{Finder, LongWord};

/// Greatest number of words: each is looked for by itself in every text.
const WORDS: usize = 100;

/// Greatest length of the words together, in bytes.
const LENGTH: usize = 10_000;

/// Number of letters from which on a word is long.
const LONG: usize = 64;

/// A pattern: words and phrases that a text must all have, or a regular expression.
#[derive(Debug)]
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
        places.sort_by_key(|place| (place.start, place.end));
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
        runs.sort_unstable();
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
mod tests {
    use super::*;

    fn words(all: &[&str]) -> Pattern {
        Pattern::words(&all.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn words_and_phrases_are_found_in_text() {
        let pattern = words(&["paint", "green door"]);
        assert!(pattern.is_in("The Green\n  door: PAINT it"));
        assert_eq!(pattern.first("The Green\n  door: PAINT it"), Some(4));
        assert_eq!(pattern.first("The green door"), None);
        assert_eq!(pattern.marks("a green door").first(), Some(&(2..12)));
        assert!(!words(&["Paint"]).is_in("paint"), "a capital letter makes case count");
        assert!(!words(&["a.b"]).is_in("axb"));
        assert!(Pattern::words(&[" ".into()]).is_err());
    }

    #[test]
    fn escaped_text_passes_the_sieve() {
        for (word, raw) in [
            ("für", r#"{"text":"f\u00fcr"}"#),
            ("FÜR", r#"{"text":"F\u00DCR"}"#),
            ("für", r#"{"arguments":"{\"a\":\"f\\u00fcr\"}"}"#),
            ("für", r#"{"text":"FÜR"}"#),
            ("say \"hi\"", r#"{"arguments":"{\"a\":\"say \\\"hi\\\"\"}"}"#),
            ("two words", r#"{"text":"two\n\twords"}"#),
            ("a/b", r#"{"text":"a\/b"}"#),
            (r"a\b", r#"{"text":"a\\b"}"#),
            ("<b>", r#"{"text":"\u003cb\u003E"}"#),
            ("😀", r#"{"text":"\ud83d\uDE00"}"#),
            ("door", r#"{"text":"d\u006for"}"#),
        ] {
            assert!(words(&[word]).may_be_in(raw.as_bytes()), "{word} in {raw}");
        }
        assert!(!words(&["door"]).may_be_in(br#"{"text":"\u003cdor \u001b"}"#));
        assert!(!words(&["door", "green"]).may_be_in(b"door"));
    }

    #[test]
    fn a_letter_and_its_marks_are_found_as_one_character_and_as_several() {
        let (one, two) = ("Le Caf\u{e9} noir", "Le Cafe\u{301} noir");
        for typed in ["caf\u{e9}", "cafe\u{301}", "Caf\u{e9} no"] {
            let pattern = words(&[typed]);
            assert_eq!(pattern.first(one), Some(3), "{typed}");
            assert_eq!(pattern.first(two), Some(3), "{typed}");
            for text in [one, two] {
                assert!(pattern.may_be_in(text.as_bytes()), "{typed} in {text}");
            }
            for raw in [r"Caf\u00e9 no", r"Cafe\u0301 no", r"Cafe\\u0301 no"] {
                assert!(pattern.may_be_in(raw.as_bytes()), "{typed} in {raw}");
            }
            assert!(!pattern.may_be_in("a cafe noir".as_bytes()), "{typed}");
        }
        let mark = words(&["caf\u{e9}"]).marks(two)[0].clone();
        assert_eq!(&two[mark], "Cafe\u{301}");
        let pattern = Pattern::expression("caf[\u{e9}\u{e8}]").unwrap();
        assert!(pattern.is_in(two) && pattern.may_be_in(two.as_bytes()));
        // What was found before is found as before: a letter without its mark.
        assert!(words(&["cafe"]).is_in(two) && !words(&["cafe"]).is_in(one));
        let both = words(&["caf\u{e9}", "noir"]);
        assert!(both.is_in(two) && !both.is_in("Cafe\u{301}"));
    }

    #[test]
    fn an_expression_has_a_literal_that_it_requires() {
        assert_eq!(literal(r"fix(ed)?\s+parser\d*").as_deref(), Some("parser"));
        assert_eq!(literal(r"(a|b)+"), None);
        assert_eq!(literal(r"colou?r"), Some("colo".into()));
        let fault = |text| Pattern::expression(text).unwrap_err();
        assert_eq!(fault("ab(c"), "unclosed group, at character 3");
        assert_eq!(fault("a{2"), "unclosed counted repetition, at character 2");
        assert_eq!(fault(r"\p{No}\p{Nope}"), "Unicode property not found, at character 7");
        let pattern = Pattern::expression(r"err\w+ \d+").unwrap();
        assert!(pattern.is_in("ERROR 42") && !pattern.may_be_in(b"nothing"));
        assert!(Pattern::expression(r"\W").unwrap().may_be_in(b""));
    }

    #[test]
    fn any_character_may_be_written_as_an_escape() {
        let words = |word: &str| Pattern::words(&[word.to_owned()]).unwrap();
        for (word, raw) in [
            ("a=b", r"a\u003db"),
            ("a=b", r"a\u003Db"),
            ("x<y", r"x\u003Cy"),
            ("p/q", r"p\u002fq"),
            ("one-two", r"one\\u002Dtwo"),
            ("f(x)", r"f\u0028x\u0029"),
        ] {
            assert!(words(word).may_be_in(raw.as_bytes()), "{word}: {raw}");
            assert!(!words(word).may_be_in(b"something else"), "{word}");
        }
        let many: Vec<String> = (0..=WORDS).map(|number| number.to_string()).collect();
        assert!(Pattern::words(&many).is_err() && Pattern::words(&many[1..]).is_ok());
        assert!(Pattern::words(&["x".repeat(LENGTH + 1)]).is_err());
    }

    /// A text of equal letters costs its length, not that times the words: with expressions alone,
    /// this test takes minutes.
    #[test]
    fn long_and_repeated_words_cost_the_length_of_the_text() {
        let text = "a".repeat(500_000);
        let long = "a".repeat(LENGTH);
        let pattern = words(&[&long]);
        assert_eq!((pattern.first(&text), pattern.marks(&text).len()), (Some(0), 50));
        assert!(pattern.may_be_in(text.as_bytes()));
        let almost = words(&[&format!("{}b", "a".repeat(LENGTH - 1))]);
        assert_eq!((almost.first(&text), almost.may_be_in(b"{}")), (None, false));
        let many: Vec<String> = (1..=90).map(|count| "a".repeat(count)).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).chain(["a"; 10]).collect();
        assert_eq!(words(&many).first(&text), Some(0));
        assert_eq!(words(&["a", "a"]).marks("a a").len(), 2, "each place is marked once");
    }

    /// A word is longer than what two pieces of a file have in common.
    #[test]
    fn a_long_word_passes_the_sieve_wherever_a_piece_ends() {
        let word = "keel".repeat(LENGTH / 4);
        let pattern = words(&[&word]);
        let raw = format!("{{\"text\":\"{word}\"}}");
        for end in [20, 500, 5000] {
            let mut sieve = pattern.sieve();
            let (first, begin) = (&raw.as_bytes()[..end], end.saturating_sub(OVERLAP));
            sieve.feed(first);
            sieve.feed(&raw.as_bytes()[begin..begin + 6000]);
            assert!(sieve.passes(), "{end}");
        }
    }
}
