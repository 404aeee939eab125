//! Line matching and differences: the position of lines in a text, and the splices that turn one
//! text into another. Each comparison is charged to the budget.

use gix_imara_diff::{Algorithm, Diff, InternedInput};

use super::work::Work;

/// Replacement of `gone` lines, from line `at` on, with the lines `new`.
pub(super) struct Splice {
    pub(super) at: usize,
    pub(super) gone: usize,
    pub(super) new: Vec<String>,
}

/// The first position, from a line on or at the end of the file, at which lines match. Exact
/// matches come first, then matches without trailing white space, then without surrounding white
/// space. Patch tools search in this order.
pub(super) fn seek<S: AsRef<str>>(
    content: &[String],
    lines: &[S],
    from: usize,
    end: bool,
) -> Option<usize> {
    let last = content.len().checked_sub(lines.len())?;
    let ways: [fn(&str) -> &str; 3] = [|line| line, str::trim_end, str::trim];
    let found = |way: fn(&str) -> &str, from: usize| {
        let told: Vec<&str> = lines.iter().map(|line| way(line.as_ref())).collect();
        let text = content.get(from..)?.iter().map(|line| way(line));
        position(text, &told).map(|at| from + at)
    };
    let mut starts = [end.then_some(last), Some(from)].into_iter().flatten();
    starts.find_map(|from| ways.into_iter().find_map(|way| found(way, from)))
}

/// The first position of lines in a text, in linear time (Knuth, Morris and Pratt): no line of the
/// text is read twice.
pub(super) fn position<'t>(text: impl Iterator<Item = &'t str>, told: &[&str]) -> Option<usize> {
    if told.is_empty() {
        return Some(0);
    }
    // For each line, the length of the longest prefix that is also a suffix up to it.
    let mut borders = vec![0; told.len()];
    let mut border = 0;
    for at in 1..told.len() {
        while border > 0 && told[at] != told[border] {
            border = borders[border - 1];
        }
        border += usize::from(told[at] == told[border]);
        borders[at] = border;
    }
    let mut fits = 0;
    for (at, line) in text.enumerate() {
        while fits > 0 && line != told[fits] {
            fits = borders[fits - 1];
        }
        fits += usize::from(line == told[fits]);
        if fits == told.len() {
            return Some(at + 1 - fits);
        }
    }
    None
}

/// Number of unchanged lines before and after a change that take part in the comparison. If they
/// repeat, the change may be assigned to any of them.
const AROUND: usize = 256;

/// A short list of splices that turn one text into the other. If repeated lines allow several
/// lists, the most readable one is chosen, as in `git diff`.
///
/// # Errors
/// The cost exceeds the budget.
pub(super) fn difference(
    before: &[&str],
    after: &[&str],
    work: &mut Work,
) -> Result<Vec<Splice>, &'static str> {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    if same == before.len() && same == after.len() {
        return Ok(Vec::new());
    }
    let rest = before[same..].iter().rev().zip(after[same..].iter().rev());
    let behind = rest.take_while(|(a, b)| a == b).count();
    let (from, behind) = (same.saturating_sub(AROUND), behind.saturating_sub(AROUND));
    let (before, after) =
        (&before[from..before.len() - behind], &after[from..after.len() - behind]);
    let mut input: InternedInput<&str> = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let shared = Shared::of(&input);
    work.holds(shared.cost(usize::MAX))?;
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    work.take(shared.cost(shared.changed(&input, &diff)))?;
    diff.postprocess_lines(&input);
    let splice = |hunk: gix_imara_diff::Hunk| Splice {
        at: from + hunk.before.start as usize,
        gone: hunk.before.len(),
        new: (hunk.after.start..hunk.after.end).map(|at| after[at as usize].to_owned()).collect(),
    };
    Ok(diff.hunks().map(splice).collect())
}

/// The lines that occur in both texts. Only these are compared.
struct Shared {
    /// For each distinct line, whether it occurs before (1) and after (2).
    sides: Vec<u8>,
    /// Number of occurrences of shared lines in both texts.
    count: usize,
}

impl Shared {
    fn of(input: &InternedInput<&str>) -> Self {
        let mut sides = vec![0; input.interner.num_tokens() as usize];
        input.before.iter().for_each(|line| sides[line.0 as usize] |= 1);
        input.after.iter().for_each(|line| sides[line.0 as usize] |= 2);
        let both = input.before.iter().chain(&input.after);
        let count = both.filter(|line| sides[line.0 as usize] == 3).count();
        Self { sides, count }
    }

    /// Maximum number of steps of a comparison that finds this many changed lines. Myers' algorithm
    /// makes one turn for each of them. As used here, it gives up the search for the shortest list
    /// after a number of turns: the square root of the lines, and at least 256.
    fn cost(&self, changed: usize) -> usize {
        let turns = changed.min(self.count.isqrt().max(256));
        self.count.saturating_mul(turns).saturating_mul(COMPARISON)
    }

    /// Number of shared lines that are deleted or inserted.
    fn changed(&self, input: &InternedInput<&str>, diff: &Diff) -> usize {
        let before = (0..).zip(&input.before).filter(|(at, _)| diff.is_removed(*at));
        let after = (0..).zip(&input.after).filter(|(at, _)| diff.is_added(*at));
        before.chain(after).filter(|(_, line)| self.sides[line.0 as usize] == 3).count()
    }
}

/// Steps of one comparison of two lines.
const COMPARISON: usize = 16;

#[cfg(test)]
mod tests {
    use super::{difference, position};
    use crate::work::Work;

    /// Compares the search with a naive one, over all short texts of two different lines.
    #[test]
    fn lines_are_found_where_they_first_stand() {
        let lines = |bits: usize, count: usize| -> Vec<&'static str> {
            (0..count).map(|at| if bits >> at & 1 == 0 { "a" } else { "b" }).collect()
        };
        for text in (0..1 << 9).map(|bits| lines(bits, 9)) {
            for count in 0..4 {
                for told in (0..1 << count).map(|bits| lines(bits, count)) {
                    let plain = (0..=9 - count).find(|&at| text[at..at + count] == *told);
                    assert_eq!(position(text.iter().copied(), &told), plain);
                }
            }
        }
    }

    #[test]
    fn a_long_file_of_two_kinds_of_lines_is_followed() {
        let before: Vec<&str> = (0..80_000).map(|at| ["a", "b"][at % 2]).collect();
        let after: Vec<&str> = (0..80_000).map(|at| ["a", "b"][at / 3 % 2]).collect();
        assert!(difference(&before, &after, &mut Work::default()).is_ok());
    }

    #[test]
    fn what_costs_more_than_is_left_is_refused() {
        let mixed = |count: usize, of: usize| -> Vec<&str> {
            (0..count).map(|at| ["a", "b"][at / of % 2]).collect()
        };
        let (before, after) = (mixed(1_000_000, 1), mixed(1_000_000, 3));
        assert!(difference(&before, &after, &mut Work::default()).is_err());
        let few = [&before[..100], &["c"], &before[100..]].concat();
        let splices = difference(&before, &few, &mut Work::default()).expect("a small change");
        assert_eq!(
            (splices.len(), splices[0].at, &*splices[0].new),
            (1, 100, &["c".to_owned()][..])
        );
    }
}
