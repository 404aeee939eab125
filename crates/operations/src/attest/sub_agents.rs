//! The sessions of sub-agents, which some agents keep apart: found by the ids that the session
//! names, and believed if they name the session in turn.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use catalog::{Catalog, Entry, Opened};
use session::Session;

/// Greatest number of sessions of sub-agents that are read for one session.
const MOST: usize = 256;

/// The sessions of the sub-agents of a session, and of theirs, as far as they are at hand: among
/// the sessions that were read with it, below `within` or in the agent's own places, and beside
/// it.
#[must_use]
pub fn sub_agents(opened: &Opened, within: &[PathBuf], catalog: &Catalog<'_>) -> Vec<Session> {
    let mut places = Places { opened, within, catalog, listed: None };
    sub_agents_by(opened, &mut |id| places.find(id))
}

/// The same; `open` reads a session of the same agent by its id.
#[must_use]
pub fn sub_agents_by(
    opened: &Opened,
    open: &mut dyn FnMut(&str) -> Option<Session>,
) -> Vec<Session> {
    let root = opened.session();
    let mut seen = HashSet::from([root.id.clone()]);
    let mut found: Vec<Session> = Vec::new();
    let mut wanted = VecDeque::new();
    let name = |of: &Session, wanted: &mut VecDeque<(String, String)>| {
        let ids = receipt::sub_agents_of(of).into_iter().filter(|id| is_id(id));
        wanted.extend(ids.map(|id| (of.id.clone(), id)));
    };
    name(root, &mut wanted);
    while let Some((parent, id)) = wanted.pop_front() {
        if found.len() == MOST || !seen.insert(id.clone()) {
            continue;
        }
        let beside = opened.sessions.iter().find(|session| session.id == id).cloned();
        let Some(session) = beside.or_else(|| open(&id)) else { continue };
        if session.id == id && receipt::is_sub_agent_of(&session, &parent) {
            name(&session, &mut wanted);
            found.push(session);
        }
    }
    found
}

/// Whether a text can be the id of a session: it is searched for, and never a path.
fn is_id(text: &str) -> bool {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (8..=128).contains(&text.len()) && text.bytes().all(is_good)
}

/// The places in which the sessions of sub-agents are.
struct Places<'p> {
    opened: &'p Opened,
    within: &'p [PathBuf],
    catalog: &'p Catalog<'p>,
    /// All sessions there, once one was not found by its name: the next ones cost no search.
    listed: Option<Vec<Entry>>,
}

impl Places<'_> {
    fn find(&mut self, id: &str) -> Option<Session> {
        let format = self.opened.session().format;
        if let Some(listed) = &self.listed {
            let entry = listed.iter().find(|entry| entry.format == format && entry.id == id)?;
            let read = self.catalog.open_listed(entry, self.within);
            return read.ok().map(Opened::into_session);
        }
        let beside = self.opened.paths.first().and_then(|path| path.parent());
        let beside = beside.filter(|_| self.within.is_empty()).map(Path::to_path_buf);
        let query = format!("{format}:{id}");
        let open = |within: &[PathBuf]| self.catalog.open(&query, within).ok();
        let found = open(self.within).or_else(|| open(&[beside.clone()?]));
        if found.is_none() {
            let list = |within: &[PathBuf]| self.catalog.list(within, false).entries;
            let beside = beside.map(|folder| list(&[folder])).unwrap_or_default();
            self.listed = Some([list(self.within), beside].concat());
        }
        found.map(Opened::into_session)
    }
}
