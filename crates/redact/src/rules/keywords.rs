//! The search for the keywords of all rules in one pass over a text.
//!
//! Of each three bytes, the last five bits say whether a keyword can begin with them: the case of
//! a letter is not among these bits, and the table is small enough to be near at all times.

use std::ops::Range;

use session::Sorting as _;

use crate::unwrap::changes::Changes;

/// A keyword in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The number of the keyword.
    pub(super) keyword: u32,
    /// Its first byte, and the byte behind it.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Seen {
    /// The same in the text that begins at a place of this one, if it is there.
    pub(crate) fn within(self, start: usize, end: usize) -> Option<Self> {
        let is_there = self.start >= start && self.end <= end;
        is_there.then(|| Self { start: self.start - start, end: self.end - start, ..self })
    }

    /// Whether its first byte is in one of these ranges, which are in their order.
    pub(crate) fn begins_in(&self, ranges: &[Range<usize>]) -> bool {
        let before = ranges.partition_point(|range| range.start <= self.start);
        before.checked_sub(1).is_some_and(|at| ranges[at].contains(&self.start))
    }
}

/// A keyword of some rules.
#[derive(Debug)]
struct Keyword {
    /// In lower case, unless capitals count.
    text: Vec<u8>,
    is_exact: bool,
    /// Whether it is one letter again and again.
    is_run: bool,
}

/// The number of equal bytes on both sides from which a keyword of equal letters tells nothing: no
/// rule looks so far, and a picture of zeros in Base64 has millions of them.
const WITHIN_RUN: usize = 128;

/// The number of values of three bytes that the search tells apart.
const SIZE: usize = 1 << 15;

/// The keywords; none has a line break.
#[derive(Debug)]
pub(super) struct Keywords {
    keywords: Vec<Keyword>,
    /// A bit for each beginning of a keyword.
    filter: Box<[u64; SIZE / 64]>,
    /// For each beginning, a bit for each byte that may follow.
    fourth: Vec<u32>,
    longest: usize,
    /// The numbers of the keywords, by their beginnings, and where those of each beginning end.
    numbers: Vec<u32>,
    ends: Vec<u32>,
}

const fn bits(byte: u8) -> usize {
    (byte & 0x1f) as usize
}

const fn beginning(first: u8, second: u8, third: u8) -> usize {
    bits(first) << 10 | bits(second) << 5 | bits(third)
}

/// The values of three bytes with which a keyword can begin.
fn beginnings(keyword: &[u8]) -> Vec<usize> {
    let any = |at: usize| match keyword.get(at) {
        Some(&byte) => byte..=byte,
        None => 0..=31,
    };
    let Some(&first) = keyword.first() else { return Vec::new() };
    any(1).flat_map(|second| any(2).map(move |third| beginning(first, second, third))).collect()
}

impl Keywords {
    /// The index of keywords. Of one that is exact, capitals count.
    pub(super) fn of(keywords: impl Iterator<Item = (String, bool)>) -> Self {
        let keyword = |(text, is_exact): (String, bool)| {
            let text = if is_exact { text } else { text.to_ascii_lowercase() };
            let text = text.into_bytes();
            let is_run = text.len() > 3 && text.iter().all(|byte| *byte == text[0]);
            Keyword { text, is_exact, is_run }
        };
        let keywords: Vec<Keyword> = keywords.map(keyword).collect();
        let longest = keywords.iter().map(|keyword| keyword.text.len()).max().unwrap_or(0);
        let mut filter = Box::new([0; SIZE / 64]);
        let mut all: Vec<(usize, u32)> = Vec::new();
        let mut fourth = vec![0; SIZE];
        for (number, keyword) in (0u32..).zip(&keywords) {
            let next = keyword.text.get(3).map_or(u32::MAX, |&byte| 1 << bits(byte));
            for beginning in beginnings(&keyword.text) {
                fourth[beginning] |= next;
                all.push((beginning, number));
            }
        }
        all.in_order();
        let mut ends = vec![0; SIZE];
        for &(beginning, _) in &all {
            filter[beginning / 64] |= 1 << (beginning % 64);
            ends[beginning] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end;
        }
        Self {
            keywords,
            filter,
            fourth,
            longest,
            numbers: all.into_iter().map(|(_, number)| number).collect(),
            ends,
        }
    }

    /// Adds the keywords in a text, in the order of their beginnings.
    pub(super) fn find(&self, text: &[u8], found: &mut Vec<Seen>) {
        for (at, three) in text.windows(3).enumerate() {
            let beginning = beginning(three[0], three[1], three[2]);
            if self.filter[beginning / 64] >> (beginning % 64) & 1 == 1 {
                let next = text.get(at + 3).map_or(u32::MAX, |&byte| 1 << bits(byte));
                if self.fourth[beginning] & next != 0 {
                    self.at(beginning, text, at, found);
                }
            }
        }
        // Near the end there is room for short ones only.
        let near = text.len().saturating_sub(2);
        for (at, &byte) in text.iter().enumerate().skip(near) {
            let second = text.get(at + 1).map_or(0, |&byte| byte);
            self.at(beginning(byte, second, 0), text, at, found);
        }
    }

