//! Sessions of the archive among those of the machine: the one place that decides when an archived
//! session is meant.

use std::collections::HashSet;
use std::ffi::OsStr;

use formats::Role;

use crate::catalog::Catalog;
use crate::error::Error;
use crate::find::found::Found;
use crate::names::Query;
use crate::open::session_archive::ArchivedSession;
use crate::open::source::Source;

impl Catalog<'_> {
    /// Adds all archived sessions that are not among those of the agents' own places.
    pub fn add_gone(&self, found: &mut Found) {
        self.add_archived(found, &|_| true, true);
    }

    /// Adds the archived sessions that `takes` takes and that are not there any more to those that
    /// a search of the agents' own places has found. Rows of databases are only added `with_rows`:
    /// if the search has looked at the databases.
    pub(super) fn add_archived(
        &self,
        found: &mut Found,
        takes: &dyn Fn(&ArchivedSession) -> bool,
        with_rows: bool,
    ) {
        let Some(archive) = &self.machine.archive else { return };
        // A part that an agent left of a session does not count: the archive has the whole.
        let is_whole = |source: &&Source| source.files.iter().any(|file| file.role == Role::Main);
        let whole = found.sources.iter().filter(is_whole);
        let there: HashSet<(&str, &str)> = whole.map(key).collect();
        // An agent may have moved the file of a session to another of its folders: the name of the
        // file, which has the id, stays.
        let names: HashSet<(&str, &OsStr)> = found.sources.iter().flat_map(mains).collect();
        let has_moved = |session: &ArchivedSession| {
            mains(&session.source).any(|(agent, name)| {
                let shown = name.to_string_lossy();
                let has_id = session.ids.iter().any(|id| id.len() >= 8 && shown.contains(&**id));
                has_id && names.contains(&(agent, name))
            })
        };
        let is_gone = |session: &&ArchivedSession| {
            let source = &session.source;
            let has_rows = source.files.iter().any(|file| file.is_dump());
            let is_there = || there.contains(&key(source)) || !has_rows && has_moved(session);
            (with_rows || !has_rows) && !is_there() && takes(session)
        };
        let gone = archive.gone().iter().filter(is_gone).map(|session| session.source.clone());
        let gone: Vec<Source> = gone.collect();
        drop(names);
        let taken: HashSet<(&str, &str)> = gone.iter().map(key).collect();
        found.sources.retain(|source| !taken.contains(&key(source)));
        drop(taken);
        found.sources.extend(gone);
    }

    /// The archived version that a name with a `@` means, with the id of the session.
    pub(super) fn version(&self, query: &Query<'_>) -> Result<Option<ArchivedSession>, Error> {
        match &self.machine.archive {
            Some(archive) if query.id.find('@').is_some_and(|at| at > 0) => {
                archive.version(query.text)
            }
            _ => Ok(None),
        }
    }
}

/// The agent and the group of a source.
fn key(source: &Source) -> (&str, &str) {
    (source.format.name(), &source.group)
}

/// The names of the main files of a source, with its agent.
fn mains(source: &Source) -> impl Iterator<Item = (&str, &OsStr)> {
    let files = source.files.iter().filter(|file| file.role == Role::Main && !file.is_dump());
    files.filter_map(|file| Some((source.format.name(), file.path.file_name()?)))
}
