//! Placing of a session by its agent's own import. The journal is not locked while the agent runs.

use std::path::Path;

use catalog::{Catalog, Opened, ResumePlan, Way};
use store::draft::ImportFile;
use store::placing::{Placed, Step};

use crate::desk::{Desk, PlacementState, entry_of, find};
use crate::error::{Error, refused};
use crate::program::{is_startable, run};

/// Lets the agent import the session. If a run before was killed, this one completes it: the
/// import of a session that is there already adds nothing. What is there already is never removed:
/// the agent may have continued it.
pub(crate) fn place(desk: &mut Desk<'_>, plan: &ResumePlan) -> Result<PlacementState, Error> {
    let Way::Import { file: (name, _), commands, content } = &plan.way else {
        return Ok(PlacementState::There);
    };
    let catalog = desk.catalog;
    is_startable(&(commands.import)(name), &catalog.machine)?;
    let placements = desk.open()?;
    let was_there = stored(plan.agent, &plan.id, catalog).is_some();
    let mut entry = entry_of(plan);
    entry.content = Some(content.clone());
    // With an entry, a run that was killed, or one that runs just now, may have imported it.
    let known = find(plan, &placements.content().placed);
    let is_mine = known.is_none();
    match known {
        Some(entry) => {
            if let Some(state) = before(catalog, plan, entry) {
                return Ok(state);
            }
        }
        None if was_there => {
            return refused(
                format!("{} has a session {} already", plan.agent, plan.id),
                "nothing was changed; remove it there, or continue it",
            );
        }
        None => {}
    }
    if was_there && catalog.read_back(plan).is_ok() {
        // A run before was killed when all of it was there.
        entry.step = Step::Placed;
        placements.note(&entry)?;
        return Ok(PlacementState::Before);
    }
    placements.note(&entry)?;
    drop(placements);
    let done = imported(desk, plan, (was_there, is_mine));
    let gone = done.is_err() && stored(plan.agent, &plan.id, catalog).is_none();
    let placements = desk.open()?;
    match done {
        Ok(state) => {
            entry.step = Step::Placed;
            placements.note(&entry)?;
            Ok(state)
        }
        Err(failure) => {
            if gone && find(plan, &placements.content().placed).is_some() {
                placements.forget(&entry)?;
            }
            Err(failure)
        }
    }
}

/// Runs the agent's import, and reads the session back. If it differs, it is removed again, unless
/// it was there before, or another run may have imported it.
fn imported(
    desk: &Desk<'_>,
    plan: &ResumePlan,
    (was_there, is_mine): (bool, bool),
) -> Result<PlacementState, Error> {
    let Way::Import { file: (name, bytes), commands, .. } = &plan.way else {
        return Ok(PlacementState::There);
    };
    let (catalog, folder) = (desk.catalog, Path::new(&plan.folder));
    let file = ImportFile::write(&desk.journal, name, bytes).map_err(Error::from);
    let done = file
        .and_then(|file| run(&(commands.import)(&file.path().to_string_lossy()), folder))
        .and_then(|()| match catalog.read_back(plan) {
            Ok(()) => Ok(PlacementState::Placed),
            Err(_) if was_there => Ok(PlacementState::Continued),
            Err(what) => {
                let hint = match is_mine {
                    true => "it was removed from the agent's store again; please report it",
                    false => "it is in the agent's store; look at it there",
                };
                Err(Error::Faulty { what, hint: hint.into() })
            }
        });
    if done.is_err() && is_mine && stored(plan.agent, &plan.id, catalog).is_some() {
        run(&(commands.remove)(&plan.id), folder)?;
    }
    done
}

/// The state of a session that was imported before; `None` if it is not there any more, or if its
/// import did not come to its end.
pub(crate) fn before(
    catalog: &Catalog<'_>,
    plan: &ResumePlan,
    entry: &Placed,
) -> Option<PlacementState> {
    let there = || stored(plan.agent, &plan.id, catalog).is_some();
    if entry.step != Step::Placed || !there() {
        return None;
    }
    Some(match catalog.read_back(plan) {
        Ok(()) => PlacementState::Before,
        Err(_) => PlacementState::Continued,
    })
}

/// The session with an id in an agent's own places.
pub(crate) fn stored(agent: &str, id: &str, catalog: &Catalog<'_>) -> Option<Opened> {
    let format = catalog.format(agent).ok()?;
    let places = catalog.machine.places(format).into_iter().map(|place| place.path);
    let places: Vec<_> = places.filter(|path| path.exists()).collect();
    if places.is_empty() {
        return None;
    }
    let opened = catalog.open(id, &places).ok()?;
    Some(opened).filter(|opened| opened.session().id == id)
}
