//! Files that sessions changed, and the lines of them that a session wrote.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::attribution::Lines;
use catalog::Entry;
use catalog::parallel::parallel_with;
use serde::Serialize;
use session::UtcTime;

use super::page::{Page, paged};
use super::sessions::taken;
use crate::app::App;
use crate::entries::uid;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};
use crate::reading::fault;

/// The schema of the files of several sessions.
const SCHEMA: &str = "verbatim-files-1";
/// The number of sessions that one answer reads.
const SESSIONS: usize = 25;

/// `/v1/sessions/{uid}/files`: the lines that a session wrote, as `attribution --json` has them.
pub(crate) fn of_session(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let reading = app.reading(ask.part("uid"))?;
    // A document records the edits in its own words. Its native session records more.
    let opened = reading.opened.session();
    let native = operations::native(&app.catalog(), opened).map_err(|error| fault(&error))?;
    let session = native.as_ref().unwrap_or(opened);
    let lines = formats::attribution::attribution(session);
    Reply::json(&Lines::of(session, &lines))
}

/// The changes of files by some sessions.
#[derive(Debug, Serialize)]
pub(crate) struct Changes {
    schema: &'static str,
    /// The files, by their paths.
    pub(crate) files: Vec<ChangedFile>,
    /// The number of sessions that were looked through for this answer.
    pub(crate) sessions: usize,
    /// The number of sessions of all answers.
    pub(crate) total: usize,
    /// The sessions that could not be read, with the reasons.
    pub(crate) not_read: Vec<String>,
    /// The value of `after` of the next answer.
    #[serde(skip)]
    pub(crate) next: Option<String>,
}

/// A file, and those who changed it.
#[derive(Debug, Serialize)]
pub(crate) struct ChangedFile {
    /// Its path, relative to the folder of the first session that changed it, where it is in it.
    pub(crate) path: String,
    /// The turns that changed it, of the newest session first.
    pub(crate) changes: Vec<FileTurn>,
}

/// A turn that changed a file.
#[derive(Debug, Serialize)]
pub(crate) struct FileTurn {
    /// The uid of the session.
    pub(crate) session: String,
    /// The session's title, or its first prompt.
    pub(crate) title: String,
    /// The number of the turn.
    pub(crate) turn: u64,
    /// The time of the turn's end (RFC 3339).
    pub(crate) time: Option<String>,
    /// The session's first model.
    pub(crate) model: Option<String>,
}

/// `/v1/files`: the files that sessions changed, of which a path has the text `path`.
pub(crate) fn all(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let changes = changes(app, ask)?;
    Ok(paged(ask, Reply::json(&changes)?, changes.total, changes.next.as_deref()))
}

/// The files that the sessions of one answer changed.
pub(crate) fn changes(app: &App, ask: &Ask) -> Result<Changes, Fault> {
    let (page, taken) = (Page::of(ask)?, taken(app, ask)?);
    let page = Page { most: page.most.min(SESSIONS), ..page };
    let wanted = ask.value("path").unwrap_or_default().to_lowercase();
    let mut files: BTreeMap<String, Vec<FileTurn>> = BTreeMap::new();
    let (mut not_read, shown) = (Vec::new(), page.rows(&taken.entries));
    let look = |(): &mut (), entry: &Entry| {
        app.changes.of(entry, || app.read((entry, &taken.listing)).map(|one| one.changes()))
    };
    let looked = parallel_with(shown, |entry| entry.length, || (), look);
    for (entry, turns) in shown.iter().zip(looked) {
        let turns = match turns {
            Ok(turns) => turns,
            Err(fault) => {
                not_read.push(format!("{}: {}", uid(entry), fault.message));
                continue;
            }
        };
        for one in turns.iter() {
            for path in one.files.iter().filter(|path| path.to_lowercase().contains(&wanted)) {
                files.entry(path.clone()).or_default().push(FileTurn {
                    session: uid(entry),
                    title: crate::entries::title(entry).0,
                    turn: one.turn,
                    time: one.time.map(UtcTime::sortable),
                    model: entry.model.as_deref().map(str::to_owned),
                });
            }
        }
    }
    let files = files.into_iter().map(|(path, changes)| ChangedFile { path, changes }).collect();
    let (sessions, total) = (shown.len(), taken.entries.len());
    let next = page.next(sessions, total);
    Ok(Changes { schema: SCHEMA, files, sessions, total, not_read, next })
}
