//! The placements of a user: a session is planned, placed and read back.

use std::path::{Path, PathBuf};

use catalog::{Catalog, Opened, ResumeChoice, ResumePlan, Way};
use session::{MadeFrom, UtcTime};
use store::placing::{Noted, state, unfinished};
use store::placing::{Placed, Placements, Settled, Settlement, State, StrangeEntry};

use crate::error::{Error, refused};
use crate::import;

/// The placements of a user, and the catalog that plans them and reads them back.
#[derive(Debug)]
pub struct Desk<'c> {
    pub(crate) catalog: &'c Catalog<'c>,
    /// The folder of the journal.
    pub(crate) journal: PathBuf,
    /// An agent's folder that the user named.
    home: Option<PathBuf>,
    notes: Vec<Note>,
}

/// Something that the user should know, beside the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A file of the journal that is not obeyed.
    Strange(StrangeEntry),
    /// A placement or removal that was ended, because a killed process had begun it.
    Settled(Settled),
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

/// A session in its agent's store, or one that would be there.
#[derive(Debug)]
pub struct Placement {
    /// The plan.
    pub plan: ResumePlan,
    /// The state.
    pub state: PlacementState,
}

impl<'c> Desk<'c> {
    /// The placements of this user. `home` is an agent's folder that the user named.
    ///
    /// # Errors
    /// [`Error::Refused`] if the user has no folder for what verbatim has to remember.
    pub fn new(catalog: &'c Catalog<'c>, home: Option<&Path>) -> Result<Self, Error> {
        let Some(state) = catalog.machine.state() else {
            let what = "this user has no home folder for what verbatim has to remember".to_owned();
            return refused(what, "set XDG_STATE_HOME to a folder");
        };
        let home = home.and_then(|home| std::path::absolute(home).ok());
        Ok(Self { catalog, journal: state.join("placements"), home, notes: Vec::new() })
    }

    /// Takes what the user should know, beside the results.
    pub fn notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// The folders of an agent: a placement elsewhere is not believed.
    fn folders(&self, agent: &str) -> Vec<PathBuf> {
        let mut folders = self.catalog.agent_folders(agent);
        if !folders.is_empty() {
            folders.extend(self.home.clone());
        }
        folders
    }

    /// The placements that the journal notes. Nothing is written.
    pub(crate) fn noted(&mut self) -> Result<Noted, Error> {
        let noted = Placements::noted(&self.journal, &|agent| self.folders(agent))?;
        self.tell(noted.strange.iter().cloned().map(Note::Strange));
        Ok(noted)
    }

    /// Opens the placements, after what a killed process had begun is ended. They are locked for
    /// other processes until they are dropped.
    pub(crate) fn open(&mut self) -> Result<Placements, Error> {
        let placements = Placements::open(&self.journal, &|agent| self.folders(agent))?;
        self.tell(placements.content().strange.iter().cloned().map(Note::Strange));
        self.tell(placements.settled().iter().cloned().map(Note::Settled));
        Ok(placements)
    }

