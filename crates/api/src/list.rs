//! `verbatim-list-1`: the sessions of a machine or of some folders.

use catalog::find::found;
use catalog::summary::Entry;
use catalog::{Listing, UnreadAgent};
use serde::Serialize;

use super::text::text;

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-list-1";

/// The document.
#[derive(Debug, Serialize)]
pub struct List<'l> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The sessions, the newest first.
    pub sessions: Vec<ListRow<'l>>,
    /// The number of sessions that `-n` left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
    /// The files that are not sessions, or that could not be read.
    pub aside: Vec<ListAside>,
    /// The agents that are here and that no format reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread_agents: Vec<ListUnreadAgent>,
    /// The folders whose sessions these are; absent if they are those of all folders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ListScope>,
}

/// The folders that a list is limited to, because the command ran in one of them.
#[derive(Clone, Debug, Serialize)]
pub struct ListScope {
    /// The folders: of the repository, or the current one.
    pub folders: Vec<String>,
    /// The number of sessions of other folders, which are left out.
    pub elsewhere: usize,
}

/// A session.
#[derive(Debug, Serialize)]
pub struct ListRow<'l> {
    /// `<format>:<id>`.
    pub uid: String,
    /// The format's name in the registry.
    pub format: &'static str,
    /// The agent's own id.
    pub id: &'l str,
    /// The title.
    pub title: Option<&'l str>,
    /// The first prompt.
    pub prompt: Option<&'l str>,
    /// The id of the session that started this one as its sub-agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawned_by: Option<&'l str>,
    /// The uid of the session that it was made from, if verbatim placed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_from: Option<String>,
    /// The folder of the project.
    pub folder: Option<&'l str>,
    /// The first model that answered.
    pub model: Option<&'l str>,
    /// The agent's version.
    pub version: Option<&'l str>,
    /// The time of its beginning (RFC 3339).
    pub started: Option<String>,
    /// The time of its last event. If no event has a time, that of the last change to its files
    /// (RFC 3339).
    pub updated: Option<String>,
    /// The size of its files in bytes, as stored.
    pub bytes: u64,
    /// The number of turns, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<usize>,
    /// True if it comes from the archive, because its agent's folders do not have it any more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// The number of records that could not be read, of the bytes that the command looked at.
    #[serde(skip_serializing_if = "is_whole")]
    pub damaged: u32,
    /// The paths of its files, the main one first.
    pub files: Vec<String>,
    /// The paths of its copies in other places: equal to it, or earlier states of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
}

/// An agent that is here and that no format reads.
#[derive(Debug, Serialize)]
pub struct ListUnreadAgent {
    /// Its name.
    pub agent: &'static str,
    /// A folder with its sessions.
    pub folder: String,
    /// The number of its sessions, by the names of files; absent if names do not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<usize>,
}

impl ListUnreadAgent {
    /// The row of an agent.
    #[must_use]
    pub fn of(unread: &UnreadAgent) -> Self {
        let folder = unread.folders.first().map_or_else(String::new, |folder| text(folder));
        Self { agent: unread.agent, folder, sessions: unread.sessions }
    }
}

/// A file that is not a session, or that could not be read.
#[derive(Debug, Serialize)]
pub struct ListAside {
    /// Its path.
    pub path: String,
    /// The reason.
    pub why: String,
    /// True if a session may be missing because of it.
    pub failure: bool,
}

/// Whether a number is zero: then it is left out.
pub(crate) const fn is_zero(count: &usize) -> bool {
    *count == 0
}

const fn is_whole(damaged: &u32) -> bool {
    *damaged == 0
}

impl ListAside {
    /// The row of a file.
    #[must_use]
    pub fn of(aside: &found::Skipped) -> Self {
        let (why, failure) = (aside.why.to_string(), aside.why.is_failure());
        Self { path: text(&aside.path), why, failure }
    }
}

impl<'l> ListRow<'l> {
    /// The row of a session.
    #[must_use]
    pub fn of(entry: &'l Entry) -> Self {
        Self {
            uid: format!("{}:{}", entry.format, entry.id),
            format: entry.format,
            id: &entry.id,
            title: entry.title.as_deref(),
            prompt: entry.prompt.as_deref(),
            spawned_by: entry.spawned_by.as_deref(),
            made_from: None,
            folder: entry.folder.as_deref(),
            model: entry.model.as_deref(),
            version: entry.version.as_deref(),
            started: entry.started.map(session::UtcTime::sortable),
            updated: entry.updated.map(session::UtcTime::sortable),
            bytes: entry.length,
            turns: entry.turns,
            archived: entry.archived,
            damaged: entry.damaged,
            files: entry.files.iter().map(|file| text(file)).collect(),
            copies: entry.copies.iter().map(|file| text(file)).collect(),
        }
    }
}

impl<'l> List<'l> {
    /// The document with the sources of placed sessions: `source` gives the uid of the session that
    /// one was made from, by its format and id.
    #[must_use]
    pub fn with_sources(mut self, source: &dyn Fn(&str, &str) -> Option<String>) -> Self {
        for row in &mut self.sessions {
            row.made_from = source(row.format, row.id);
        }
        self
    }

    /// The document of a listing.
    #[must_use]
    pub fn of(listing: &'l Listing) -> Self {
        Self {
            schema: SCHEMA,
            sessions: listing.entries.iter().map(ListRow::of).collect(),
            more: 0,
            aside: listing.skipped.iter().map(ListAside::of).collect(),
            unread_agents: Vec::new(),
            scope: None,
        }
    }
}
