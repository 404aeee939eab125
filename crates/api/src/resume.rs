//! `verbatim-resume-1` and `verbatim-undo-1`: a session that was placed into an agent's store, and
//! one that was removed from it.

use std::path::Path;

use operations::ledger::{BookTotals, UnreadRow};
use operations::placing::Earlier;
use operations::resume::{PlacementPlan, ResumePlan};
use serde::Serialize;

use super::convert::ConversionFile;
use super::text::text;

/// The name of the schema of a placement.
pub const SCHEMA: &str = "verbatim-resume-1";
/// The name of the schema of a removal.
pub const UNDO_SCHEMA: &str = "verbatim-undo-1";

/// The document of a placement.
#[derive(Debug, Serialize)]
pub struct Resumed<'p> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The uid of the session that is continued.
    pub session: &'p str,
    /// The agent that continues it.
    pub agent: &'static str,
    /// The session's id in that agent.
    pub id: &'p str,
    /// `there` (its agent wrote it), `planned` (`--dry-run`), `placed`, `placed-before`, or
    /// `continued` (placed before, and continued by its agent).
    pub state: &'static str,
    /// The folder in which it is continued.
    pub folder: &'p str,
    /// The files in the agent's store; none if its own import takes the session in.
    pub files: Vec<ConversionFile>,
    /// The words of the command that continues it; `null` without one.
    pub command: Option<&'p [String]>,
    /// The same as a line for a shell, with its folder.
    pub line: Option<&'p str>,
    /// The totals of the books, if it was written for another agent, or with a value that was made
    /// for its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub books: Option<BookTotals>,
    /// The records of the session that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadRow>,
    /// An earlier state of the session, which was placed before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierState<'p>>,
    /// The damages that are mended in the copy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mended: Vec<MendedLines<'p>>,
}

/// An earlier state of a session that was placed before.
#[derive(Debug, Serialize)]
pub struct EarlierState<'p> {
    /// Its id in the agent.
    pub id: &'p str,
    /// The number of turns that the session has now and had not then.
    pub newer: Option<i64>,
    /// Whether the newer state is in its place.
    pub replaced: bool,
}

/// Damages of one kind that are mended in the copy.
#[derive(Debug, Serialize)]
pub struct MendedLines<'p> {
    /// The kind.
    pub damage: &'static str,
    /// The lines of the damaged session, from 1.
    pub lines: &'p [u32],
}

impl<'p> Resumed<'p> {
    /// The document of a plan and its state.
    #[must_use]
    pub fn of(
        (plan, earlier): (&'p ResumePlan, Option<&'p Earlier>),
        state: &'static str,
        line: Option<&'p str>,
    ) -> Self {
        let earlier = earlier.map(|Earlier { id, newer, is_replaced }| EarlierState {
            id,
            newer: *newer,
            replaced: *is_replaced,
        });
        let mended = plan.mended.iter();
        let mended =
            mended.map(|mended| MendedLines { damage: mended.damage.word(), lines: &mended.lines });
        let files = match &plan.way {
            PlacementPlan::Files(files) => &files[..],
            PlacementPlan::AlreadyInStore | PlacementPlan::Import { .. } => &[],
        };
        let file = |(path, content): &(std::path::PathBuf, formats::Content)| ConversionFile {
            path: text(path),
            bytes: content.len() as u64,
        };
        Self {
            schema: SCHEMA,
            session: &plan.source,
            agent: plan.agent,
            id: &plan.id,
            state,
            folder: &plan.folder,
            files: files.iter().map(file).collect(),
            command: plan.command.as_deref(),
            line,
            books: plan.books.as_ref().map(|(totals, _)| BookTotals::of(totals)),
            unreadable: plan.unread.iter().map(UnreadRow::of).collect(),
            earlier,
            mended: mended.collect(),
        }
    }
}

/// The document of a removal.
#[derive(Debug, Serialize)]
pub struct Undone<'u> {
    /// [`UNDO_SCHEMA`].
    pub schema: &'static str,
    /// The agent.
    pub agent: &'u str,
    /// The session's id in that agent.
    pub id: &'u str,
    /// The files that were removed; none if the agent's own command removed the session.
    pub files: Vec<String>,
    /// Whether nothing was removed yet (`--dry-run`).
    pub planned: bool,
}

impl<'u> Undone<'u> {
    /// The document of a removal.
    #[must_use]
    pub fn of(agent: &'u str, id: &'u str, paths: &[&Path], planned: bool) -> Self {
        let files = paths.iter().map(|path| text(path)).collect();
        Self { schema: UNDO_SCHEMA, agent, id, files, planned }
    }
}
