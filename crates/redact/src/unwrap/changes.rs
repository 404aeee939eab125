//! Changes: where a text with a wrapping undone differs from what it was made of. Elsewhere nobody
//! needs to look again: what is there was seen before.

use std::ops::Range;

use super::source_map::Sink;

/// A part of a text: it is that of the text before from a place on, or was decoded.
#[derive(Clone, Copy, Debug)]
struct Part {
    at: u32,
    from: u32,
    is_equal: bool,
}

/// A text with a wrapping undone.
pub(crate) struct Undone<'u> {
    before: &'u [u8],
    text: Vec<u8>,
    parts: Vec<Part>,
    to: usize,
}

impl<'u> Undone<'u> {
    pub(crate) const fn of(before: &'u [u8]) -> Self {
        Self { before, text: Vec::new(), parts: Vec::new(), to: 0 }
    }

    /// The number of parts above which a text is new everywhere.
    const fn most(&self) -> usize {
        16 + self.before.len() / 16
    }

    /// The text, and what is new in it. `before` says what is new in the text before, of which it
    /// is the range from a place on.
    pub(crate) fn end(mut self, before: &Changes, start: usize) -> (Vec<u8>, Changes) {
        if self.parts.len() > self.most() {
            return (self.text, Changes::everywhere());
        }
        let length = self.text.len() as u32;
        if self.to != self.before.len() {
            self.parts.push(Part { at: length, from: self.before.len() as u32, is_equal: true });
        }
        let own = self.parts.iter().filter(|part| part.at > 0 || part.from > 0 || !part.is_equal);
        let mut sets = vec![own.map(|part| part.at).collect()];
        for set in &before.sets {
            sets.push(moved(set, &self.parts, start as u32, (self.before.len() as u32, length)));
        }
        (self.text, Changes { sets, parts: self.parts })
    }
}

/// Places of the text before in the text.
fn moved(set: &[u32], parts: &[Part], start: u32, (before, length): (u32, u32)) -> Vec<u32> {
    let first = set.partition_point(|&place| place < start);
    let (mut number, mut moved) = (0, Vec::new());
    for place in set[first..].iter().map(|place| place - start) {
        if place > before {
            break;
        }
        while parts.get(number + 1).is_some_and(|next| next.from <= place) {
            number += 1;
        }
        let Some(part) = parts.get(number) else { break };
        let next = parts.get(number + 1).map_or(length, |next| next.at);
        moved.push((part.at + place.saturating_sub(part.from)).min(next));
    }
    moved.dedup();
    moved
}

impl Sink for Undone<'_> {
    fn put(&mut self, bytes: &[u8], from: Range<usize>) {
        if bytes.is_empty() {
            return;
        }
        let is_equal = self.before.get(from.clone()) == Some(bytes);
        let goes_on = from.start == self.to
            && self.parts.last().is_some_and(|last| last.is_equal && is_equal);
        if !goes_on && self.parts.len() <= self.most() {
            let (at, from) = (self.text.len() as u32, from.start as u32);
            self.parts.push(Part { at, from, is_equal });
        }
        self.to = from.end;
        self.text.extend_from_slice(bytes);
    }
}

/// The places where a text is new.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// For each step from a text that is new everywhere, the places at which it changed the text.
    /// Without one of the steps, the text was seen too: what has no place of each is not new.
    sets: Vec<Vec<u32>>,
    /// The parts of the last step.
    parts: Vec<Part>,
}

impl Changes {
    pub(crate) const fn everywhere() -> Self {
        Self { sets: Vec::new(), parts: Vec::new() }
    }

    /// New at these places only.
    pub(crate) fn at(places: Vec<u32>) -> Self {
        Self { sets: vec![places], parts: Vec::new() }
    }

    /// Adds the places, so that other places give other bytes.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        for set in &self.sets {
            out.extend_from_slice(&(set.len() as u32).to_le_bytes());
            out.extend(set.iter().flat_map(|place| place.to_le_bytes()));
        }
    }

    /// Whether a range of the text has a change of each step, or ends at one.
    pub(crate) fn within(&self, range: &Range<usize>) -> bool {
        self.sets.iter().all(|set| {
            let first = set.partition_point(|&place| (place as usize) < range.start);
            set.get(first).is_some_and(|&place| place as usize <= range.end)
        })
    }

    /// The parts of the text that are those of the text before: their places there and here.
    pub(crate) fn equal(&self, length: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.parts.iter().enumerate().filter(|(_, part)| part.is_equal).map(
            move |(number, part)| {
                let end = self.parts.get(number + 1).map_or(length, |next| next.at as usize);
                (part.from as usize, part.at as usize..end)
            },
        )
    }

    /// The places where parts meet, each with whether a decoded part begins there; none if it is
    /// not known.
    pub(crate) fn meetings(&self) -> impl Iterator<Item = (usize, bool)> {
        self.parts.iter().map(|part| (part.at as usize, !part.is_equal))
    }

    /// Whether it is known which parts are those of the text before.
    pub(crate) fn has_parts(&self) -> bool {
        !self.parts.is_empty()
    }
}
