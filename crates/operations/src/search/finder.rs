//! Finders of a term in a text: a regular expression, or one pass of Knuth, Morris and Pratt (1977)
//! for a long word. The automaton of an expression has a state for each letter of the word, and may
//! be in all of them at once: a text of equal letters would cost its length times that of the word.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use regex::Regex;
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// A finder of a term in a text, at a cost that is linear in the text's length.
#[derive(Debug)]
pub(crate) enum Finder {
    /// A regular expression.
    Expression(Regex),
    /// A long word.
    Long(LongWord),
}

impl Finder {
    /// Whether the text has the term; also if that is an expression that matches nothing.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Expression(expression) => expression.is_match(text),
            Self::Long(word) => word.places(text).next().is_some(),
        }
    }

    /// The places of the term, but for those without a letter.
    pub(crate) fn places<'t>(
        &'t self,
        text: &'t str,
    ) -> Box<dyn Iterator<Item = Range<usize>> + 't> {
        match self {
            Self::Expression(expression) => {
                let places = expression.find_iter(text).map(|found| found.range());
                Box::new(places.filter(|place| !place.is_empty()))
            }
            Self::Long(word) => Box::new(word.places(text)),
        }
    }
}

/// A word or phrase, as numbers of its letters. All spellings of a letter that are the
/// same to the search have one number.
#[derive(Debug)]
pub(crate) struct LongWord {
    letters: HashMap<char, u32>,
    units: Vec<u32>,
    /// Of each number of units that agree: how many still do if the next one differs.
    shorter: Vec<usize>,
}

/// The number of white space: a run of it is one unit.
const SPACE: u32 = 0;
/// The number of letters that the word has not.
const OTHER: u32 = u32::MAX;

impl LongWord {
    /// A phrase, which has a letter at least. `fold`: in any case.
    pub(crate) fn of(phrase: &str, fold: bool) -> Self {
        let mut letters = HashMap::new();
        for (number, letter) in (SPACE + 1..).zip(phrase.chars()) {
            if !letters.contains_key(&letter) {
                letters.extend(same(letter, fold).into_iter().map(|letter| (letter, number)));
            }
        }
        let units: Vec<u32> = units(phrase.trim(), &letters).map(|(unit, _)| unit).collect();
        let mut shorter = vec![0; units.len() + 1];
        let mut agree = 0;
        for at in 1..units.len() {
            while agree > 0 && units.get(at) != units.get(agree) {
                agree = shorter[agree];
            }
            agree += usize::from(units.get(at) == units.get(agree));
            shorter[at + 1] = agree;
        }
        Self { letters, units, shorter }
    }

    /// Its places in a text, in order, none within another.
    pub(crate) fn places<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let mut agree = 0;
        let mut starts = VecDeque::with_capacity(self.units.len());
        units(text, &self.letters).filter_map(move |(unit, place)| {
            if starts.len() == self.units.len() {
                starts.pop_front();
            }
            starts.push_back(place.start);
            while agree > 0 && self.units.get(agree) != Some(&unit) {
                agree = self.shorter[agree];
            }
            agree += usize::from(self.units.get(agree) == Some(&unit));
            if agree < self.units.len() {
                return None;
            }
            agree = 0;
            Some(*starts.front()?..place.end)
        })
    }
}

/// The units of a text, each with its place.
fn units<'t>(
    text: &'t str,
    letters: &'t HashMap<char, u32>,
) -> impl Iterator<Item = (u32, Range<usize>)> + 't {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, letter) = rest.next()?;
        let mut end = start + letter.len_utf8();
        if !letter.is_whitespace() {
            return Some((letters.get(&letter).copied().unwrap_or(OTHER), start..end));
        }
        while let Some((at, space)) = rest.next_if(|(_, next)| next.is_whitespace()) {
            end = at + space.len_utf8();
        }
        Some((SPACE, start..end))
    })
}

/// The spellings of a letter that are the same to a search, as a regular expression has them.
fn same(letter: char, fold: bool) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(letter, letter)]);
    if fold && class.try_case_fold_simple().is_err() {
        return vec![letter];
    }
    class.iter().flat_map(|range| range.start()..=range.end()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places are those of the regular expression for the same phrase, for all texts of a few
    /// letters that agree in part with it, and with each other by case.
    #[test]
    fn it_finds_what_the_expression_finds() {
        let mut state = 7_u64;
        let mut one_of = |letters: &[char]| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            letters[(state >> 33) as usize % letters.len()]
        };
        let mut found = 0;
        for round in 0..4000 {
            let letters = ['a', 'A', 'k', '\u{212a}', 'ß', ' ', '\n', 'é', 'É', 'a', 'a'];
            let mut text = |most: usize| -> String {
                let length = most.min(1 + round % most);
                (0..length).map(|_| one_of(&letters)).collect()
            };
            let (phrase, text) = (text(5), text(60));
            if phrase.trim().is_empty() {
                continue;
            }
            let words: Vec<String> = phrase.split_whitespace().map(regex::escape).collect();
            for fold in [true, false] {
                let mode = if fold { "(?i)" } else { "" };
                let expression = Regex::new(&format!("{mode}{}", words.join(r"\s+")));
                let expected: Vec<_> =
                    expression.unwrap().find_iter(&text).map(|place| place.range()).collect();
                let word = LongWord::of(&phrase, fold);
                assert_eq!(word.places(&text).collect::<Vec<_>>(), expected, "{phrase:?} {text:?}");
                found += expected.len();
            }
        }
        assert!(found > 1000, "{found}");
    }
}
