//! The trigrams of a file, by which a search leaves it out: each three letters or digits that
//! follow one another in its bytes, in any case.
//!
//! There are 36³ of them, so that the set of a part of a file is exact and has at most 5,832 bytes.
//! A file is divided into parts, since a long text has nearly all trigrams. No part ends within a
//! run of letters and digits: what a search looks for in one run is in one part.

use catalog::packed::{PackedReader, PackedWriter};
use session::Sorting as _;

/// Number of letters and digits.
const LETTERS: u16 = 36;
/// Number of trigrams, and of words of 64 bits that have a bit for each.
const ALL: usize = 36 * 36 * 36;
const WORDS: usize = ALL / 64;

/// Number of bytes from which on a part ends at the next character that is no letter or digit.
const PART: usize = 64 * 1024;

/// The number of every other byte.
const NONE: u8 = u8::MAX;

/// The number of an ASCII letter or digit.
const fn letter(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'z' => byte - b'a' + 10,
        b'A'..=b'Z' => byte - b'A' + 10,
        _ => NONE,
    }
}

/// The trigrams of a text that comes in pieces.
#[derive(Debug)]
pub struct Trigrams {
    parts: Vec<Vec<u8>>,
    part: Box<[u64; WORDS]>,
    length: usize,
    /// The run that the text ends with: its length, at most two, and its last two letters.
    run: (u8, u16),
    /// The character that the text may end with a part of.
    begun: Begun,
    /// The last bytes, the newest in the lowest place.
    last: u64,
    /// Whether a letter or digit is written as an escape: such a text may contain anything.
    escaped: bool,
}

/// The beginning of a character that is equal to a letter of ASCII for who ignores case: the long
/// s (`C5 BF`) and the sign of Kelvin (`E2 84 AA`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    No,
    LongS,
    Kelvin,
    KelvinMore,
}

impl Default for Trigrams {
    fn default() -> Self {
        Self {
            parts: Vec::new(),
            part: Box::new([0; WORDS]),
            length: 0,
            run: (0, 0),
            begun: Begun::No,
            last: 0,
            escaped: false,
        }
    }
}

impl Trigrams {
    /// Adds the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.length += 1;
            self.last = self.last << 8 | u64::from(*byte);
            if self.last >> 16 & 0xffff_ffff == u64::from(u32::from_be_bytes(*b"\\u00")) {
                self.escaped |= is_word(self.last as u16);
            }
            let before = std::mem::replace(&mut self.begun, Begun::No);
            match (before, *byte) {
                (Begun::LongS, 0xbf) => self.add(letter(b's')),
                (Begun::KelvinMore, 0xaa) => self.add(letter(b'k')),
                (Begun::Kelvin, 0x84) => self.begun = Begun::KelvinMore,
                (_, byte) => {
                    if before != Begun::No {
                        self.end_run();
                    }
                    match (byte, letter(byte)) {
                        (0xc5, _) => self.begun = Begun::LongS,
                        (0xe2, _) => self.begun = Begun::Kelvin,
                        (_, NONE) => self.end_run(),
                        (_, letter) => self.add(letter),
                    }
                }
            }
        }
    }

    fn add(&mut self, letter: u8) {
        let (count, last) = self.run;
        let two = last % (LETTERS * LETTERS);
        if count == 2 {
            let three = usize::from(two) * usize::from(LETTERS) + usize::from(letter);
            self.part[three / 64] |= 1 << (three % 64);
        }
        self.run = ((count + 1).min(2), two % LETTERS * LETTERS + u16::from(letter));
    }

    fn end_run(&mut self) {
        self.run = (0, 0);
        if self.length >= PART {
            self.end_part();
        }
    }

    fn end_part(&mut self) {
        self.parts.push(packed_part(&self.part));
        self.part.fill(0);
        self.length = 0;
    }

    /// The trigrams as bytes.
    #[must_use]
    pub fn end(mut self) -> Vec<u8> {
        if self.length > 0 {
            self.end_part();
        }
        let mut packed = PackedWriter::default();
        packed.number(u64::from(self.escaped));
        packed.number(self.parts.len() as u64);
        self.parts.iter().for_each(|part| packed.bytes(part));
        packed.end()
    }
}

/// Whether two digits of an escape are those of an ASCII letter or digit.
fn is_word(digits: u16) -> bool {
    let digit = |byte: u16| char::from(byte as u8).to_digit(16);
    let code = digit(digits >> 8).zip(digit(digits & 0xff)).map(|(high, low)| high << 4 | low);
    code.and_then(char::from_u32).is_some_and(|code| code.is_ascii_alphanumeric())
}

/// A set as the distances between its members, or as a bit for each trigram, if that is shorter.
fn packed_part(part: &[u64; WORDS]) -> Vec<u8> {
    let mut distances = PackedWriter::default();
    let mut next = 0;
    for at in (0..ALL).filter(|at| part[at / 64] >> (at % 64) & 1 == 1) {
        distances.number((at - next) as u64);
        next = at + 1;
    }
    let distances = distances.end();
    match distances.len() < WORDS * 8 {
        true => distances,
        false => part.iter().flat_map(|word| word.to_le_bytes()).collect(),
    }
}

