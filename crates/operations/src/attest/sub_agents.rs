//! The sessions of sub-agents, which some agents keep apart: found by the ids that the session
//! names, and believed if they name the session in turn.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use catalog::{Catalog, Opened};
use session::Session;

/// Greatest number of sessions of sub-agents that are read for one session.
const MOST: usize = 256;

/// The sessions of the sub-agents of a session, and of theirs, as far as they are at hand: among
/// the sessions that were read with it, below `within` or in the agent's own places, and beside
/// it.
#[must_use]
pub fn sub_agents(opened: &Opened, within: &[PathBuf], catalog: &Catalog<'_>) -> Vec<Session> {
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
        let Some(session) = find(opened, &id, within, catalog) else { continue };
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

fn find(opened: &Opened, id: &str, within: &[PathBuf], catalog: &Catalog<'_>) -> Option<Session> {
    if let Some(session) = opened.sessions.iter().find(|session| session.id == id) {
        return Some(session.clone());
    }
    let query = format!("{}:{id}", opened.session().format);
    let open = |within: &[PathBuf]| catalog.open(&query, within).ok().map(Opened::into_session);
    open(within).or_else(|| {
        let beside = opened.paths.first().and_then(|path| path.parent());
        open(&[beside.filter(|_| within.is_empty()).map(Path::to_path_buf)?])
    })
}
