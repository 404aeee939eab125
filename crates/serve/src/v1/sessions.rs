//! Sessions, and their events.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use api::list::{self, List, ListAside, ListRow};
use api::show::{self, Head, Show};
use catalog::{Entry, Found, Listing, summaries};
use operations::placing::Desk;
use serde::Serialize;
use serde_json::value::RawValue;

use super::page::{BYTES, Page, filter, paged};
use crate::app::App;
use crate::entries::uid;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};

/// `/v1/sessions`: the sessions, the newest first, as `list --json` has them.
pub(crate) fn all(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let (page, taken) = (Page::of(ask)?, taken(app, ask)?);
    let total = taken.entries.len();
    let shown = page.rows(&taken.entries);
    let next = page.next(shown.len(), total);
    let origins = origins(app);
    let source = |format: &str, id: &str| {
        let is_it = |of: &&[String; 3]| of[0] == format && of[1] == id;
        origins.iter().find(is_it).map(|of| of[2].clone())
    };
    let document = List {
        schema: list::SCHEMA,
        sessions: shown.iter().map(ListRow::of).collect(),
        more: total.saturating_sub(page.from.saturating_add(shown.len())),
        aside: taken.listing.skipped.iter().map(ListAside::of).collect(),
        unread_agents: Vec::new(),
        scope: None,
    };
    let document = document.with_sources(&source);
    Ok(paged(ask, Reply::json(&document)?, total, next.as_deref()))
}

/// Some sessions of a listing.
pub(crate) struct Taken {
    /// The sessions, the newest first.
    pub(crate) entries: Vec<Entry>,
    /// All sessions, with the files that are none.
    pub(crate) listing: Arc<Listing>,
}

/// The sessions that a request's filter takes.
pub(crate) fn taken(app: &App, ask: &Ask) -> Result<Taken, Fault> {
    let filter = filter(app, ask)?;
    let listing = app.listing();
    let entries = listing.entries.iter().filter(|entry| filter.takes(entry)).cloned().collect();
    Ok(Taken { entries, listing })
}

/// The uids of the sessions that placed sessions were made from, by agent and id.
fn origins(app: &App) -> Vec<[String; 3]> {
    let catalog = app.catalog();
    let desk = Desk::new(&catalog, None);
    desk.and_then(|mut desk| desk.origins()).unwrap_or_default()
}

/// The files of some sessions. The main file of a session leads to its others; of a file with
/// several sessions, those alone that are wanted are taken.
pub(crate) fn sources(app: &App, entries: &[Entry]) -> Found {
    let catalog = app.catalog();
    let mains = entries.iter().filter(|entry| !entry.archived);
    let mains: Vec<PathBuf> =
        mains.filter_map(|entry| entry.files.first()).map(|path| path.to_path_buf()).collect();
    let mut found = if mains.is_empty() { Found::default() } else { catalog.find(&mains) };
    if entries.iter().any(|entry| entry.archived) {
        let all = catalog.find(app.within()).sources.into_iter();
        let is_new = |source: &catalog::Source| {
            let mut files = source.files.iter().map(|file| &*file.path);
            !files.any(|file| mains.iter().any(|main| main == file))
        };
        found.sources.extend(all.filter(is_new));
    }
    let wanted: BTreeSet<String> = entries.iter().map(uid).collect();
    found.sources.retain(|source| match summaries(source) {
        Ok(all) => all.iter().any(|entry| wanted.contains(&uid(entry))),
        // The one who looks at it says why it can't be read.
        Err(_) => true,
    });
    found
}

/// The schema of one session.
const ONE: &str = "verbatim-session-1";

/// A session, with the numbers of what is in it.
#[derive(Serialize)]
struct One<'s> {
    schema: &'static str,
    session: ListRow<'s>,
    members: Vec<show::ShowMember<'s>>,
    turns: u64,
    events: usize,
}

/// `/v1/sessions/{uid}`.
pub(crate) fn one(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let entry = entry(app, ask.part("uid"))?;
    let reading = app.reading(ask.part("uid"))?;
    let session = reading.session();
    let Head { made_from, members, .. } = Show::of(session, &[], false).head();
    let row = ListRow { made_from, ..ListRow::of(&entry) };
    let (turns, events) = (reading.turns(), session.len());
    Reply::json(&One { schema: ONE, session: row, members, turns, events })
}

/// The row of a list for a session.
pub(crate) fn entry(app: &App, name: &str) -> Result<Entry, Fault> {
    let listing = app.listing();
    let found = listing.entries.iter().find(|entry| uid(entry) == name);
    found.cloned().ok_or_else(|| Fault::unknown("session"))
}

/// A page of the events of a session.
#[derive(Serialize)]
struct Events<'s> {
    schema: &'static str,
    session: Head<'s>,
    events: Vec<Box<RawValue>>,
}

/// `/v1/sessions/{uid}/events`: the events, as `show --json` has them. A page ends early where it
/// would be too large.
pub(crate) fn events(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let (page, reading) = (Page::of(ask)?, app.reading(ask.part("uid"))?);
    let session = reading.session();
    let show = Show::of(session, &reading.opened.found, false);
    let (mut events, mut size) = (Vec::new(), 0);
    for event in show.events_behind(page.from).take(page.most) {
        let failed = |error| Fault::new(500, format!("it can't be written: {error}"));
        let event = serde_json::value::to_raw_value(&event).map_err(failed)?;
        size += event.get().len();
        // One event is always there, so that each page leads on.
        if size > BYTES && !events.is_empty() {
            break;
        }
        events.push(event);
    }
    let (next, total) = (page.next(events.len(), session.len()), session.len());
    let document = Events { schema: show::SCHEMA, session: show.head(), events };
    Ok(paged(ask, Reply::json(&document)?, total, next.as_deref()))
}
