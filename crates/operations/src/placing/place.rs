//! Placing: a session is planned, written into the agent's store, read back, and removed again if
//! anything differs. `store/placing.rs` is the transaction, with its journal.

use std::path::{Path, PathBuf};
use std::time::Duration;

use catalog::Opened;
use store::placing::{Placed, Settlement, State, Step, state, unfinished};

use crate::placing::desk::{Desk, PlacementState, entry_of};
use crate::placing::error::{Error, refused};
use crate::placing::import::{self, Imported};
use crate::placing::undo::undo_words;
use crate::placing::version::{Version, Versioned, versioned};
use crate::resume::{PlacementPlan, ResumeChoice, ResumePlan};

/// The number of plans that are made while another process changes the journal.
const LOOKS: usize = 40;
/// The number of plans beside an entry that is not finished, while the journal does not change.
const RESTS: usize = 3;
/// The pause between two of these plans.
const PAUSE: Duration = Duration::from_millis(50);

/// A session in its agent's store, or one that would be there.
#[derive(Debug)]
pub struct Placement {
    /// The plan.
    pub plan: ResumePlan,
    /// The state.
    pub state: PlacementState,
    /// The earlier state of it that was placed before.
    pub earlier: Option<Earlier>,
}

/// An earlier state of a session, as it was placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// Its id in the agent.
    pub id: String,
    /// The number of turns that the session has now and had not then; negative if it has fewer.
    /// `None` if the number of then is not known.
    pub newer: Option<i64>,
    /// Whether the newer state takes its place. Otherwise its agent has continued it, and it stays.
    pub is_replaced: bool,
}

impl Earlier {
    fn of(plan: &ResumePlan, version: &Version) -> Option<Self> {
        let (entry, is_replaced) = match version {
            Version::InPlaceOf(entry) => (entry, true),
            Version::Beside(entry) => (entry, false),
            Version::First | Version::Known(_) | Version::Elsewhere => return None,
        };
        let newer = entry.turns.map(|turns| plan.turns as i64 - turns as i64);
        Some(Self { id: entry.id.clone(), newer, is_replaced })
    }
}