/// The trigrams of a run of letters and digits, sorted.
fn trigrams(run: &[u8]) -> Vec<usize> {
    let number = |three: &[u8]| {
        three.iter().fold(0, |all, byte| all * LETTERS as usize + letter(*byte) as usize)
    };
    let mut all: Vec<usize> = run.windows(3).map(number).collect();
    all.in_order();
    all.dedup();
    all
}

/// Whether a part has these trigrams, which are sorted.
fn has(part: &[u8], wanted: &[usize]) -> Option<bool> {
    if part.len() == WORDS * 8 {
        return Some(wanted.iter().all(|at| part[at / 8] >> (at % 8) & 1 == 1));
    }
    let (mut packed, mut next) = (PackedReader::of(part), 0);
    for wanted in wanted {
        while next <= *wanted {
            if packed.is_done() {
                return Some(false);
            }
            let at = next.checked_add(packed.small()? as usize)?;
            next = at + 1;
            if at > *wanted {
                return Some(false);
            }
        }
    }
    Some(true)
}

/// Whether a text with these trigrams may contain each of these runs of ASCII letters and digits,
/// in any case. `None` if the bytes are damaged.
#[must_use]
pub fn runs_in(packed: &[u8], runs: &[Vec<u8>]) -> Option<bool> {
    let mut packed = PackedReader::of(packed);
    let escaped = packed.number()? == 1;
    let parts: Option<Vec<&[u8]>> = (0..packed.count()?).map(|_| packed.bytes()).collect();
    let parts = parts.filter(|_| packed.is_done())?;
    if escaped {
        return Some(true);
    }
    for run in runs {
        let wanted = trigrams(run);
        if wanted.is_empty() {
            continue;
        }
        let mut found = false;
        for part in &parts {
            found = found || has(part, &wanted)?;
        }
        if !found {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &[u8], piece: usize) -> Vec<u8> {
        let mut all = Trigrams::default();
        text.chunks(piece).for_each(|piece| all.feed(piece));
        all.end()
    }

    fn may(text: &str, runs: &[&str]) -> bool {
        let runs: Vec<Vec<u8>> = runs.iter().map(|run| run.as_bytes().to_vec()).collect();
        let answers = [1, 2, 7, 1 << 20].map(|piece| runs_in(&of(text.as_bytes(), piece), &runs));
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{text}: {answers:?}");
        answers[0].unwrap()
    }

    #[test]
    fn a_text_without_a_trigram_is_left_out() {
        assert!(may("The Green door", &["green", "DOOR", "the"]));
        assert!(!may("The Green door", &["greend"]));
        assert!(!may("The Green door", &["doors"]));
        assert!(!may("do or", &["door"]));
        assert!(may("", &[]) && may("", &["ab"]) && !may("", &["abc"]));
        assert!(may("zzz 000", &["zzz", "000"]) && !may("zz 00", &["zzz"]));
        assert!(!may("gräün", &["grun"]));
    }

    /// They are equal to a letter of ASCII for a search that ignores case.
    #[test]
    fn other_letters_that_are_equal_in_any_case_are_known() {
        assert!(may("ſearch", &["search"]) && may("meaſure", &["measure"]));
        assert!(may("\u{212a}elvin", &["kelvin"]) && may("bac\u{212a}up", &["backup"]));
        assert!(may("ſſſ", &["sss"]));
        // Others that begin alike are no letters.
        assert!(!may("aŁbc", &["abc"]) && !may("ab€c", &["abc"]) && !may("ab℃c", &["abc"]));
        assert!(!may("abſ", &["abc"]));
    }

    #[test]
    fn a_text_with_an_escaped_letter_may_contain_anything() {
        assert!(may(r"d\u006for", &["door"]) && may(r"\\u0041", &["door"]));
        assert!(!may(r"\u003cdor \u001b \u00", &["door"]));
    }

    /// Each run of a long text is found, wherever its parts end.
    #[test]
    fn long_texts_have_parts() {
        let word = |at: usize| format!("w{:x}q", at * 7919);
        let text: String = (0..60_000).map(|at| word(at) + " ").collect();
        let packed = of(text.as_bytes(), 1000);
        for at in (0..60_000).step_by(97) {
            assert_eq!(runs_in(&packed, &[word(at).into_bytes()]), Some(true), "{at}");
        }
        assert_eq!(runs_in(&packed, &[b"paint".to_vec()]), Some(false));
        let long = "f".repeat(3 * PART) + "g ";
        assert!(may(&long, &["ffg"]) && !may(&long, &["fgf"]));
        // A set of nearly all has a bit for each.
        let mut random = 1u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from_digit((random >> 16) % 36, 36).unwrap()
        };
        let spread: String = (0..2 * PART).map(|_| next()).collect();
        let packed = of(spread.as_bytes(), 4096);
        for run in spread.as_bytes().windows(9).step_by(1009) {
            assert_eq!(runs_in(&packed, &[run.to_vec()]), Some(true));
        }
    }

    #[test]
    fn damaged_bytes_are_no_set() {
        let packed = of(b"the green door", 4);
        assert_eq!(runs_in(&packed[..packed.len() - 1], &[]), None);
        assert_eq!(runs_in(&[], &[]), None);
        assert_eq!(runs_in(&[0, 1, 2, 0xff, 0xff], &[b"abc".to_vec()]), None);
    }
}
