//! The lines of one file as it is now, followed through the changes of several sessions.
//!
//! A session knows a file only as far as it read or wrote it. So the changes are first taken back
//! from the file as it is now, as far as they can be: that gives the text before a change of which
//! the session does not tell it. Then they are made again in their order. What can't be placed is
//! left out and said; the states that are known on both sides of it show which lines it left alone.

use session::EventIx;

use super::change::{Change, Hunk, Line, Replacement, lines};
use super::file::{File, OUTSIDE, kept};
use super::undo::undone;
use super::work::{SPENT, Work};

/// The last writer of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineWriter {
    /// The change with this number.
    Change(EventIx),
    /// Somebody whose change is not recorded, after a recorded state of the file: a person, or a
    /// command.
    Outside,
    /// Nobody whose change is recorded. The line was there before the first recorded state.
    Nobody,
}

/// The lines of a file as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FollowedLines {
    /// The writer of each line.
    pub writers: Vec<LineWriter>,
    /// The changes whose lines can't be placed, with the reason.
    pub unplaced: Vec<(EventIx, &'static str)>,
}

/// Follows the lines of a file to the text that it has now. The changes have the order of time, and
/// each has a number, by which a line names it.
#[must_use]
pub fn follow(changes: Vec<(EventIx, Change)>, now: &str) -> FollowedLines {
    let mut work = Work::default();
    // Some agents record every file with the line ends of Unix.
    let now = &*unix(now.to_owned());
    let changes: Vec<(EventIx, Change)> =
        changes.into_iter().map(|(event, change)| (event, change.unix())).collect();
    let before = states_before(&changes, now, &mut work);
    let mut file = File::followed();
    let mut unplaced = Vec::new();
    for ((event, change), before) in changes.into_iter().zip(before) {
        if let Err(why) = made(&mut file, (event, change), before.as_deref(), &mut work) {
            unplaced.push((event, why));
        }
    }
    let seen = file.see(now, &mut work).is_ok();
    let writer = |line: usize| match file.writer(line).filter(|_| seen) {
        Some(OUTSIDE) => LineWriter::Outside,
        Some(event) => LineWriter::Change(event),
        None => LineWriter::Nobody,
    };
    FollowedLines { writers: (0..lines(now).len()).map(writer).collect(), unplaced }
}

/// The lines that two texts have in common, by their numbers from 0 in both, as a difference of the
/// texts leaves them. Empty if they cost too much to compare.
#[must_use]
pub fn unchanged(before: &str, after: &str) -> Vec<(usize, usize)> {
    let (before, after) = (unix(before.to_owned()), unix(after.to_owned()));
    let kept = kept(&lines(&before), &lines(&after), &mut Work::default());
    kept.unwrap_or_default().into_iter().collect()
}

/// Makes one change. If it does not fit the text that is known so far, or none is, it is made in
/// the text that the later states tell.
fn made(
    file: &mut File,
    (event, change): (EventIx, Change),
    before: Option<&str>,
    work: &mut Work,
) -> Result<(), &'static str> {
    let rounds = match &change {
        Change::Delete => {
            file.delete();
            return Ok(());
        }
        Change::Patch { hunks } => 2 + hunks.len(),
        _ => 3,
    };
    work.take(file.size().saturating_mul(rounds))?;
    let adds = change.adds_lines();
    let tells = change.tells_before();
    if let (false, false, Some(before)) = (file.is_known(), tells, before) {
        file.see(before, work)?;
    }
    let done = match (adds, before) {
        (false, _) | (_, None) => file.apply(event, change, work),
        (true, Some(before)) => match file.apply(event, change.clone(), work) {
            Err(why) if why != SPENT && !tells => {
                file.see(before, work)?;
                file.apply(event, change, work)
            }
            done => done,
        },
    };
    // What can't be placed and added no line leaves no line without its writer.
    done.or_else(|why| if adds { Err(why) } else { Ok(()) })
}

