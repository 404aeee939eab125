//! Removal of a session that was placed.

use std::path::{Path, PathBuf};

use catalog::Catalog;
use formats::resume::StoreAccess;
use session::Sorting as _;
use store::placing::{
    FileState, Noted, Placed, Placements, Settled, Settlement, State, Step, state, state_of,
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
    /// Whether the state that was placed before has its place again.
    pub earlier_is_back: bool,
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

/// The user's choice of what is removed.
#[derive(Clone, Copy, Debug)]
pub struct UndoChoice<'u> {
    /// The beginning of the session's id in the agent, or that of the session that it was made
    /// from, or a file of one of them.
    pub query: &'u str,
    /// The agent.
    pub to: Option<&'u str>,
    /// The folder for which it was placed.
    pub folder: Option<&'u Path>,
    /// Whether nothing is removed yet.
    pub planned: bool,
}

impl Desk<'_> {
    /// Removes a session that was placed, unless its agent has continued it. The state that it
    /// is in place of, if there is one, has its place again.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is no such session, or its agent has continued it.
    pub fn undo(&mut self, choice: UndoChoice<'_>) -> Result<Removal, Error> {
        let planned = choice.planned;
        // Before what was begun is ended: that may be the removal of this session.
        let before = self.noted()?;
        let placements = if planned { None } else { Some(self.open()?) };
        let mut entry = self.picked(choice, before)?;
        if let Some(placements) = &placements {
            match placements.content().placed.iter().find(|now| now.is_same(&entry)) {
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
            earlier_is_back: entry.replaces.is_some(),
        };
        if entry.files.is_empty() {
            drop(placements);
            removal.was_gone = !self.remove_imported(&entry, planned)?;
            return Ok(removal);
        }
        removal.was_gone = removal.files.is_empty();
        match placements {
            Some(placements) => {
                let removed = placements.remove(&entry);
                self.tell_held(&placements);
                removed?;
            }
            None => {
                if let State::Changed(path) = state(&entry) {
                    return Err(store::Error::Continued { path }.into());
                }
            }
        }
        Ok(removal)
    }

    /// The entry of a session that was placed.
    fn picked(&self, choice: UndoChoice<'_>, noted: Noted) -> Result<Placed, Error> {
        let query = choice.query;
        let to = choice.to.map(|to| crate::resume::agent::agent(self.catalog, to)).transpose()?;
        let folder = choice
            .folder
            .map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf()));
        let is_meant = |entry: &Placed| {
            entry.step != Step::Replaced
                && to.is_none_or(|to| entry.agent == to.name())
                && folder.as_ref().is_none_or(|folder| Path::new(&entry.folder) == folder)
                && self.home_of(&entry.agent).is_none_or(|home| entry.is_in(&home))
        };
        let entries: Vec<Placed> = noted.placed.into_iter().filter(is_meant).collect();
        let uids = match Path::new(query).exists() {
            true => uids(Path::new(query), self.catalog),
            false => Vec::new(),
        };
        let mut all = latest(matching(query, &uids, entries));
        match (all.pop(), &all[..]) {
            (Some(one), []) => Ok(one),
            (None, _) => {
                let homes = matching(query, &uids, noted.elsewhere);
                let hint = match homes.iter().find_map(|entry| entry.home.as_ref()) {
                    Some(home) => {
                        format!("it was placed into another home: add `--home {}`", home.display())
                    }
                    None => "only what `verbatim resume` placed is removed; if it was placed with \
                             `--home`, name that folder again"
                        .into(),
                };
                let what = "no session that was placed has an id that begins with";
                Err(Error::Refused { what: format!("{what} `{query}`"), hint })
            }
            (Some(one), others) => {
                let several = others.iter().chain([&one]);
                let ids: Vec<String> = several
                    .map(|entry| format!("{}:{} for {}", entry.agent, entry.id, entry.folder))
                    .collect();
                Err(Error::Unclear {
                    what: format!("`{query}` names {} sessions: {}", ids.len(), ids.join(", ")),
                    hint: "name one by its id, its agent by `--to`, or its folder by `--folder`"
                        .into(),
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
            let folder = folder.unwrap_or(Path::new("."));
            run(&(commands.remove)(&entry.id), folder, &catalog.machine)?;
            if stored(&entry.agent, &entry.id, catalog)?.is_some() {
                return Err(Error::Faulty {
                    what: format!("{} still has {} after its own removal", entry.agent, entry.id),
                    hint: "remove it in the agent itself".into(),
                });
            }
        }
        let placements = self.open()?;
        if placements.content().placed.iter().any(|noted| noted.is_same(entry)) {
            placements.forget(entry)?;
        }
        Ok(there.is_some())
    }
}

/// The entries that a query names: by an id, by the beginning of one, or by a file.
fn matching(query: &str, uids: &[String], entries: Vec<Placed>) -> Vec<Placed> {
    let names = |entry: &Placed| {
        let source = entry.source.split_once(':').map_or("", |(_, id)| id).to_owned();
        let uid = format!("{}:{}", entry.agent, entry.id);
        [entry.id.clone(), source, entry.source.clone(), uid]
    };
    // The name of an agent alone is the beginning of no session.
    let begins =
        |name: &String| name.starts_with(query) && (query.contains(':') || !name.contains(':'));
    let file = Path::new(query).canonicalize().ok();
    let holds = |entry: &Placed| {
        let mut files = entry.files.iter().filter_map(|placed| placed.path.canonicalize().ok());
        uids.contains(&entry.source) || file.is_some() && files.any(|placed| Some(placed) == file)
    };
    let ways: [&dyn Fn(&Placed) -> bool; 4] = [
        // A session of the agent may have the id of another one's source.
        &|entry| entry.id == query || format!("{}:{}", entry.agent, entry.id) == query,
        &|entry| names(entry).iter().any(|name| name == query),
        &|entry| names(entry).iter().any(begins),
        &holds,
    ];
    let found = ways.iter().map(|is_it| entries.iter().filter(|entry| is_it(entry)));
    let found = found.map(|found| found.cloned().collect::<Vec<Placed>>());
    found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// Of the states of one session that were placed for one folder, the latest one that its agent has
/// not continued, or else the latest one.
fn latest(mut found: Vec<Placed>) -> Vec<Placed> {
    let is_continued = |entry: &Placed| matches!(state(entry), State::Changed(_));
    found.in_order_by_key(|entry| std::cmp::Reverse((!is_continued(entry), entry.at)));
    let mut latest: Vec<Placed> = Vec::new();
    for entry in found {
        let is_of_it = |known: &Placed| {
            (&known.agent, &known.source, &known.folder)
                == (&entry.agent, &entry.source, &entry.folder)
                // Earlier versions did not note the home.
                && (known.home.is_none() || entry.home.is_none() || known.home == entry.home)
        };
        if !latest.iter().any(is_of_it) {
            latest.push(entry);
        }
    }
    latest
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
        earlier_is_back: entry.replaces.is_some(),
    }
}

/// The uids of the session in a file, and of the session that it was restored from.
fn uids(file: &Path, catalog: &Catalog<'_>) -> Vec<String> {
    let Ok(opened) = catalog.open(file, &[]) else { return Vec::new() };
    let session = opened.session();
    let native = crate::convert::native(catalog, session).ok().flatten();
    native.iter().chain([session]).map(session::Session::uid).collect()
}