    fn tell(&mut self, notes: impl Iterator<Item = Note>) {
        for note in notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Plans to continue a session, and says in which state it would be. Nothing is written.
    ///
    /// # Errors
    /// Those of [`Catalog::plan_resume`], and [`Error::Store`] if it could not be placed.
    pub fn plan(&mut self, opened: &Opened, choice: ResumeChoice<'_>) -> Result<Placement, Error> {
        let entries = self.noted()?.placed;
        let plan = self.planned(opened, choice, &entries)?;
        if let Way::There = plan.way {
            return Ok(Placement { plan, state: PlacementState::There });
        }
        let entry = find(&plan, &entries);
        let ended = |entry: &&Placed| unfinished(entry) != Some(Settlement::Removed);
        let known = entry.filter(ended).map(|entry| match plan.way {
            Way::Import { .. } => Ok(import::before(self.catalog, &plan, entry)),
            _ => before(&plan, entry),
        });
        let state = match known.transpose()?.flatten() {
            Some(state) => state,
            None => {
                let own = |path: &Path| {
                    entry.is_some_and(|entry| entry.files.iter().any(|file| file.path == path))
                };
                if let Way::Files(files) = &plan.way
                    && let Some((path, _)) =
                        files.iter().find(|(path, _)| path.symlink_metadata().is_ok() && !own(path))
                {
                    return Err(store::Error::Exists { path: path.clone() }.into());
                }
                PlacementState::Planned
            }
        };
        Ok(Placement { plan, state })
    }

    /// Places a session into its agent's store, unless it is there already.
    ///
    /// # Errors
    /// Those of [`Catalog::plan_resume`]; [`Error::Store`] or [`Error::Refused`] if it can't be
    /// placed. Then nothing was placed.
    pub fn place(&mut self, opened: &Opened, choice: ResumeChoice<'_>) -> Result<Placement, Error> {
        let entries = self.noted()?.placed;
        let plan = self.planned(opened, choice, &entries)?;
        match &plan.way {
            Way::There => Ok(Placement { plan, state: PlacementState::There }),
            Way::Import { .. } => {
                let state = import::place(self, &plan)?;
                Ok(Placement { plan, state })
            }
            Way::Files(_) => self.place_files(plan, opened, choice),
        }
    }

    fn place_files(
        &mut self,
        mut plan: ResumePlan,
        opened: &Opened,
        choice: ResumeChoice<'_>,
    ) -> Result<Placement, Error> {
        let placements = self.open()?;
        let entries = &placements.content().placed;
        if let Some(entry) = find(&plan, entries) {
            // Another process may have placed it meanwhile.
            if entry.at != plan.at.map(|at| at.0) && state(entry) != State::Missing {
                plan = self.planned(opened, choice, entries)?;
            }
            if let Some(state) = before(&plan, entry)? {
                return Ok(Placement { plan, state });
            }
            placements.remove(entry)?;
        }
        let Way::Files(files) = &plan.way else {
            return Ok(Placement { plan, state: PlacementState::There });
        };
        let files: Vec<(PathBuf, &[u8])> =
            files.iter().map(|(path, content)| (path.clone(), &**content)).collect();
        let check = &mut || self.catalog.read_back(&plan);
        placements.place(entry_of(&plan), &files, check)?;
        Ok(Placement { plan, state: PlacementState::Placed })
    }

    /// The plan. A session that was placed before is written for the same time again.
    fn planned(
        &self,
        opened: &Opened,
        choice: ResumeChoice<'_>,
        entries: &[Placed],
    ) -> Result<ResumePlan, Error> {
        let plan = self.catalog.plan_resume(opened, choice)?;
        let entry = find(&plan, entries).filter(|entry| state(entry) != State::Missing);
        match entry.map(|entry| entry.at.map(UtcTime)) {
            Some(at) if at != plan.at => {
                Ok(self.catalog.plan_resume(opened, ResumeChoice { at, ..choice })?)
            }
            _ => Ok(plan),
        }
    }

    /// The source of a session that was placed into its agent's store: of each, its agent, its id
    /// there, and the uid of the session that it was made from.
    ///
    /// # Errors
    /// [`Error::Store`] if the journal can't be read.
    pub fn origins(&mut self) -> Result<Vec<[String; 3]>, Error> {
        let placed = self.noted()?.placed.into_iter();
        Ok(placed.map(|entry| [entry.agent, entry.id, entry.source]).collect())
    }

    /// The conversion that made a session that was placed into its agent's store.
    ///
    /// # Errors
    /// [`Error::Store`] if the journal can't be read.
    pub fn made_from(&mut self, agent: &str, id: &str) -> Result<Option<MadeFrom>, Error> {
        let mut placed = self.noted()?.placed.into_iter();
        let entry = placed.find(|entry| entry.agent == agent && entry.id == id);
        Ok(entry.and_then(|entry| {
            let id = entry.source.split_once(':').map(|(_, id)| id.to_owned())?;
            Some(MadeFrom { format: entry.from, id, books: entry.books?, by: entry.version })
        }))
    }
}

/// The journal's entry of a planned session.
pub(crate) fn find<'e>(plan: &ResumePlan, entries: &'e [Placed]) -> Option<&'e Placed> {
    entries.iter().find(|entry| entry.agent == plan.agent && entry.id == plan.id)
}

/// The journal's entry of a session that is to be placed.
pub(crate) fn entry_of(plan: &ResumePlan) -> Placed {
    let mut entry = Placed::new(plan.agent, &plan.id, &plan.source, &plan.folder);
    entry.from = plan.from.to_owned();
    entry.version = env!("CARGO_PKG_VERSION").to_owned();
    entry.at = plan.at.map(|at| at.0);
    entry.books = plan.books.as_ref().map(|(_, digest)| digest.clone());
    entry
}

/// The state of a session that was placed as files before; `None` if it is not there any more.
fn before(plan: &ResumePlan, entry: &Placed) -> Result<Option<PlacementState>, Error> {
    let Way::Files(files) = &plan.way else { return Ok(None) };
    match state(entry) {
        State::Missing => return Ok(None),
        State::Changed(path) if entry.files.last().is_none_or(|last| !last.path.exists()) => {
            return refused(
                format!(
                    "{} was removed in {}, and {} was left, which has changed",
                    plan.id,
                    plan.agent,
                    path.display()
                ),
                "remove that file, or restore the session; nothing was changed",
            );
        }
        State::Changed(_) => return Ok(Some(PlacementState::Continued)),
        State::Unchanged => {}
    }
    let same = files.len() == entry.files.len()
        && files.iter().all(|(path, bytes)| entry.files.iter().any(|f| f.is(path, bytes)));
    match same {
        true => Ok(Some(PlacementState::Before)),
        false => refused(
            format!("{} was placed as {} before, in another state or place", plan.source, plan.id),
            &format!("remove it first: `verbatim resume {} --undo`", plan.id),
        ),
    }
}
