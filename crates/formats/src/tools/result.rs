//! Result tables: the names in what an agent records of a tool's run beside the model's copy, and
//! their meaning. Attribution reads them.

use session::{EventRef, Node, value};

/// Meaning of a name in a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shows {
    /// The path of the file.
    Path,
    /// The path that the file has afterwards.
    MovedTo,
    /// The kind of change, as a word.
    Change,
    /// The whole text before the change.
    Before,
    /// The whole text after the change.
    After,
    /// SHA-256 of the text before the change.
    BeforeDigest,
    /// SHA-256 of the text after the change.
    AfterDigest,
    /// Whether the file existed before.
    Existed,
    /// The replaced text.
    Old,
    /// The text in its place.
    New,
    /// Whether each occurrence was replaced.
    All,
    /// A list of replacements.
    Edits,
    /// A unified diff, as text.
    Diff,
    /// A list of hunks.
    Hunks,
    /// The first old line of a hunk.
    HunkStart,
    /// The number of old lines of a hunk.
    HunkCount,
    /// The lines of a hunk, each with its sign.
    HunkLines,
    /// Whether the person changed the written text.
    Modified,
    /// The text that was shown of a file.
    Seen,
    /// The first line that was shown, from 1.
    FirstLine,
    /// The number of lines that were shown.
    Lines,
    /// The number of lines of the file.
    AllLines,
    /// The description of one changed file.
    File,
    /// The descriptions of several changed files.
    Files,
    /// The exit code of a command.
    Exit,
    /// Whether a command was interrupted.
    Interrupted,
    /// The output, as text.
    Output,
    /// The reason of a failure.
    Failure,
    /// Known, and not read.
    Kept,
}

/// A name in a result: the names that lead to it, and its meaning.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// The names, from the outside in. The first one is in the result itself, or in one of the
    /// lists in it.
    pub path: &'static [&'static str],
    /// Its meaning.
    pub shows: Shows,
}

/// Raw JSON of the result beside the model's copy, of a call or of its answer.
pub type ResultOf = for<'s> fn(EventRef<'s>) -> Option<&'s [u8]>;

/// The results of an agent's tools.
#[derive(Clone, Copy, Debug)]
pub struct Results {
    /// The place of a result.
    pub of: ResultOf,
    /// The names. If several have one meaning, the first that is present counts.
    pub rows: &'static [Shown],
}

impl Results {
    /// The table of an agent that records nothing beside the model's copy.
    pub const NONE: Self = Self { of: |_| None, rows: &[] };

    /// The value with a meaning.
    #[must_use]
    pub fn value<'a>(&self, shows: Shows, result: Node<'a>) -> Option<Node<'a>> {
        let rows = self.rows.iter().filter(|row| row.shows == shows);
        rows.into_iter().find_map(|row| result.at(row.path))
    }

    /// The text with a meaning: of several names, the first with a text.
    #[must_use]
    pub fn text(&self, shows: Shows, result: Node<'_>) -> Option<String> {
        let rows = self.rows.iter().filter(|row| row.shows == shows);
        rows.into_iter().find_map(|row| value::text_at(result, row.path))
    }

    /// The word with a meaning, as it is written.
    #[must_use]
    pub fn word<'a>(&self, shows: Shows, result: Node<'a>) -> Option<&'a [u8]> {
        let rows = self.rows.iter().filter(|row| row.shows == shows);
        rows.into_iter().find_map(|row| result.word(row.path))
    }

    /// The number with a meaning.
    #[must_use]
    pub fn number(&self, shows: Shows, result: Node<'_>) -> Option<usize> {
        usize::try_from(value::number(self.value(shows, result)?.raw())?).ok()
    }

    /// Whether the value with a meaning is `true`.
    #[must_use]
    pub fn is_true(&self, shows: Shows, result: Node<'_>) -> bool {
        self.value(shows, result).is_some_and(|value| value.raw() == b"true")
    }

    /// The names in a result that no row has, those of objects and lists within it that have rows
    /// included.
    #[must_use]
    pub fn unknown(&self, result: Node<'_>) -> Vec<String> {
        self.unknown_below(&[], result)
    }

    fn unknown_below(&self, above: &[&str], node: Node<'_>) -> Vec<String> {
        let mut unknown = Vec::new();
        for member in node.members() {
            let name = value::unescape(member.name);
            let path: Vec<&str> = above.iter().copied().chain([&*name]).collect();
            let rows = || self.rows.iter().filter(|row| row.path.starts_with(&path));
            let lists = [Shows::Edits, Shows::Hunks, Shows::Files, Shows::File];
            match rows().next() {
                None => unknown.push(path.join("/")),
                Some(row) if row.path.len() > path.len() => {
                    unknown.extend(self.unknown_below(&path, member.value));
                }
                Some(row) if lists.contains(&row.shows) => {
                    unknown.extend(self.unknown(member.value));
                    let each = member.value.elements().flat_map(|each| self.unknown(each));
                    unknown.extend(each);
                }
                Some(_) => {}
            }
        }
        unknown
    }
}