/// For each change, the text of the file before it, as far as the later states tell it.
fn states_before(changes: &[(EventIx, Change)], now: &str, work: &mut Work) -> Vec<Option<String>> {
    let mut state = Some(now.to_owned());
    let mut states = Vec::with_capacity(changes.len());
    for (_, change) in changes.iter().rev() {
        state = match change {
            Change::Seen { content } => Some(content.clone()),
            Change::Write { before, .. } => before.clone(),
            Change::Hunks { before: Some(before), .. }
            | Change::Replace { before: Some(before), .. } => Some(before.clone()),
            Change::Delete | Change::Move { .. } => None,
            Change::Unclear { .. } => state,
            // What was written over later can't be taken back, and needs not be.
            other => state.map(|state| undone(&state, other, work).unwrap_or(state)),
        };
        // Only a change that does not tell the state before it needs it.
        let needs = !change.tells_before() && change.adds_lines();
        states.push(state.clone().filter(|_| needs));
    }
    states.reverse();
    states
}

/// A text with the line ends of Unix.
fn unix(text: String) -> String {
    if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text }
}

/// A line of a patch without the rest of a line end.
fn without_return(mut line: String) -> String {
    line.truncate(line.strip_suffix('\r').map_or(line.len(), str::len));
    line
}

impl Change {
    /// The same change of a file with the line ends of Unix.
    fn unix(self) -> Self {
        let line = |line: Line| match line {
            Line::Same(text) => Line::Same(without_return(text)),
            Line::Gone(text) => Line::Gone(without_return(text)),
            Line::New(text) => Line::New(without_return(text)),
        };
        let hunk = |hunk: Hunk| Hunk { lines: hunk.lines.into_iter().map(line).collect(), ..hunk };
        let hunks = |hunks: Vec<Hunk>| hunks.into_iter().map(hunk).collect();
        let edit =
            |edit: Replacement| Replacement { old: unix(edit.old), new: unix(edit.new), ..edit };
        let edits = |edits: Vec<Replacement>| edits.into_iter().map(edit).collect();
        match self {
            Self::Seen { content } => Self::Seen { content: unix(content) },
            Self::Write { before, after } => {
                Self::Write { before: before.map(unix), after: unix(after) }
            }
            Self::Hunks { before, hunks: told, edits: asked } => {
                Self::Hunks { before: before.map(unix), hunks: hunks(told), edits: edits(asked) }
            }
            Self::Replace { before, edits: asked } => {
                Self::Replace { before: before.map(unix), edits: edits(asked) }
            }
            Self::Patch { hunks: told } => Self::Patch { hunks: hunks(told) },
            other @ (Self::Unclear { .. } | Self::Delete | Self::Move { .. }) => other,
        }
    }

    /// Whether the change says what the file held before it.
    const fn tells_before(&self) -> bool {
        match self {
            Self::Seen { .. } | Self::Delete => true,
            Self::Write { before, .. }
            | Self::Hunks { before, .. }
            | Self::Replace { before, .. } => before.is_some(),
            Self::Patch { .. } | Self::Unclear { .. } | Self::Move { .. } => false,
        }
    }

