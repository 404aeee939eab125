//! The difference of two texts for people: hunks with lines around them.

use super::change::{Hunk, Line, lines};
use super::diff::difference;
use super::work::Work;

/// Number of unchanged lines shown before and after a difference.
const AROUND: usize = 3;

/// The lines that differ between two texts, with three unchanged lines around them. Texts that cost
/// too much to compare differ in every line.
#[must_use]
pub fn between(before: &str, after: &str) -> Vec<Hunk> {
    let (old, new) = (lines(before), lines(after));
    let hunk = |start: usize| Hunk { start, anchor: None, end: false, lines: Vec::new() };
    let Ok(splices) = difference(&old, &new, &mut Work::default()) else {
        let mut whole = hunk(1);
        whole.lines.extend(old.into_iter().map(|line| Line::Gone(line.to_owned())));
        whole.lines.extend(new.into_iter().map(|line| Line::New(line.to_owned())));
        return vec![whole];
    };
    let mut hunks: Vec<Hunk> = Vec::new();
    // The first line that no hunk has yet.
    let mut told = 0;
    for splice in splices {
        let from = splice.at.saturating_sub(AROUND);
        let same = |line: &&str| Line::Same((*line).to_owned());
        match hunks.last_mut() {
            Some(last) if from <= told + AROUND => {
                last.lines.extend(old[told..splice.at].iter().map(same));
            }
            last => {
                if let Some(last) = last {
                    last.lines.extend(old[told..told + AROUND].iter().map(same));
                }
                let mut next = hunk(from + 1);
                next.lines.extend(old[from..splice.at].iter().map(same));
                hunks.push(next);
            }
        }
        told = splice.at + splice.gone;
        if let Some(last) = hunks.last_mut() {
            last.lines.extend(old[splice.at..told].iter().map(|line| Line::Gone((*line).into())));
            last.lines.extend(splice.new.into_iter().map(Line::New));
        }
    }
    if let Some(last) = hunks.last_mut() {
        let end = old.len().min(told + AROUND);
        last.lines.extend(old[told..end].iter().map(|line| Line::Same((*line).to_owned())));
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts on both sides of the hunks, beside the lines that no hunk has.
    fn applied(before: &str, hunks: &[Hunk]) -> Vec<String> {
        let old = lines(before);
        let (mut out, mut at) = (Vec::new(), 0);
        for hunk in hunks {
            out.extend(old[at..hunk.start - 1].iter().map(|line| (*line).to_owned()));
            at = hunk.start - 1;
            for line in &hunk.lines {
                match line {
                    Line::Same(text) => {
                        assert_eq!(old[at], text);
                        out.push(text.clone());
                        at += 1;
                    }
                    Line::Gone(text) => {
                        assert_eq!(old[at], text);
                        at += 1;
                    }
                    Line::New(text) => out.push(text.clone()),
                }
            }
        }
        out.extend(old[at..].iter().map(|line| (*line).to_owned()));
        out
    }

    /// All pairs of short texts: what the hunks say makes one of the other.
    #[test]
    fn hunks_make_one_text_of_the_other() {
        let text = |bits: usize| -> String {
            (0..9).map(|at| if bits >> at & 1 == 0 { "a\n" } else { "b\n" }).collect()
        };
        for a in (0..1 << 9).step_by(7) {
            for b in 0..1 << 9 {
                let (before, after) = (text(a), text(b));
                let hunks = between(&before, &after);
                assert_eq!(applied(&before, &hunks), lines(&after));
                assert_eq!(hunks.is_empty(), before == after);
            }
        }
    }

    #[test]
    fn far_differences_are_hunks_of_their_own() {
        let before: String = (0..40).map(|at| format!("{at}\n")).collect();
        let after = before.replace("\n5\n", "\nfive\n").replace("\n30\n", "\n");
        let hunks = between(&before, &after);
        assert_eq!(hunks.iter().map(|hunk| hunk.start).collect::<Vec<_>>(), [3, 28]);
        assert_eq!(hunks[0].lines.len(), 3 + 2 + 3);
        assert_eq!(applied(&before, &hunks), lines(&after));
        assert_eq!(applied("", &between("", "x\ny")), ["x", "y"]);
    }
}
