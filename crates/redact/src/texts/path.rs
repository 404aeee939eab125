//! Way: the names and positions on the way to a value in its record, and a number for its names.

use std::collections::HashMap;

use session::Span;

/// A step of the way to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// A member, by the bytes of its name with the quotes.
    Key(Span),
    /// An element of an array.
    Index(u32),
    /// More steps, which are not kept: the value is very deep.
    Beneath,
}

/// The most steps of the way to a value that are kept with it: a finding costs no more, however
/// deep it is.
const MOST: usize = 128;

/// The way to a value.
#[derive(Debug, Default)]
pub(crate) struct Way {
    steps: Vec<PathStep>,
    /// The number of positions in lists among the steps.
    positions: usize,
    /// The numbers of the names up to each of the first steps.
    numbers: Vec<u32>,
    /// The number of each name behind the names of another number.
    known: HashMap<(u32, Vec<u8>), u32>,
}

impl Way {
    pub(crate) fn clear(&mut self) {
        (self.positions, self.steps, self.numbers) = (0, Vec::new(), Vec::new());
    }

    pub(crate) fn push(&mut self, step: PathStep) {
        self.positions += usize::from(matches!(step, PathStep::Index(_)));
        self.steps.push(step);
    }

    pub(crate) fn pop(&mut self) {
        let last = self.steps.pop();
        self.positions -= usize::from(matches!(last, Some(PathStep::Index(_))));
        self.numbers.truncate(self.steps.len());
    }

    /// The first steps.
    pub(crate) fn steps(&self) -> &[PathStep] {
        &self.steps[..self.steps.len().min(MOST)]
    }

    /// Whether there are more steps than the first.
    pub(crate) fn is_longer(&self) -> bool {
        self.steps.len() > MOST
    }

    /// Whether a list is on the way.
    pub(crate) fn has_list(&self) -> bool {
        self.positions > 0
    }

    /// The number of the names on the way: the same names have the same, in all records.
    pub(crate) fn number<'n>(&mut self, name: impl Fn(Span) -> &'n [u8]) -> u32 {
        for step in &self.steps[self.numbers.len()..] {
            let before = self.numbers.last().copied().unwrap_or_default();
            let number = match step {
                PathStep::Key(key) => {
                    let next = self.known.len() as u32 + 1;
                    *self.known.entry((before, name(*key).to_vec())).or_insert(next)
                }
                _ => before,
            };
            self.numbers.push(number);
        }
        self.numbers.last().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_names_have_the_same_number() {
        let text = b"abcab";
        let key = |at: u32| PathStep::Key(Span::new(at, at + 1));
        let mut way = Way::default();
        let mut number = |steps: &[PathStep]| {
            way.clear();
            steps.iter().for_each(|&step| way.push(step));
            way.number(|span| &text[span.start as usize..span.end as usize])
        };
        let all = number(&[key(0), PathStep::Index(7), key(1)]);
        assert_eq!(number(&[key(3), PathStep::Index(2), PathStep::Index(1), key(4)]), all);
        assert_ne!(number(&[key(1), key(0)]), all);
        assert_ne!(number(&[key(0)]), all);
        assert_eq!(number(&[PathStep::Index(1)]), number(&[]));
    }

    #[test]
    fn what_was_left_is_not_counted() {
        let mut way = Way::default();
        way.push(PathStep::Index(0));
        assert_eq!((way.has_list(), way.number(|_| b"")), (true, 0));
        way.pop();
        way.push(PathStep::Key(Span::new(0, 1)));
        assert_eq!((way.has_list(), way.number(|_| b"a")), (false, 1));
    }
}
