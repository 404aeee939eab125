//! Sessions of the archive among those of the machine: the one place that decides when an archived
//! session is meant.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;

use formats::Role;
use session::UtcTime;

use crate::catalog::Catalog;
use crate::error::Error;
use crate::find::found::Found;
use crate::find::names::WalkedNames;
use crate::find::newest::may_be_until;
use crate::names::Query;
use crate::open::session_archive::ArchivedSession;
use crate::open::source::{Source, SourceFile};

impl Catalog<'_> {
    /// Adds all archived sessions that are not among those of the agents' own places.
    pub fn add_gone(&self, found: &mut Found) {
        self.add_archived(found, &|_| true, true);
    }

    /// The sessions of some files of the agents' own places, and the archived ones that are not
    /// there any more: those that may be younger than `since`.
    #[must_use]
    pub fn find_around(
        &self,
        names: &WalkedNames<'_>,
        files: &HashSet<usize>,
        since: Option<UtcTime>,
    ) -> Found {
        let is_young = |file: &SourceFile| {
            let until = file.modified.and_then(may_be_until);
            until.is_none() || until >= since
        };
        let gone = self.machine.archive.as_ref().map(|archive| archive.gone()).unwrap_or_default();
        let young: Vec<&ArchivedSession> =
            gone.iter().filter(|session| session.source.files.iter().any(is_young)).collect();
        let ids: HashSet<&str> =
            young.iter().flat_map(|session| session.ids.iter().map(String::as_str)).collect();
        let mut files = Cow::Borrowed(files);
        if !ids.is_empty() {
            // Their files may be somewhere else.
            let ids: Vec<&str> = ids.iter().copied().collect();
            let has_rows = young.iter().any(|it| it.source.files.iter().any(SourceFile::is_dump));
            files.to_mut().extend(names.of_ids(self.formats, &ids, has_rows));
        }
        let mut found = names.around(self.formats, &files, &self.machine.index);
        let is_young = |session: &ArchivedSession| session.ids.iter().any(|id| ids.contains(&**id));
        self.add_archived(&mut found, &is_young, true);
        found
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