impl Desk<'_> {
    /// Plans to continue a session, and says in which state it would be. Nothing is written.
    ///
    /// # Errors
    /// Those of [`crate::plan_resume`], and [`Error::Store`] if it could not be
    /// placed.
    pub fn plan(&mut self, opened: &Opened, choice: ResumeChoice<'_>) -> Result<Placement, Error> {
        let mut entries = self.noted()?.placed;
        let mut rests = 0;
        for _ in 0..LOOKS {
            let planned = self.plan_beside(opened, choice, &entries);
            if planned.is_ok() {
                return planned;
            }
            // Another process may place or remove it at this moment. Nothing is written here, so
            // nothing is locked: the plan is made again until the journal rests. What a killed run
            // has left does not change, so that few plans are made beside it.
            let before = std::mem::replace(&mut entries, self.noted_again()?);
            let is_ending = |entry: &Placed| unfinished(entry, &self.journal).is_some();
            rests = if before == entries { rests + 1 } else { 0 };
            if rests > RESTS || rests > 0 && !entries.iter().any(is_ending) {
                return planned;
            }
            std::thread::sleep(PAUSE);
        }
        self.plan_beside(opened, choice, &entries)
    }

    /// Plans to continue a session beside those that the journal notes.
    fn plan_beside(
        &self,
        opened: &Opened,
        choice: ResumeChoice<'_>,
        entries: &[Placed],
    ) -> Result<Placement, Error> {
        // What a killed run has left is gone before a session is placed.
        let lasting =
            |entry: &&Placed| unfinished(entry, &self.journal) != Some(Settlement::Removed);
        let lasting: Vec<Placed> = entries.iter().filter(lasting).cloned().collect();
        let Versioned { plan, version } = versioned(self.catalog, opened, choice, &lasting)?;
        let earlier = Earlier::of(&plan, &version);
        if let PlacementPlan::AlreadyInStore = plan.way {
            return Ok(Placement { plan, state: PlacementState::There, earlier });
        }
        if let Version::Known(entry) = &version {
            let known = match plan.way {
                PlacementPlan::Import { .. } => import::before(self.catalog, &plan, entry)?,
                _ => before(&plan, entry)?,
            };
            if let Some(state) = known {
                return Ok(Placement { plan, state, earlier });
            }
        }
        let own = |path: &Path| {
            let removed = |entry: &&Placed| {
                matches!(&version, Version::InPlaceOf(it) | Version::Known(it) if it.is_same(entry))
                    || state(entry) == State::Missing
                    || unfinished(entry, &self.journal) == Some(Settlement::Removed)
            };
            let mut files = entries.iter().filter(removed).flat_map(|entry| &entry.files);
            files.any(|file| file.path == path)
        };
        if let PlacementPlan::Files(files) = &plan.way {
            let is_there = |path: &Path| path.symlink_metadata().is_ok();
            if let Some((path, _)) = files.iter().find(|(path, _)| is_there(path) && !own(path)) {
                return Err(taken(&plan, path, entries));
            }
        }
        Ok(Placement { plan, state: PlacementState::Planned, earlier })
    }

    /// Places a session into its agent's store, unless it is there already.
    ///
    /// # Errors
    /// Those of [`crate::plan_resume`]; [`Error::Store`] or [`Error::Refused`] if it
    /// can't be placed; [`catalog::Error::Cancelled`]. Then nothing was placed.
    pub fn place(&mut self, opened: &Opened, choice: ResumeChoice<'_>) -> Result<Placement, Error> {
        let entries = self.noted()?.placed;
        let planned = versioned(self.catalog, opened, choice, &entries)?;
        match &planned.plan.way {
            PlacementPlan::AlreadyInStore => {
                let state = PlacementState::There;
                Ok(Placement { plan: planned.plan, state, earlier: None })
            }
            PlacementPlan::Import { .. } => self.import(planned, opened, choice, &entries),
            PlacementPlan::Files(_) => self.place_files(opened, choice),
        }
    }

    /// Lets the agent import a session. Its own one, if it does not take that in as it is stored (a
    /// version before it wrote it), is written anew.
    fn import(
        &mut self,
        planned: Versioned,
        opened: &Opened,
        choice: ResumeChoice<'_>,
        entries: &[Placed],
    ) -> Result<Placement, Error> {
        self.catalog.machine.job.check()?;
        let Versioned { mut plan, version } = planned;
        let mut imported = import::place(self, &plan)?;
        if let Imported::Declined(why) = &imported
            && plan.from == plan.agent
            && !plan.anew
        {
            self.tell_declined(plan.agent, why);
            let choice = ResumeChoice { anew: true, ..choice };
            plan = versioned(self.catalog, opened, choice, entries)?.plan;
            imported = import::place(self, &plan)?;
        }
        let earlier = Earlier::of(&plan, &version);
        match imported {
            Imported::There(state) => Ok(Placement { plan, state, earlier }),
            Imported::Declined(why) => Err(why),
        }
    }

    fn place_files(
        &mut self,
        opened: &Opened,
        choice: ResumeChoice<'_>,
    ) -> Result<Placement, Error> {
        // Another process may have placed it meanwhile: what counts is planned under the lock.
        let placements = self.open()?;
        let entries = &placements.content().placed;
        let Versioned { plan, version } = versioned(self.catalog, opened, choice, entries)?;
        let earlier = Earlier::of(&plan, &version);
        if let Version::Known(entry) = &version
            && let Some(state) = before(&plan, entry)?
        {
            if entry.step != Step::Placed {
                // A removal that failed is not ended by a later run: it is continued now.
                let mut now = entry.clone();
                now.step = Step::Placed;
                placements.note(&now)?;
            }
            return Ok(Placement { plan, state, earlier });
        }
        let PlacementPlan::Files(files) = &plan.way else {
            return Ok(Placement { plan, state: PlacementState::There, earlier });
        };
        let replaced = match &version {
            Version::InPlaceOf(entry) => Some(entry),
            _ => None,
        };
        let has = |path: &Path| files.iter().any(|(other, _)| other == path);
        let replaced =
            replaced.filter(|entry| entry.files.last().is_some_and(|last| has(&last.path)));
        // What its agent or its user has removed is placed again.
        let is_gone = |entry: &&Placed| {
            state(entry) == State::Missing
                && entry.agent == plan.agent
                && entry.files.last().is_some_and(|last| has(&last.path))
        };
        entries.iter().filter(is_gone).try_for_each(|entry| placements.remove(entry))?;
        let files: Vec<(PathBuf, &[u8])> =
            files.iter().map(|(path, content)| (path.clone(), &**content)).collect();
        // From here on a cancelled job goes on: what is begun is placed whole.
        self.catalog.machine.job.check()?;
        let begun = placements.begin_in_place_of(entry_of(&plan), &files, replaced);
        let begun = begun.map_err(|error| match error {
            store::Error::Exists { path } => taken(&plan, &path, entries),
            error => error.into(),
        })?;
        placements.end(begun, crate::resume::read_back(self.catalog, &plan))?;
        Ok(Placement { plan, state: PlacementState::Placed, earlier })
    }
}

/// The refusal to place a session where a file is: the agent's, or that of another placement.
fn taken(plan: &ResumePlan, path: &Path, entries: &[Placed]) -> Error {
    let holds = |entry: &&Placed| {
        entry.step != Step::Replaced && entry.files.iter().any(|file| file.path == path)
    };
    let Some(entry) = entries.iter().find(holds) else {
        return store::Error::Exists { path: path.to_path_buf() }.into();
    };
    let undo = undo_words(&entry.id).join(" ");
    let (what, hint) = match (entry.source == plan.source, state(entry)) {
        (false, _) => (
            format!("{} has {} from {}", plan.agent, entry.id, entry.source),
            format!("remove it first: `{undo}`"),
        ),
        (true, State::Changed(_)) => (
            format!(
                "{} has one conversation in {}: {}, which was continued there",
                plan.agent, entry.folder, entry.id
            ),
            "continue it in another folder: `--folder`; nothing was changed".into(),
        ),
        (true, _) => (
            format!("{} was placed as {} for {}", plan.source, entry.id, entry.folder),
            format!("remove it first: `{undo}`"),
        ),
    };
    Error::Refused { what, hint }
}

/// The state of a session that was placed as files before; `None` if it is not there any more.
fn before(plan: &ResumePlan, entry: &Placed) -> Result<Option<PlacementState>, Error> {
    Ok(match state(entry) {
        State::Missing => None,
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
        State::Changed(_) => Some(PlacementState::Continued),
        State::Unchanged => Some(PlacementState::Before),
    })
}
