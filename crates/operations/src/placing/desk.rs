//! The placements of a user: the journal, and what it reports.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catalog::Catalog;
use session::{MadeFrom, UtcTime};
use store::placing::{AddedLine, Noted, Placed, Placements, Settled, Step, StrangeEntry};

use crate::placing::error::Error;
use crate::resume::ResumePlan;

/// The placements of a user, and the catalog that plans them and reads them back.
#[derive(Debug)]
pub struct Desk<'c> {
    pub(crate) catalog: &'c Catalog<'c>,
    /// The folder of the journal.
    pub(crate) journal: PathBuf,
    /// An agent's folder that the user named.
    pub(crate) home: Option<PathBuf>,
    notes: Vec<PlacingNote>,
}

/// Something that the user should know, beside the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlacingNote {
    /// A file of the journal that is not obeyed.
    Strange(StrangeEntry),
    /// A placement or removal that was ended, because a killed process had begun it.
    Settled(Settled),
    /// A file into which its agent wrote after it was removed: it is kept here.
    Kept(PathBuf),
    /// A file that was removed and that a program still has open: it is kept here until then.
    Held(PathBuf),
    /// A session of the agent itself that it did not take in as it is stored.
    Declined {
        /// The agent.
        agent: &'static str,
        /// Its reason.
        why: String,
    },
}

/// The state of a session in its agent's store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacementState {
    /// Its agent wrote it there itself.
    There,
    /// It would be placed.
    Planned,
    /// It was placed.
    Placed,
    /// It had been placed before.
    Before,
    /// It had been placed before, and its agent has continued it.
    Continued,
}

impl PlacementState {
    /// The state in a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::There => "there",
            Self::Planned => "planned",
            Self::Placed => "placed",
            Self::Before => "placed-before",
            Self::Continued => "continued",
        }
    }
}

/// A session that was placed into an agent's store: all of it up to that time is a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedCopy {
    /// The name of its agent's format.
    pub agent: String,
    /// Its id.
    pub id: String,
    /// The uid of the session that it was made from.
    pub source: String,
    /// The time for which it was written.
    pub at: UtcTime,
}

impl<'c> Desk<'c> {
    /// The placements of this user. `home` is an agent's folder that the user named.
    ///
    /// # Errors
    /// [`Error::Refused`] if the user has no folder for what verbatim has to remember.
    pub fn new(catalog: &'c Catalog<'c>, home: Option<&Path>) -> Result<Self, Error> {
        let state = state_folder(catalog)?;
        let home = home.map(catalog::absolute);
        Ok(Self { catalog, journal: state.join("placements"), home, notes: Vec::new() })
    }

    /// Takes what the user should know, beside the results.
    pub fn notes(&mut self) -> Vec<PlacingNote> {
        std::mem::take(&mut self.notes)
    }

    /// The folders of an agent: a placement elsewhere is not believed.
    fn folders(&self, agent: &str) -> Vec<PathBuf> {
        let mut folders = crate::resume::agent::agent_folders(self.catalog, agent);
        if !folders.is_empty() {
            folders.extend(self.home_of(agent));
        }
        folders
    }

    /// The home of this agent that the user named.
    pub(crate) fn home_of(&self, agent: &str) -> Option<PathBuf> {
        let format = self.catalog.format(agent).ok()?;
        Some(crate::resume::agent::named_home(format, self.home.as_deref()?))
    }

    /// The placements that the journal notes. Nothing is written.
    pub(crate) fn noted(&mut self) -> Result<Noted, Error> {
        let noted = Placements::noted(&self.journal, &|agent| self.folders(agent))?;
        self.tell(noted.strange.iter().cloned().map(PlacingNote::Strange));
        Ok(noted)
    }

    /// The entries of the journal by now. Its strange lines were reported before.
    pub(crate) fn noted_again(&self) -> Result<Vec<Placed>, Error> {
        Ok(Placements::noted(&self.journal, &|agent| self.folders(agent))?.placed)
    }

    /// Opens the placements, after what a killed process had begun is ended. They are locked for
    /// other processes until they are dropped.
    pub(crate) fn open(&mut self) -> Result<Placements, Error> {
        let placements = Placements::open(&self.journal, &|agent| self.folders(agent))?;
        self.tell(placements.content().strange.iter().cloned().map(PlacingNote::Strange));
        self.tell(placements.settled().iter().cloned().map(PlacingNote::Settled));
        self.tell(placements.kept().into_iter().map(PlacingNote::Kept));
        Ok(placements)
    }

