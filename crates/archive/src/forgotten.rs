//! Forgotten sessions: their ids, and the files beside sessions that belong to them.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use crate::digest::Digest;
use crate::run::{OtherFile, SessionName};
use crate::sidecars::has_id;
use crate::state::Archive;

/// Greatest length in bytes of a shared file that is searched for ids.
const SEARCHED: u64 = 64 * 1024 * 1024;

/// The files beside sessions that concern one session.
#[derive(Clone, Debug, Default)]
pub struct BesideSession {
    /// Files of this session alone: their names have its id.
    pub own: Vec<PathBuf>,
    /// Files of several sessions, with the id in their text.
    pub shared: Vec<PathBuf>,
}

impl Archive {
    /// The files beside sessions that concern one session: to forget it removes its own ones.
    #[must_use]
    pub fn beside(&self, name: &SessionName) -> BesideSession {
        let own = self.versions.iter().filter(|version| version.session.name == *name);
        let ids: HashSet<&String> = own.flat_map(|version| &version.session.ids).collect();
        let has_any = |text: &str| ids.iter().any(|id| has_id(text, id));
        let mut found: BTreeMap<PathBuf, bool> = BTreeMap::new();
        for seen in self.files.iter().filter(|seen| seen.file.agent == name.agent) {
            let file = &seen.file.file;
            let path = file.path.path();
            let is_own = has_any(&file.name);
            if found.contains_key(&path) {
                continue;
            }
            // A file that can't be read, or that is too long for a search, may have the id.
            let may_have = || match self.bytes(file.content) {
                Ok(bytes) => has_any(&String::from_utf8_lossy(&bytes)),
                Err(_) => true,
            };
            if is_own || file.length > SEARCHED || may_have() {
                found.insert(path, is_own);
            }
        }
        let mut beside = BesideSession::default();
        for (path, is_own) in found {
            let list = if is_own { &mut beside.own } else { &mut beside.shared };
            list.push(path);
        }
        beside
    }

    /// Whether a removal was interrupted: sessions are forgotten, and packs have pieces that no
    /// session needs. They may be of a session that was forgotten.
    #[must_use]
    pub fn has_unremoved(&self) -> bool {
        let mut live: HashSet<Digest> = HashSet::new();
        if !self.forgotten.is_empty() {
            let needed = self.needed();
            live.extend(needed.into_iter().flat_map(|content| {
                self.contents.get(&content).into_iter().flat_map(|content| &content.pieces).copied()
            }));
        }
        !self.forgotten.is_empty() && self.pieces.keys().any(|piece| !live.contains(piece))
    }

    /// Agents and ids of all forgotten sessions.
    pub(crate) fn forgotten_ids(&self) -> HashSet<(String, String)> {
        let all = self.forgotten.iter();
        let ids = all.flat_map(|(name, forgotten)| forgotten.ids.iter().map(move |id| (name, id)));
        ids.map(|(name, id)| (name.agent.clone(), id.clone())).collect()
    }

    /// Whether a file beside sessions belongs to a forgotten one.
    pub(crate) fn is_forgotten(&self, file: &OtherFile) -> bool {
        let own = self.forgotten.iter().filter(|(name, _)| name.agent == file.agent);
        own.flat_map(|(_, forgotten)| &forgotten.ids).any(|id| has_id(&file.file.name, id))
    }
}
