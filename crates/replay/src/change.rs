//! Changes of files, as formats report them.

/// Effect of a tool call on a file, or the file's content as the call shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The file's current content. Differences from the known content are changes by somebody else.
    Seen {
        /// The whole content.
        content: String,
    },
    /// The whole file was written.
    Write {
        /// The previous content, if the session has it; empty for a new file.
        before: Option<String>,
        /// The new content.
        after: String,
    },
    /// Lines were replaced at known positions.
    Hunks {
        /// The previous content, if the session has it.
        before: Option<String>,
        /// The hunks in rising order. Their line numbers refer to the file before this change.
        hunks: Vec<Hunk>,
        /// The requested edits, if the hunks show them less exactly.
        edits: Vec<Replacement>,
    },
    /// Texts were replaced one after the other, wherever they occurred.
    Replace {
        /// The previous content, if the session has it.
        before: Option<String>,
        /// The edits, in their order.
        edits: Vec<Replacement>,
    },
    /// Lines were replaced where their context matches: a patch without line numbers.
    Patch {
        /// The hunks, in the order of the file.
        hunks: Vec<Hunk>,
    },
    /// The file may have changed, and the session does not show how.
    Unclear {
        /// The reason why it can't be derived.
        why: &'static str,
    },
    /// The file was deleted.
    Delete,
    /// The file was moved.
    Move {
        /// The new path.
        to: String,
    },
}

impl Change {
    /// One text was replaced; the session does not show the content before.
    #[must_use]
    pub fn replace(edit: Replacement) -> Self {
        Self::Replace { before: None, edits: vec![edit] }
    }
}

/// A run of lines of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Its first line in the file before the change, 1-based. 0 means that it is unknown: then the
    /// context of the hunk gives its position.
    pub start: usize,
    /// A line before the hunk, if the patch names one.
    pub anchor: Option<String>,
    /// Whether the hunk is at the end of the file.
    pub end: bool,
    /// The lines, without line ends.
    pub lines: Vec<Line>,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Unchanged.
    Same(String),
    /// Deleted.
    Gone(String),
    /// Inserted.
    New(String),
}

/// Replacement of a text, wherever it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The text before.
    pub old: String,
    /// The text now.
    pub new: String,
    /// Whether every occurrence is replaced. Otherwise the text must occur exactly once.
    pub all: bool,
    /// Whether the line end after the text is deleted with it.
    pub line: bool,
}

/// The lines of a text, without line ends. A last line without a line end counts too.
#[must_use]
pub fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// The hunks of a unified diff: a head (`@@ -a,b +c,d @@`), followed by as many lines with ` `, `-`
/// or `+` as it states. Text between hunks is skipped. A hunk whose head has no numbers begins at 0
/// and continues to the next head.
#[must_use]
pub fn unified(diff: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let (mut old, mut new) = (0, 0);
    for line in diff.split('\n') {
        let inside = old > 0 || new > 0;
        if let Some(head) = line.strip_prefix("@@").filter(|_| !inside || old == usize::MAX) {
            let place = head_of(head);
            (old, new) = place.map_or((usize::MAX, usize::MAX), |(_, old, new)| (old, new));
            let start = place.map_or(0, |(start, ..)| start);
            hunks.push(Hunk { start, anchor: None, end: false, lines: Vec::new() });
            continue;
        }
        let Some(hunk) = hunks.last_mut().filter(|_| inside) else { continue };
        let mut chars = line.chars();
        let sign = chars.next();
        let text = chars.as_str().to_owned();
        let (gone, come, line) = match sign {
            Some('-') => (1, 0, Line::Gone(text)),
            Some('+') => (0, 1, Line::New(text)),
            Some(' ') => (1, 1, Line::Same(text)),
            // Some tools omit the space of an empty line.
            None if old != usize::MAX => (1, 1, Line::Same(text)),
            _ => continue,
        };
        old = if old == usize::MAX { old } else { old.saturating_sub(gone) };
        new = if new == usize::MAX { new } else { new.saturating_sub(come) };
        hunk.lines.push(line);
    }
    hunks
}

/// ` -a,b +c,d @@`: the first old line, the number of old lines, and the number of new ones.
/// Without old lines (`-a,0`), the new ones come after line `a`.
fn head_of(head: &str) -> Option<(usize, usize, usize)> {
    let mut words = head.split([' ', '\t']).filter(|word| !word.is_empty());
    let range = |word: &str, sign: char| -> Option<(usize, usize)> {
        let word = word.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (start, old) = range(words.next()?, '-')?;
    let (_, new) = range(words.next()?, '+')?;
    // Numbers beyond the length of any file are invalid.
    let bounded = old < usize::MAX / 2 && new < usize::MAX / 2;
    bounded.then_some((if old == 0 { start.saturating_add(1) } else { start }, old, new))
}