    /// Tells which files that were removed are kept because a program has them open.
    pub(crate) fn tell_held(&mut self, placements: &Placements) {
        self.tell(placements.held().into_iter().map(PlacingNote::Held));
    }

    pub(crate) fn tell_declined(&mut self, agent: &'static str, why: &Error) {
        self.tell(std::iter::once(PlacingNote::Declined { agent, why: why.to_string() }));
    }

    fn tell(&mut self, notes: impl Iterator<Item = PlacingNote>) {
        for note in notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// The source of a session that was placed into its agent's store: of each, its agent, its id
    /// there, and the uid of the session that it was made from.
    ///
    /// # Errors
    /// [`Error::Store`] if the journal can't be read.
    pub fn origins(&mut self) -> Result<Vec<[String; 3]>, Error> {
        let placed = self.noted()?.placed.into_iter();
        let placed = placed.filter(|entry| entry.step != Step::Replaced);
        Ok(placed.map(|entry| [entry.agent, entry.id, entry.source]).collect())
    }

    /// The sessions that were placed into an agent's store, with the times for which they were
    /// written.
    ///
    /// # Errors
    /// [`Error::Store`] if the journal can't be read.
    pub fn copies(&mut self) -> Result<Vec<PlacedCopy>, Error> {
        let copy = |entry: Placed| {
            let at = UtcTime(entry.at?);
            Some(PlacedCopy { agent: entry.agent, id: entry.id, source: entry.source, at })
        };
        Ok(self.noted()?.placed.into_iter().filter_map(copy).collect())
    }

    /// The folders in which placed sessions are continued, by the file that lists each.
    ///
    /// # Errors
    /// [`Error::Store`] if the journal can't be read.
    pub fn placed_folders(&mut self) -> Result<BTreeMap<PathBuf, String>, Error> {
        let placed = self.noted()?.placed.into_iter();
        let placed = placed.filter(|entry| entry.step == Step::Placed);
        let with_file = |mut entry: Placed| Some((entry.files.pop()?.path, entry.folder));
        Ok(placed.filter_map(with_file).collect())
    }

    /// The conversion that made a session that was placed into its agent's store.
    ///
    /// # Errors
    /// [`Error::Store`] if the journal can't be read.
    pub fn made_from(&mut self, agent: &str, id: &str) -> Result<Option<MadeFrom>, Error> {
        let mut placed = self.noted()?.placed.into_iter();
        let is_it =
            |entry: &Placed| entry.step != Step::Replaced && entry.agent == agent && entry.id == id;
        let entry = placed.find(is_it);
        Ok(entry.and_then(|entry| {
            let id = entry.source.split_once(':').map(|(_, id)| id.to_owned())?;
            Some(MadeFrom { format: entry.from, id, books: entry.books?, by: entry.version })
        }))
    }
}

/// The folder for what verbatim has to remember.
pub(crate) fn state_folder(catalog: &Catalog<'_>) -> Result<PathBuf, Error> {
    catalog.machine.state().map(|state| catalog::absolute(&state)).ok_or_else(|| Error::Refused {
        what: "this user has no home folder for what verbatim has to remember".into(),
        hint: "set XDG_STATE_HOME to a folder".into(),
    })
}

/// The journal's entry of a planned session.
pub(crate) fn find<'e>(plan: &ResumePlan, entries: &'e [Placed]) -> Option<&'e Placed> {
    let mut now = entries.iter().filter(|entry| entry.step != Step::Replaced);
    now.find(|entry| {
        let here = plan.home.as_deref().is_none_or(|home| entry.is_in(home));
        here && entry.agent == plan.agent && entry.id == plan.id
    })
}

/// The journal's entry of a session that is to be placed.
pub(crate) fn entry_of(plan: &ResumePlan) -> Placed {
    let mut entry = Placed::new(plan.agent, &plan.id, &plan.source, &plan.folder);
    entry.from = plan.from.to_owned();
    entry.state = Some(plan.state.clone());
    entry.turns = Some(plan.turns);
    entry.copy.clone_from(&plan.copy);
    entry.home.clone_from(&plan.home);
    entry.line = plan.line.clone().map(|(path, text)| AddedLine { path, text });
    entry.version = env!("CARGO_PKG_VERSION").to_owned();
    entry.at = plan.at.map(|at| at.0);
    entry.books = plan.books.as_ref().and_then(|(_, digest)| digest.clone());
    entry
}
