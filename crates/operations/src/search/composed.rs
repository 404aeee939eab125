//! Texts with composed characters: `é` is one character or two, and both are the same letter. Some
//! systems write names of files with two, and people type one.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// A text in its composed form, and the places in which it differs from the text that it was made
/// of.
pub(super) struct Composed {
    pub text: String,
    /// Ranges of the composed text that replace ranges of the original.
    changed: Vec<(Range<usize>, Range<usize>)>,
}

impl Composed {
    /// The composed form of a text; `None` if the text has it already.
    pub(super) fn of(text: &str) -> Option<Self> {
        if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
            return None;
        }
        let mut composed = Self { text: String::with_capacity(text.len()), changed: Vec::new() };
        let mut from = 0;
        for (at, c) in text.char_indices() {
            if at > from && is_start(c) {
                composed.add(text, from..at);
                from = at;
            }
        }
        composed.add(text, from..text.len());
        (!composed.changed.is_empty()).then_some(composed)
    }

    fn add(&mut self, text: &str, range: Range<usize>) {
        let (part, start) = (&text[range.clone()], self.text.len());
        // Most characters are composed already.
        if part.chars().nth(1).is_none() && is_nfc_quick(part.chars()) == IsNormalized::Yes {
            return self.text.push_str(part);
        }
        self.text.extend(part.nfc());
        if self.text[start..] != *part {
            self.changed.push((start..self.text.len(), range));
        }
    }

    /// The range of the original text from which a range of the composed one was made: whole
    /// characters, with all of their marks.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        self.place(range.start, false)..self.place(range.end, true)
    }

    fn place(&self, at: usize, is_end: bool) -> usize {
        let before = self.changed.partition_point(|(composed, _)| composed.start < at);
        match before.checked_sub(1).map(|last| &self.changed[last]) {
            None => at,
            Some((composed, original)) if at < composed.end => {
                if is_end {
                    original.end
                } else {
                    original.start
                }
            }
            Some((composed, original)) => original.end + (at - composed.end),
        }
    }
}

/// Whether a character never becomes one with those before it.
fn is_start(c: char) -> bool {
    let alone = || is_nfc_quick(std::iter::once(c)) == IsNormalized::Yes;
    c.is_ascii() || canonical_combining_class(c) == 0 && alone()
}

/// A text in its composed form.
pub(super) fn compose(text: &str) -> Cow<'_, str> {
    match Composed::of(text) {
        Some(composed) => Cow::Owned(composed.text),
        None => Cow::Borrowed(text),
    }
}

/// Greatest number of marks of a character: Unicode has none that decomposes into more.
const MARKS: usize = 3;

/// The ways to write a composed character with several characters, all of which mean the same.
pub(super) fn decompositions(c: char) -> Vec<String> {
    let parts: Vec<char> = std::iter::once(c).nfd().collect();
    let [base, marks @ ..] = &*parts else { return Vec::new() };
    if marks.is_empty() || marks.len() > MARKS {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    for within in 0..1_usize << marks.len() {
        let pick = |inside: bool| {
            let is_in = move |at: &usize| (within >> at & 1 == 1) == inside;
            (0..marks.len()).filter(is_in).map(|at| marks[at])
        };
        let begun: String = std::iter::once(*base).chain(pick(true)).nfc().collect();
        for order in orders(pick(false).collect()) {
            let text: String = begun.chars().chain(order).collect();
            let is_same = text.chars().nfc().eq(std::iter::once(c).nfc());
            if is_same && text.chars().nth(1).is_some() && !found.contains(&text) {
                found.push(text);
            }
        }
    }
    found
}

/// All orders of some characters.
fn orders(chars: Vec<char>) -> Vec<Vec<char>> {
    if chars.len() < 2 {
        return vec![chars];
    }
    let mut all = Vec::new();
    for (at, first) in chars.iter().enumerate() {
        let mut rest = chars.clone();
        rest.remove(at);
        all.extend(orders(rest).into_iter().map(|rest| [&[*first], &*rest].concat()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_a_composed_text_are_those_of_the_original() {
        assert!(Composed::of("cafe").is_none() && Composed::of("café").is_none());
        let text = "un cafe\u{301} et un the\u{301}.";
        let composed = Composed::of(text).unwrap();
        assert_eq!(composed.text, "un café et un thé.");
        let at = composed.text.find("thé").unwrap();
        assert_eq!(&text[composed.original(&(at..at + 4))], "the\u{301}");
        assert_eq!(&text[composed.original(&(at + 4..at + 5))], ".");
        assert_eq!(&text[composed.original(&(0..4))], "un c");
        let at = composed.text.find('é').unwrap();
        assert_eq!(&text[composed.original(&(at..at + 2))], "e\u{301}");
        let hangul = Composed::of("a\u{1112}\u{1161}\u{11ab}b").unwrap();
        assert_eq!(hangul.text, "a한b");
        assert_eq!(hangul.original(&(1..4)), 1..10);
        assert_eq!(hangul.original(&(4..5)), 10..11);
    }

    #[test]
    fn a_character_has_several_ways_to_be_written() {
        assert_eq!(decompositions('é'), ["e\u{301}"]);
        assert_eq!(decompositions('x'), [] as [&str; 0]);
        let all = decompositions('ệ');
        for way in ["e\u{323}\u{302}", "e\u{302}\u{323}", "ẹ\u{302}", "ê\u{323}"] {
            assert!(all.iter().any(|one| one == way), "{way:?} of {all:?}");
        }
        assert_eq!(decompositions('한').len(), 2, "three letters, or a syllable and a letter");
    }
}
