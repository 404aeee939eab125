//! Changes of files by a call, as line diffs: the same for every form of a transcript.

use formats::effects;
use replay::{Change, Hunk, Line, between, lines};
use session::EventRef;

/// The changes of one file by one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// Its path, as the agent wrote it.
    pub path: String,
    /// The fate of the file.
    pub fate: FileFate,
    /// The numbers of inserted and deleted lines.
    pub inserted: usize,
    /// The number of deleted lines.
    pub deleted: usize,
    /// The lines, in their order. Empty if the session does not show them.
    pub lines: Vec<DiffLine>,
    /// True if the session does not show what became of it: this is what the call asks for.
    pub asked: bool,
}

/// The fate of a changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFate {
    /// Some of its lines changed.
    Changed,
    /// It was written as a whole; the session may not show what was there before.
    Written,
    /// It is new.
    New,
    /// It was deleted.
    Deleted,
    /// It has a new path.
    Moved(String),
    /// It may have changed, for the reason given, and the session does not show how.
    Unclear(&'static str),
}

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// `+`, `-`, a space, or `@` for the head of a part.
    pub sign: char,
    /// Its text, without a line end.
    pub text: String,
}

impl FileDiff {
    fn of(path: String, change: Change, asked: bool) -> Self {
        let part = |change: &[Hunk]| {
            let mut out = Vec::new();
            change.iter().for_each(|hunk| push(hunk, &mut out));
            out
        };
        let (fate, lines) = match change {
            Change::Write { before: Some(before), after } if before.is_empty() => {
                (FileFate::New, whole(&after))
            }
            Change::Write { before: Some(before), after } => {
                (FileFate::Changed, part(&between(&before, &after)))
            }
            Change::Write { before: None, after } => (FileFate::Written, whole(&after)),
            Change::Hunks { hunks, .. } | Change::Patch { hunks } => {
                (FileFate::Changed, part(&hunks))
            }
            Change::Replace { edits, .. } => {
                let mut out = Vec::new();
                for edit in edits {
                    for mut hunk in between(&edit.old, &edit.new) {
                        // The session does not show at which line of the file the text is.
                        hunk.start = 0;
                        push(&hunk, &mut out);
                    }
                }
                (FileFate::Changed, out)
            }
            Change::Delete => (FileFate::Deleted, Vec::new()),
            Change::Move { to } => (FileFate::Moved(to), Vec::new()),
            Change::Unclear { why } => (FileFate::Unclear(why), Vec::new()),
            _ => (FileFate::Changed, Vec::new()),
        };
        let count = |sign: char| lines.iter().filter(|line| line.sign == sign).count();
        let (inserted, deleted) = (count('+'), count('-'));
        Self { path, fate, inserted, deleted, lines, asked }
    }

    /// Adds a later change of the same file by the same call.
    fn add(&mut self, later: Self) {
        if let FileFate::Moved(_) = later.fate {
            self.fate = later.fate;
        }
        if !self.lines.is_empty() && !later.lines.is_empty() && later.lines[0].sign != '@' {
            self.lines.push(DiffLine { sign: '@', text: "@@".to_owned() });
        }
        self.inserted += later.inserted;
        self.deleted += later.deleted;
        self.lines.extend(later.lines);
    }

    /// A word for what became of the file; `None` if some of its lines changed.
    #[must_use]
    pub fn fate_words(&self) -> Option<String> {
        match &self.fate {
            FileFate::Changed => None,
            FileFate::Written => Some("written".to_owned()),
            FileFate::New => Some("new".to_owned()),
            FileFate::Deleted => Some("deleted".to_owned()),
            FileFate::Moved(to) => Some(format!("moved to {to}")),
            FileFate::Unclear(why) => Some(format!("not shown: {why}")),
        }
    }
}

/// The lines of a hunk, behind its head if its place is known or lines are before it.
fn push(hunk: &Hunk, out: &mut Vec<DiffLine>) {
    if hunk.start > 0 || hunk.anchor.is_some() || !out.is_empty() {
        let place = if hunk.start > 0 { format!(" line {}", hunk.start) } else { String::new() };
        let anchor = hunk.anchor.as_ref().map(|anchor| format!(" {anchor}")).unwrap_or_default();
        out.push(DiffLine { sign: '@', text: format!("@@{place}{anchor}") });
    }
    out.extend(hunk.lines.iter().map(|line| match line {
        Line::Same(text) => DiffLine { sign: ' ', text: text.clone() },
        Line::Gone(text) => DiffLine { sign: '-', text: text.clone() },
        Line::New(text) => DiffLine { sign: '+', text: text.clone() },
    }));
}

/// A text of which every line is new.
fn whole(text: &str) -> Vec<DiffLine> {
    let new = |line: &str| DiffLine { sign: '+', text: line.to_owned() };
    lines(text).into_iter().map(new).collect()
}

/// The changes of a call by file: those that the session shows, else those that it asks for.
pub(super) fn diffs(call: EventRef<'_>, shown: Option<Vec<(String, Change)>>) -> Vec<FileDiff> {
    let asked = shown.is_none();
    let changes = shown.unwrap_or_else(|| effects::asked(call));
    let mut files: Vec<FileDiff> = Vec::new();
    for (path, change) in changes {
        let next = FileDiff::of(path, change, asked);
        match files.iter_mut().find(|file| file.path == next.path) {
            Some(file) => file.add(next),
            None => files.push(next),
        }
    }
    files
}

/// The numbers of inserted and deleted lines, as people read them: `+3 −1`; `None` if no line is
/// known.
#[must_use]
pub fn counts(files: &[FileDiff]) -> Option<String> {
    let inserted: usize = files.iter().map(|file| file.inserted).sum();
    let deleted: usize = files.iter().map(|file| file.deleted).sum();
    counts_of(inserted, deleted)
}

/// Numbers of inserted and deleted lines: `+3 −1`; `None` if both are 0.
#[must_use]
pub fn counts_of(inserted: usize, deleted: usize) -> Option<String> {
    (inserted + deleted > 0).then(|| format!("+{inserted} \u{2212}{deleted}"))
}