    /// Adds the keywords in a text that was made of a range of another one: those of the parts that
    /// are in both, and those where parts meet.
    pub(super) fn find_again(
        &self,
        text: &[u8],
        changes: &Changes,
        before: &[Seen],
        range: &Range<usize>,
        found: &mut Vec<Seen>,
    ) {
        let is_inner = |&(at, is_decoded): &(usize, bool)| {
            is_decoded || (at > 0 && text.get(at - 1) != Some(&b'\n'))
        };
        let meetings = || changes.meetings().filter(is_inner);
        if meetings().count() * self.longest > text.len() / 2 {
            return self.find(text, found);
        }
        let mut rest = before;
        for (from, here) in changes.equal(text.len()) {
            let from = range.start + from;
            let first = rest.partition_point(|seen| seen.start < from);
            rest = &rest[first..];
            let there = from..from + here.len();
            let count = rest.partition_point(|seen| seen.start < there.end);
            let within = rest[..count].iter().filter_map(|seen| seen.within(from, there.end));
            found.extend(within.map(|seen| Seen {
                start: seen.start + here.start,
                end: seen.end + here.start,
                ..seen
            }));
        }
        let mut near = Vec::new();
        for (at, is_decoded) in meetings() {
            let start = at.saturating_sub(self.longest);
            near.clear();
            self.find(&text[start..text.len().min(at + self.longest)], &mut near);
            for seen in &near {
                let (from, to) = (start + seen.start, start + seen.end);
                if (from < at && at < to) || (is_decoded && from == at) {
                    found.push(Seen { start: from, end: to, ..*seen });
                }
            }
        }
        found.in_order_by_key(|seen| (seen.start, seen.keyword, seen.end));
        found.dedup();
    }

    fn at(&self, beginning: usize, text: &[u8], start: usize, found: &mut Vec<Seen>) {
        let from = beginning.checked_sub(1).map_or(0, |before| self.ends[before]);
        for &number in &self.numbers[from as usize..self.ends[beginning] as usize] {
            let keyword = &self.keywords[number as usize];
            let end = start + keyword.text.len();
            let Some(here) = text.get(start..end) else { continue };
            let is_equal = match keyword.is_exact {
                true => here == keyword.text,
                false => here.eq_ignore_ascii_case(&keyword.text),
            };
            if is_equal && !(keyword.is_run && is_within_run(text, start..end)) {
                found.push(Seen { keyword: number, start, end });
            }
        }
    }
}

/// Whether a range of equal bytes is far within a run of that byte.
fn is_within_run(text: &[u8], range: Range<usize>) -> bool {
    let start = range.start.checked_sub(WITHIN_RUN);
    let around = start.and_then(|start| text.get(start..range.end + WITHIN_RUN));
    // Each byte is like the one before it.
    around.is_some_and(|around| around[1..] == around[..around.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(keywords: &[(&str, bool)], text: &str) -> Vec<(u32, usize, usize)> {
        let all = keywords.iter().map(|&(text, is_exact)| (text.to_owned(), is_exact));
        let mut seen = Vec::new();
        Keywords::of(all).find(text.as_bytes(), &mut seen);
        seen.iter().map(|seen| (seen.keyword, seen.start, seen.end)).collect()
    }

    #[test]
    fn keywords_of_any_length_are_found_everywhere() {
        let keywords = [("|", false), ("sk", false), ("Key", true), ("token", false)];
        let text = "sk|KEY Key ToKen|SK";
        let all = [(1, 0, 2), (0, 2, 3), (2, 7, 10), (3, 11, 16), (0, 16, 17), (1, 17, 19)];
        assert_eq!(found(&keywords, text), all);
        for (text, number) in [("", 0), ("s", 0), ("|", 1), ("sk", 1), ("k|", 1), ("toke", 0)] {
            assert_eq!(found(&keywords, text).len(), number, "{text}");
        }
    }

    #[test]
    fn a_long_run_has_keywords_at_its_ends_only() {
        let run = "a".repeat(1000);
        let seen = found(&[("aaaaa", false), ("aaab", false)], &format!("-{run}b"));
        let places: Vec<usize> = seen.iter().map(|seen| seen.1).collect();
        assert_eq!((seen.len(), places[127], places[128]), (257, 128, 869));
        assert_eq!(seen.last().map(|seen| seen.0), Some(1));
    }

    #[test]
    fn keywords_within_others_are_found() {
        let keywords = [("token", false), ("access_token", false), ("ok", false)];
        assert_eq!(found(&keywords, "access_token"), [(1, 0, 12), (0, 7, 12), (2, 8, 10)]);
        let seen = Seen { keyword: 1, start: 7, end: 12 };
        assert_eq!(seen.within(5, 12), Some(Seen { keyword: 1, start: 2, end: 7 }));
        assert_eq!((seen.within(8, 12), seen.within(5, 11)), (None, None));
    }
}
