//! Equal keys of one object: each is a field, and one of them counts. The others are kept without
//! a meaning.

use crate::json::node::{Counts, Node};
use crate::label::slot::Slot;
use crate::label::table::{Map, Row};
use crate::sorting::Sorting as _;

/// Most rows that two tables have together.
const ROWS: usize = 512;

/// The rows that members of one object have had.
#[derive(Default)]
pub(crate) struct Seen([u64; ROWS / 64]);

impl Seen {
    /// Adds a row by its number. False if it was there. A number that is no row's is always new.
    #[inline(always)]
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        let Some(word) = self.0.get_mut(number / 64) else { return true };
        let bit = 1 << (number % 64);
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }
}

/// The members of one object that don't count, since another with an equal key does. Only keys with
/// a row are compared: another key has no meaning that could count.
pub(crate) struct Hidden(Vec<u32>);

impl Hidden {
    /// The members of `node` that don't count, in a walk with one table or two.
    pub(crate) fn of(node: Node<'_>, first: &Map, second: Option<&Map>) -> Self {
        let number = |member| match (first.find(member), second) {
            (number, _) if first.at(number).is_some() => number,
            (_, Some(second)) => second.find(member).saturating_add(ROWS / 2),
            (none, None) => none,
        };
        let mut seen = Seen::default();
        let mut hidden = Vec::new();
        if !node.values().all(|member| seen.insert(number(member))) {
            let mut counting: [Option<u32>; ROWS] = [None; ROWS];
            for member in node.values() {
                let Some(counts) = counting.get_mut(number(member)) else { continue };
                match (*counts, node.counts()) {
                    (Some(_), Counts::First) => hidden.push(member.mark()),
                    (before, _) => {
                        hidden.extend(before);
                        *counts = Some(member.mark());
                    }
                }
            }
            hidden.in_order();
        }
        Self(hidden)
    }

    /// Whether this member doesn't count.
    #[inline]
    pub(crate) fn contains(&self, member: Node<'_>) -> bool {
        !self.0.is_empty() && self.0.binary_search(&member.mark()).is_ok()
    }
}

/// The meaning of a member that doesn't count: none, but what gives access remains withheld.
pub(crate) fn hidden_slot(row: Option<&Row>) -> Slot {
    match row {
        Some(Row::Is(Slot::Secret)) => Slot::Secret,
        _ => Slot::Native,
    }
}
