//! Forgotten sessions: their ids, and the files beside sessions that belong to them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use catalog::Catalog;

use crate::digest::Digest;
use crate::error::Error;
use crate::run::{OtherFile, SessionName, VersionFile};
use crate::sidecars::has_id;
use crate::state::{Archive, Version};

/// Least length of a name that is searched for in the text of a session.
const SHORTEST: usize = 8;

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

    /// The files beside a session that a version of it needs, each in its newest state: those with
    /// its id in their names, and those whose own name its text has. Lists that all sessions share
    /// are not among them.
    pub(crate) fn beside_version(
        &self,
        version: &Version,
        catalog: &Catalog<'_>,
    ) -> Result<Vec<&VersionFile>, Error> {
        let session = &version.session;
        let format = catalog.format(&session.name.agent).ok();
        let lists = format.map(|format| format.data().sidecars).unwrap_or_default();
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let lists: HashSet<String> = lists.iter().map(|list| last(list)).collect();
        let own = self.files.iter().filter(|seen| seen.file.agent == session.name.agent);
        let newest: BTreeMap<_, _> =
            own.map(|seen| (seen.file.file.path.path(), &seen.file.file)).collect();
        let of_id = |file: &&VersionFile| session.ids.iter().any(|id| has_id(&file.name, id));
        let (mut beside, others): (Vec<_>, Vec<_>) = newest.into_values().partition(of_id);
        let stem = |file: &VersionFile| {
            let name = last(&file.name);
            let stem = name.split('.').next().unwrap_or_default().to_owned();
            (stem.len() >= SHORTEST && !lists.contains(&name)).then_some(stem)
        };
        let mut named: HashMap<String, Vec<&VersionFile>> = HashMap::new();
        for file in others {
            if let Some(stem) = stem(file) {
                named.entry(stem).or_default().push(file);
            }
        }
        let mains = session.files.iter().filter(|_| !named.is_empty());
        let contents: Vec<Digest> = mains.map(|file| file.content).collect();
        for content in contents {
            let bytes = self.bytes(content)?;
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
            for word in bytes.split(|byte| !is_part(byte)) {
                let found = std::str::from_utf8(word).ok().and_then(|word| named.remove(word));
                beside.extend(found.into_iter().flatten());
            }
        }
        Ok(beside)
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
