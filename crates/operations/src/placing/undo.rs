//! Removal of a session that was placed.

use std::path::{Path, PathBuf};

use catalog::Catalog;
use formats::resume::StoreAccess;
use store::placing::{
    FileState, Placed, Placements, Settled, Settlement, State, Step, state, state_of,
};

use crate::placing::desk::Desk;
use crate::placing::error::{Error, refused};
use crate::placing::import::stored;
use crate::placing::program::run;

/// A session that was removed from its agent's store, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The name of the agent's format.
    pub agent: String,
    /// The id of the session in its agent.
    pub id: String,
    /// The files that were removed; none if the agent's own command removed the session.
    pub files: Vec<PathBuf>,
    /// Whether it was not there any more.
    pub was_gone: bool,
}

/// The words of the command that removes a session with this id. An id may begin as an option.
#[must_use]
pub fn undo_words(id: &str) -> Vec<String> {
    let words: &[&str] = match id.starts_with('-') {
        true => &["verbatim", "resume", "--undo", "--", id],
        false => &["verbatim", "resume", id, "--undo"],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

impl Desk<'_> {
    /// Removes a session that was placed, unless its agent has continued it. `query` is the
    /// beginning of its id there, or that of the session that it was made from, or a file of one of
    /// them. With `planned`, nothing is removed.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is no such session, or its agent has continued it.
    pub fn undo(&mut self, query: &str, to: Option<&str>, planned: bool) -> Result<Removal, Error> {
        // Before what was begun is ended: that may be the removal of this session.
        let before = self.noted()?.placed;
        let placements = if planned { None } else { Some(self.open()?) };
        let mut entry = self.picked(query, to, before)?;
        if let Some(placements) = &placements {
            match placements.content().placed.iter().find(|now| is_same(now, &entry)) {
                Some(now) => entry = now.clone(),
                None => return Ok(settled(&entry, placements)),
            }
        }
        let was_there = |state: FileState| state != FileState::Missing;
        let there = entry.files.iter().filter(|file| was_there(state_of(file)));
        let mut removal = Removal {
            agent: entry.agent.clone(),
            id: entry.id.clone(),
            files: there.map(|file| file.path.clone()).collect(),
            was_gone: false,
        };
        if entry.files.is_empty() {
            drop(placements);
            removal.was_gone = !self.remove_imported(&entry, planned)?;
            return Ok(removal);
        }
        removal.was_gone = removal.files.is_empty();
        match placements {
            Some(placements) => placements.remove(&entry)?,
            None => {
                if let State::Changed(path) = state(&entry) {
                    return Err(store::Error::Continued { path }.into());
                }
            }
        }
        Ok(removal)
    }

    /// The entry of a session that was placed.
    fn picked(&self, query: &str, to: Option<&str>, entries: Vec<Placed>) -> Result<Placed, Error> {
        let to = to
            .map(|to| crate::resume::agent::agent(self.catalog, to))
            .transpose()?
            .map(|format| format.name());
        let of_it = |entry: &Placed| to.is_none_or(|to| entry.agent == to);
        let names = |entry: &Placed| {
            let source = entry.source.split_once(':').map_or("", |(_, id)| id).to_owned();
            let uid = format!("{}:{}", entry.agent, entry.id);
            [entry.id.clone(), source, entry.source.clone(), uid]
        };
        // The name of an agent alone is the beginning of no session.
        let begins =
            |name: &String| name.starts_with(query) && (query.contains(':') || !name.contains(':'));
        let entries: Vec<Placed> = entries.into_iter().filter(of_it).collect();
        let found = |is_it: &dyn Fn(&Placed) -> bool| -> Vec<Placed> {
            entries.iter().filter(|entry| is_it(entry)).cloned().collect()
        };
        let mut all = found(&|entry| names(entry).iter().any(|name| name == query));
        if all.is_empty() {
            all = found(&|entry| names(entry).iter().any(begins));
        }
        if all.is_empty() && Path::new(query).exists() {
            let file = Path::new(query).canonicalize().unwrap_or_default();
            let uids = uids(Path::new(query), self.catalog);
            all = found(&|entry| {
                uids.contains(&entry.source)
                    || entry
                        .files
                        .iter()
                        .any(|placed| placed.path.canonicalize().is_ok_and(|placed| placed == file))
            });
        }
        match &all[..] {
            [one] => Ok(one.clone()),
            [] => refused(
                format!("no session that was placed has an id that begins with `{query}`"),
                "only what `verbatim resume` placed is removed; if it was placed with `--home`, \
                 name that folder again",
            ),
            several => {
                let ids: Vec<String> =
                    several.iter().map(|entry| format!("{}:{}", entry.agent, entry.id)).collect();
                Err(Error::Unclear {
                    what: format!("`{query}` names {} sessions: {}", ids.len(), ids.join(", ")),
                    hint: "name one by its id, or its agent by `--to`".into(),
                })
            }
        }
    }

    /// Removes a session that the agent's own import took in, by the agent's own command; false if
    /// it was not there any more.
    fn remove_imported(&mut self, entry: &Placed, planned: bool) -> Result<bool, Error> {
        let catalog = self.catalog;
        let there = stored(&entry.agent, &entry.id, catalog)?;
        if let Some(stored) = &there {
            let content = crate::resume::conversation(stored.session());
            let is_whole = entry.content.as_ref() == Some(&content);
            if entry.step == Step::Placed && !is_whole {
                return refused(
                    format!("{} has continued {}", entry.agent, entry.id),
                    "nothing was removed; remove it in the agent itself",
                );
            }
            if !is_whole {
                return refused(
                    format!(
                        "the import of {} was killed, or {} has continued it since",
                        entry.id, entry.agent
                    ),
                    "nothing was removed; run `verbatim resume` again, which completes it, or \
                     remove it in the agent itself",
                );
            }
        }
        if planned {
            return Ok(there.is_some());
        }
        if there.is_some() {
            let rules = catalog.format(&entry.agent)?.data().resume.map(|rules| &rules.entry);
            let Some(StoreAccess::Import(commands)) = rules else { return Ok(false) };
            let folder = Some(Path::new(&entry.folder)).filter(|folder| folder.is_dir());
            run(&(commands.remove)(&entry.id), folder.unwrap_or(Path::new(".")))?;
            if stored(&entry.agent, &entry.id, catalog)?.is_some() {
                return Err(Error::Faulty {
                    what: format!("{} still has {} after its own removal", entry.agent, entry.id),
                    hint: "remove it in the agent itself".into(),
                });
            }
        }
        let placements = self.open()?;
        if placements.content().placed.iter().any(|noted| is_same(noted, entry)) {
            placements.forget(entry)?;
        }
        Ok(there.is_some())
    }
}

fn is_same(one: &Placed, other: &Placed) -> bool {
    (&one.agent, &one.id) == (&other.agent, &other.id)
}

/// The removal of a session that a killed run had begun, and that this one has ended.
fn settled(entry: &Placed, placements: &Placements) -> Removal {
    let is_it = |one: &&Settled| (&one.agent, &one.id) == (&entry.agent, &entry.id);
    let removed = placements.settled().iter().find(is_it).map(|one| &one.result);
    Removal {
        agent: entry.agent.clone(),
        id: entry.id.clone(),
        files: Vec::new(),
        was_gone: removed != Some(&Settlement::Removed),
    }
}

/// The uids of the session in a file, and of the session that it was restored from.
fn uids(file: &Path, catalog: &Catalog<'_>) -> Vec<String> {
    let Ok(opened) = catalog.open(file, &[]) else { return Vec::new() };
    let session = opened.session();
    let native = crate::convert::native(catalog, session).ok().flatten();
    native.iter().chain([session]).map(session::Session::uid).collect()
}
