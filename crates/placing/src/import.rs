//! Placing of a session by its agent's own import. The journal is not locked while the agent runs.

use std::path::Path;

use catalog::{Catalog, Opened, ResumePlan, Way};
use store::draft::ImportFile;
use store::placing::{Placed, Step};

use crate::desk::{Desk, PlacementState, entry_of, find};
use crate::error::{Error, refused};
use crate::program::{is_startable, run};

/// The result of an agent's import.
pub(crate) enum Imported {
    /// The session is there.
    There(PlacementState),
    /// The agent did not take it in as it is, and nothing of it is left there.
    Declined(Error),
}

/// Lets the agent import the session. If a run before was killed, this one completes it: the
/// import of a session that is there already adds nothing.
pub(crate) fn place(desk: &mut Desk<'_>, plan: &ResumePlan) -> Result<Imported, Error> {
    let Way::Import { file: (name, bytes), commands, content } = &plan.way else {
        return Ok(Imported::There(PlacementState::There));
    };
    let catalog = desk.catalog;
    let words = |file: &Path| (commands.import)(&file.to_string_lossy());
    is_startable(&words(Path::new(name)), &catalog.machine)?;
    let placements = desk.open()?;
    match find(plan, &placements.content().placed) {
        Some(entry) => {
            if let Some(state) = before(catalog, plan, entry) {
                return Ok(Imported::There(state));
            }
        }
        None if stored(plan.agent, &plan.id, catalog).is_some() => {
            return refused(
                format!("{} has a session {} already", plan.agent, plan.id),
                "nothing was changed; remove it there, or continue it",
            );
        }
        None => {}
    }
    let mut entry = entry_of(plan);
    entry.content = Some(content.clone());
    placements.note(&entry)?;
    drop(placements);
    let done = ImportFile::write(&desk.journal, name, bytes).map_err(Error::from);
    let done = done.and_then(|file| run(&words(file.path()), Path::new(&plan.folder)));
    let done = done.and_then(|()| {
        let hint = "it was removed from the agent's store again; please report it".into();
        catalog.read_back(plan).map_err(|what| Error::Faulty { what, hint })
    });
    // It was not there before: this import made it.
    if done.is_err() && stored(plan.agent, &plan.id, catalog).is_some() {
        run(&(commands.remove)(&plan.id), Path::new(&plan.folder))?;
    }
    let gone = done.is_err() && stored(plan.agent, &plan.id, catalog).is_none();
    let placements = desk.open()?;
    match done {
        Ok(()) => {
            entry.step = Step::Placed;
            placements.note(&entry)?;
            Ok(Imported::There(PlacementState::Placed))
        }
        Err(failure) => {
            if gone && find(plan, &placements.content().placed).is_some() {
                placements.forget(&entry)?;
            }
            if gone { Ok(Imported::Declined(failure)) } else { Err(failure) }
        }
    }
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
