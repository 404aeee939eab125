//! Placing: a session is planned, written into the agent's store, read back, and removed again if
//! anything differs. `store/placing.rs` is the transaction, with its journal.

use std::path::{Path, PathBuf};

use catalog::Opened;
use formats::Content;
use session::UtcTime;
use store::placing::{Placed, Settlement, State, Step, state, unfinished};

use crate::placing::desk::{Desk, PlacementState, entry_of, find};
use crate::placing::error::{Error, refused};
use crate::placing::import::{self, Imported};
use crate::placing::undo::undo_words;
use crate::resume::{PlacementPlan, ResumeChoice, ResumePlan};

/// A session in its agent's store, or one that would be there.
#[derive(Debug)]
pub struct Placement {
    /// The plan.
    pub plan: ResumePlan,
    /// The state.
    pub state: PlacementState,
}

impl Desk<'_> {
    /// Plans to continue a session, and says in which state it would be. Nothing is written.
    ///
    /// # Errors
    /// Those of [`crate::plan_resume`], and [`Error::Store`] if it could not be
    /// placed.
    pub fn plan(&mut self, opened: &Opened, choice: ResumeChoice<'_>) -> Result<Placement, Error> {
        let entries = self.noted()?.placed;
        match self.plan_beside(opened, choice, &entries) {
            // Another process may have placed it after the journal was read.
            Err(Error::Store(store::Error::Exists { .. })) => {
                let entries = self.noted()?.placed;
                self.plan_beside(opened, choice, &entries)
            }
            planned => planned,
        }
    }

    /// Plans to continue a session beside those that the journal notes.
    fn plan_beside(
        &self,
        opened: &Opened,
        choice: ResumeChoice<'_>,
        entries: &[Placed],
    ) -> Result<Placement, Error> {
        let plan = self.planned(opened, choice, entries)?;
        if let PlacementPlan::AlreadyInStore = plan.way {
            return Ok(Placement { plan, state: PlacementState::There });
        }
        let entry = find(&plan, entries);
        let ended = |entry: &&Placed| unfinished(entry) != Some(Settlement::Removed);
        let known = entry.filter(ended).map(|entry| match plan.way {
            PlacementPlan::Import { .. } => import::before(self.catalog, &plan, entry),
            _ => before(&plan, entry),
        });
        let state = match known.transpose()?.flatten() {
            Some(state) => state,
            None => {
                let own = |path: &Path| {
                    entry.is_some_and(|entry| entry.files.iter().any(|file| file.path == path))
                };
                if let PlacementPlan::Files(files) = &plan.way
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
    /// Those of [`crate::plan_resume`]; [`Error::Store`] or [`Error::Refused`] if it
    /// can't be placed. Then nothing was placed.
    pub fn place(&mut self, opened: &Opened, choice: ResumeChoice<'_>) -> Result<Placement, Error> {
        let entries = self.noted()?.placed;
        let plan = self.planned(opened, choice, &entries)?;
        match &plan.way {
            PlacementPlan::AlreadyInStore => Ok(Placement { plan, state: PlacementState::There }),
            PlacementPlan::Import { .. } => self.import(plan, opened, choice, &entries),
            PlacementPlan::Files(_) => self.place_files(plan, opened, choice),
        }
    }

    /// Lets the agent import a session. Its own one, if it does not take that in as it is stored (a
    /// version before it wrote it), is written anew.
    fn import(
        &mut self,
        mut plan: ResumePlan,
        opened: &Opened,
        choice: ResumeChoice<'_>,
        entries: &[Placed],
    ) -> Result<Placement, Error> {
        let mut imported = import::place(self, &plan)?;
        if let Imported::Declined(why) = &imported
            && plan.from == plan.agent
            && !plan.anew
        {
            self.tell_declined(plan.agent, why);
            plan = self.planned(opened, ResumeChoice { anew: true, ..choice }, entries)?;
            imported = import::place(self, &plan)?;
        }
        match imported {
            Imported::There(state) => Ok(Placement { plan, state }),
            Imported::Declined(why) => Err(why),
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
                if entry.step != Step::Placed {
                    // A removal that failed is not ended by a later run: it is continued now.
                    let mut now = entry.clone();
                    now.step = Step::Placed;
                    placements.note(&now)?;
                }
                return Ok(Placement { plan, state });
            }
            placements.remove(entry)?;
        }
        let PlacementPlan::Files(files) = &plan.way else {
            return Ok(Placement { plan, state: PlacementState::There });
        };
        let files: Vec<(PathBuf, &[u8])> =
            files.iter().map(|(path, content)| (path.clone(), &**content)).collect();
        let begun = placements.begin(entry_of(&plan), &files)?;
        placements.end(begun, crate::resume::read_back(self.catalog, &plan))?;
        Ok(Placement { plan, state: PlacementState::Placed })
    }

    /// The plan. A session that was placed before is written for the same time again.
    fn planned(
        &self,
        opened: &Opened,
        choice: ResumeChoice<'_>,
        entries: &[Placed],
    ) -> Result<ResumePlan, Error> {
        let plan = crate::resume::plan_resume(self.catalog, opened, choice)?;
        let entry = find(&plan, entries).filter(|entry| state(entry) != State::Missing);
        match entry.map(|entry| entry.at.map(UtcTime)) {
            Some(at) if at != plan.at => {
                Ok(crate::resume::plan_resume(self.catalog, opened, ResumeChoice { at, ..choice })?)
            }
            _ => Ok(plan),
        }
    }
}

/// The state of a session that was placed as files before; `None` if it is not there any more.
fn before(plan: &ResumePlan, entry: &Placed) -> Result<Option<PlacementState>, Error> {
    let PlacementPlan::Files(files) = &plan.way else { return Ok(None) };
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
        State::Changed(_) if is_at(files, entry) => return Ok(Some(PlacementState::Continued)),
        State::Changed(_) => {
            let what = format!("{} was placed for {}, and continued there", plan.id, entry.folder);
            return refused(what, "continue it in that folder: `--folder`; nothing was changed");
        }
        State::Unchanged => {}
    }
    let same = files.len() == entry.files.len()
        && files.iter().all(|(path, bytes)| entry.files.iter().any(|f| f.is(path, bytes)));
    if same {
        return Ok(Some(PlacementState::Before));
    }
    let what = match entry.source == plan.source {
        true if !is_at(files, entry) => {
            format!("{} was placed as {} for {} before", plan.source, plan.id, entry.folder)
        }
        true => format!("{} was placed as {} before, in another state", plan.source, plan.id),
        false => format!("{} has {} from {}", plan.agent, plan.id, entry.source),
    };
    refused(what, &format!("remove it first: `{}`", undo_words(&plan.id).join(" ")))
}

/// Whether a session would be where it was placed: its agent looks for it there.
fn is_at(files: &[(PathBuf, Content)], entry: &Placed) -> bool {
    let place = entry.files.last().map(|file| &file.path);
    files.last().map(|(path, _)| path) == place
}
