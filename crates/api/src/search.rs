//! `verbatim-search-1`: the matches of a search, by session.

use operations::search::SearchResult;
use serde::Serialize;

use super::list::{ListAside, ListRow, ListScope, is_zero};

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-search-1";

/// The document.
#[derive(Debug, Serialize)]
pub struct Search<'s> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The sessions with a match, the newest first.
    pub sessions: Vec<SearchRow<'s>>,
    /// Sessions that are gone, and of which prompts in the agent's own list of what was typed
    /// match. They can't be opened: `files` has the lists, and `turn` counts the prompts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<SearchRow<'s>>,
    /// The number of sessions with a match that `-n` left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
    /// Whether the search stopped when it had found as many as `-n` asks for: there are at least
    /// `more` others, and prompts of sessions that are gone were not looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// The files that could not be looked through.
    pub aside: Vec<ListAside>,
    /// The folders whose sessions these are; absent if they are those of all folders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ListScope>,
}

/// A session with its matches.
#[derive(Debug, Serialize)]
pub struct SearchRow<'s> {
    /// The session.
    #[serde(flatten)]
    pub session: ListRow<'s>,
    /// Its matches, in source order.
    pub hits: Vec<SearchHit<'s>>,
}

/// A match.
#[derive(Debug, Serialize)]
pub struct SearchHit<'s> {
    /// The number of its turn, from 1; 0 before the first prompt.
    pub turn: u64,
    /// The part of the conversation: `prompt`, `answer`, `thought`, `call`, `output`, `note`,
    /// `notice`, `title`.
    pub part: &'static str,
    /// Its time (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The standing of its event, if it is not live.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<&'static str>,
    /// The line with the first match, and the line after it.
    pub lines: &'s [String],
}

impl<'s> Search<'s> {
    /// The document of a search.
    #[must_use]
    pub fn of(result: &'s SearchResult) -> Self {
        let hits = |hits: &'s [operations::search::hit::TextMatch]| {
            let hit = |hit: &'s operations::search::hit::TextMatch| SearchHit {
                turn: hit.turn,
                part: hit.part.word(),
                time: hit.time.map(session::UtcTime::sortable),
                standing: hit.standing,
                lines: &hit.lines,
            };
            hits.iter().map(hit).collect()
        };
        let row = |of: &'s operations::search::SearchHits| SearchRow {
            session: ListRow::of(&of.entry),
            hits: hits(&of.hits),
        };
        Self {
            schema: SCHEMA,
            sessions: result.sessions.iter().map(row).collect(),
            left: result.left.iter().map(row).collect(),
            more: 0,
            at_least: result.stopped,
            aside: result.skipped.iter().map(ListAside::of).collect(),
            scope: None,
        }
    }
}
