//! `verbatim-blame-1`: the lines of a file as it is now, each with the session that last wrote it.

use operations::blame::{Blame, BlameWriter, LineOrigin};
use serde::Serialize;

use super::list::ListAside;

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-blame-1";

/// The document.
#[derive(Debug, Serialize)]
pub struct BlameLines<'a> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The file, as it was asked for.
    pub file: &'a str,
    /// The lines that were asked for: one for each line of the file as it is now.
    pub lines: Vec<BlameLine<'a>>,
    /// The reason why the commits of the lines are not known, in a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_commits: Option<&'a str>,
    /// Recorded edits of the file whose lines can't be placed.
    pub unplaced: Vec<BlameUnplaced<'a>>,
    /// The files that could not be looked through.
    pub aside: Vec<ListAside>,
}

/// A line.
#[derive(Debug, Serialize)]
pub struct BlameLine<'a> {
    /// Its number, from 1.
    pub line: usize,
    /// Its text, without the line end.
    pub text: &'a str,
    /// `session` if a recorded edit wrote it, `outside` if it changed after a recorded state of the
    /// file and no recorded edit did it, `nobody` if no recorded edit of any session wrote it.
    pub origin: &'static str,
    /// The session that last wrote it, by its uid; `null` if none did.
    pub session: Option<&'a str>,
    /// The number of the turn, from 1; 0 before the first prompt.
    pub turn: Option<u64>,
    /// The model.
    pub model: Option<&'a str>,
    /// Its provider.
    pub provider: Option<&'a str>,
    /// The first words of the prompt.
    pub prompt: Option<&'a str>,
    /// The time of the edit (RFC 3339).
    pub time: Option<String>,
    /// The address of the call that wrote it.
    pub address: Option<&'a str>,
    /// The commit that carried it; `null` if it is not committed, absent if commits are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<Option<&'a str>>,
}

/// A recorded edit whose lines can't be placed.
#[derive(Debug, Serialize)]
pub struct BlameUnplaced<'a> {
    /// The session.
    pub session: &'a str,
    /// The number of the turn.
    pub turn: u64,
    /// The time of the edit (RFC 3339).
    pub time: Option<String>,
    /// The address of the call.
    pub address: &'a str,
    /// The reason.
    pub why: &'static str,
}

impl<'a> BlameLines<'a> {
    /// The document of the lines with these indexes, in a file with these lines.
    #[must_use]
    pub fn of(
        blame: &'a Blame,
        file: &'a str,
        (texts, range): (&[&'a str], std::ops::Range<usize>),
        commits: Result<Option<&'a [Option<String>]>, &'a str>,
    ) -> Self {
        let known = commits.unwrap_or_default();
        let line = |at: usize| {
            let commit = known.map(|commits| commits.get(at).and_then(Option::as_deref));
            let text = texts.get(at).copied().unwrap_or_default();
            let (origin, by) = match blame.lines.get(at) {
                Some(LineOrigin::Written(writer)) => ("session", blame.writers.get(*writer)),
                Some(LineOrigin::Outside) => ("outside", None),
                Some(LineOrigin::Nobody) | None => ("nobody", None),
            };
            BlameLine::of(at + 1, text.strip_suffix('\r').unwrap_or(text), origin, by, commit)
        };
        let unplaced = blame.unplaced.iter().map(|edit| BlameUnplaced {
            session: &edit.by.uid,
            turn: edit.by.turn,
            time: edit.by.time.map(session::UtcTime::rfc3339),
            address: &edit.by.address,
            why: edit.why,
        });
        Self {
            schema: SCHEMA,
            file,
            lines: range.map(line).collect(),
            no_commits: commits.err(),
            unplaced: unplaced.collect(),
            aside: blame.skipped.iter().map(ListAside::of).collect(),
        }
    }
}

impl<'a> BlameLine<'a> {
    fn of(
        line: usize,
        text: &'a str,
        origin: &'static str,
        by: Option<&'a BlameWriter>,
        commit: Option<Option<&'a str>>,
    ) -> Self {
        Self {
            line,
            text,
            origin,
            session: by.map(|by| &*by.uid),
            turn: by.map(|by| by.turn),
            model: by.and_then(|by| by.model.as_deref()),
            provider: by.and_then(|by| by.provider.as_deref()),
            prompt: by.and_then(|by| by.prompt.as_deref()),
            time: by.and_then(|by| by.time).map(session::UtcTime::rfc3339),
            address: by.map(|by| &*by.address),
            commit,
        }
    }
}