    /// Whether it may have written lines.
    fn adds_lines(&self) -> bool {
        match self {
            Self::Write { after, .. } => !after.is_empty(),
            Self::Hunks { hunks, .. } | Self::Patch { hunks } => hunks.iter().any(Hunk::adds),
            Self::Replace { edits, .. } => edits.iter().any(|edit| !edit.new.is_empty()),
            Self::Unclear { .. } => true,
            Self::Seen { .. } | Self::Delete | Self::Move { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{Hunk, Line, unified};

    const NOBODY: LineWriter = LineWriter::Nobody;
    const OUT: LineWriter = LineWriter::Outside;

    fn by(number: EventIx) -> LineWriter {
        LineWriter::Change(number)
    }

    fn writers(changes: Vec<Change>, now: &str) -> Vec<LineWriter> {
        let numbered = (0..).zip(changes).collect();
        let followed = follow(numbered, now);
        assert_eq!(followed.unplaced, [], "{:?}", followed.writers);
        followed.writers
    }

    fn created(text: &str) -> Change {
        Change::Write { before: Some(String::new()), after: text.to_owned() }
    }

    fn patch(diff: &str) -> Change {
        Change::Patch { hunks: unified(diff) }
    }

    #[test]
    fn a_patch_of_a_file_that_no_session_read_is_placed_by_the_file_as_it_is() {
        let first = patch("@@\n a\n+b\n c\n");
        let second = patch("@@\n c\n-d\n+D\n");
        let now = "a\nb\nc\nD\ne\n";
        let expected = [NOBODY, by(0), NOBODY, by(1), NOBODY];
        assert_eq!(writers(vec![first.clone(), second.clone()], now), expected);
        // A person added lines at both ends since.
        let expected = [NOBODY, NOBODY, by(0), NOBODY, by(1), NOBODY, NOBODY];
        assert_eq!(writers(vec![first, second], "0\na\nb\nc\nD\ne\nf\n"), expected);
    }

    #[test]
    fn what_was_written_over_needs_no_place() {
        // The second edit is gone from the file, so that it can't be taken back.
        let changes = vec![patch("@@\n a\n+b\n c\n"), patch("@@\n x\n+y\n z\n")];
        let followed = follow((0..).zip(changes).collect(), "a\nb\nc\n");
        assert_eq!(followed.writers, [NOBODY, by(0), NOBODY]);
        assert_eq!(followed.unplaced.len(), 1);
    }

    #[test]
    fn an_edit_that_is_not_told_leaves_the_other_lines_alone() {
        let unclear = Change::Unclear { why: "a tool that nobody knows" };
        let followed = follow(vec![(0, created("a\nb\n")), (1, unclear)], "a\nx\nb\n");
        assert_eq!(followed.writers, [by(0), OUT, by(0)]);
        assert_eq!(followed.unplaced, [(1, "a tool that nobody knows")]);
    }

    #[test]
    fn a_hunk_of_a_file_that_had_changed_is_placed_by_its_lines() {
        let hunk = |start, lines: &[(&str, u8)]| Hunk {
            start,
            anchor: None,
            end: false,
            lines: lines
                .iter()
                .map(|(text, kind)| match kind {
                    0 => Line::Same((*text).to_owned()),
                    1 => Line::Gone((*text).to_owned()),
                    _ => Line::New((*text).to_owned()),
                })
                .collect(),
        };
        let hunks = vec![hunk(4, &[("c", 0), ("C", 2)])];
        let change = Change::Hunks { before: None, hunks, edits: Vec::new() };
        // A person inserted a line above before the edit, and the session did not read it.
        let changes = vec![created("a\nb\nc\n"), change];
        assert_eq!(writers(changes, "0\na\nb\nc\nC\n"), [OUT, by(0), by(0), by(0), by(1)]);
    }

    #[test]
    fn a_deleted_file_that_is_made_again_is_new() {
        let changes = vec![created("a\n"), Change::Delete, created("a\n")];
        assert_eq!(writers(changes, "a\n"), [by(2)]);
    }

    #[test]
    fn line_ends_of_windows_are_no_change() {
        let changes = vec![created("a\nb\n"), patch("@@\n a\n+x\n b\n")];
        assert_eq!(writers(changes, "a\r\nx\r\nb\r\n"), [by(0), by(1), by(0)]);
    }

    #[test]
    fn a_text_that_is_at_two_places_is_not_taken_back() {
        let edit = Replacement { old: "x".into(), new: "y".into(), all: false, line: false };
        let followed = follow(vec![(0, Change::replace(edit))], "y\ny\n");
        assert_eq!(followed.writers, [NOBODY, NOBODY]);
        assert_eq!(followed.unplaced.len(), 1);
    }
}
