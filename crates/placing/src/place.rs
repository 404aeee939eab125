//! Placing: a session is planned, placed and read back.

use std::path::{Path, PathBuf};

use catalog::{Opened, ResumeChoice, ResumePlan, Way};
use session::UtcTime;
use store::placing::{Placed, Settlement, State, state, unfinished};

use crate::desk::{Desk, PlacementState, entry_of, find};
use crate::error::{Error, refused};
use crate::import;
use crate::undo::undo_words;

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
    /// Those of [`catalog::Catalog::plan_resume`], and [`Error::Store`] if it could not be
    /// placed.
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
    /// Those of [`catalog::Catalog::plan_resume`]; [`Error::Store`] or [`Error::Refused`] if it
    /// can't be placed. Then nothing was placed.
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
        false => {
            let what = match entry.source == plan.source {
                true => format!(
                    "{} was placed as {} before, in another state or place",
                    plan.source, plan.id
                ),
                false => format!("{} has {} from {}", plan.agent, plan.id, entry.source),
            };
            let undo = undo_words(&plan.id).join(" ");
            refused(what, &format!("remove it first: `{undo}`"))
        }
    }
}
