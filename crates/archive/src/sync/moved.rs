//! Sessions whose files have moved: some agents name a session by the path of its file, and move
//! that to another folder.

use std::collections::{BTreeMap, HashMap, HashSet};

use catalog::Source;
use formats::Role;

use super::Run;
use crate::roles;
use crate::run::{PathText, SessionName, SessionVersion, VersionFile};

/// Least length of an id by which a session is known again.
const SHORTEST: usize = 8;

impl Run<'_, '_> {
    /// The name under which a session is kept: its own, or the one that it had before its file
    /// moved. That is the only session of its agent with the same ids whose file has left its
    /// place, or is this very file.
    pub(super) fn kept_name(&mut self, name: SessionName, source: &Source) -> SessionName {
        if self.newest.contains_key(&name) {
            return name;
        }
        // To read the ids reads the file.
        if self.by_ids.is_empty() {
            return name;
        }
        let entries = catalog::summaries(source).unwrap_or_default();
        let ids: Vec<String> = entries.into_iter().map(|entry| entry.id).collect();
        let Some(known) = self.by_ids.get(&(name.agent.clone(), ids)) else { return name };
        let mains = source.files.iter().filter(|file| file.role == Role::Main);
        let paths: Vec<PathText> = mains.map(|file| PathText::of(&file.path)).collect();
        let left = |file: &VersionFile| {
            !file.rows && (paths.contains(&file.path) || roles::is_gone(&file.path.path()))
        };
        let has_moved = |known: &&SessionName| {
            let files = self.newest.get(known).map(|known| &known.files);
            let is_taken = self.names.values().any(|taken| taken == *known);
            !is_taken && files.is_some_and(|files| roles::has_left(files, left))
        };
        let mut moved = known.iter().filter(has_moved);
        let kept = match (moved.next(), moved.next()) {
            (Some(one), None) => one.clone(),
            _ => return name,
        };
        self.names.insert(name, kept.clone());
        kept
    }
}

/// The sessions by their agents and ids.
pub(super) type ByIds = HashMap<(String, Vec<String>), Vec<SessionName>>;

/// The sessions that are known again by their ids.
pub(super) fn by_ids(newest: &BTreeMap<SessionName, SessionVersion>) -> ByIds {
    let mut all = ByIds::new();
    for SessionVersion { name, ids, .. } in newest.values() {
        if !ids.is_empty() && ids.iter().all(|id| id.len() >= SHORTEST && *id != name.group) {
            all.entry((name.agent.clone(), ids.clone())).or_default().push(name.clone());
        }
    }
    all
}

/// Adds the files of the version before that this one lacks, but for a main one that has another in
/// its place: the session is not less because its agent deleted or emptied a part of it, or because
/// a part can't be read now.
pub(super) fn carry(before: Option<&SessionVersion>, files: &mut Vec<VersionFile>) {
    files.sort_by_cached_key(roles::rank);
    let Some(before) = before else { return };
    let has_main = files.iter().any(|file| file.role == roles::MAIN);
    let paths: HashSet<&PathText> = files.iter().map(|file| &file.path).collect();
    let names: HashSet<&str> = files.iter().map(|file| &*file.name).collect();
    let is_missing = |file: &&VersionFile| {
        let is_there = paths.contains(&file.path) || names.contains(&*file.name);
        !(is_there || file.role == roles::MAIN && has_main)
    };
    let missing: Vec<VersionFile> = before.files.iter().filter(is_missing).cloned().collect();
    files.extend(missing);
    files.sort_by_cached_key(roles::rank);
}
