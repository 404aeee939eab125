//! Placing of a session by its agent's own import. The journal is not locked while the agent runs.

use std::path::Path;

use catalog::{Catalog, Opened};
use store::draft::ImportFile;
use store::placing::{Placed, Step};

use crate::placing::desk::{Desk, PlacementState, entry_of, find};
use crate::placing::error::{Error, refused};
use crate::placing::program::{is_startable, run};
use crate::resume::{PlacementPlan, ResumePlan};

/// The result of an agent's import.
pub(crate) enum Imported {
    /// The session is there.
    There(PlacementState),
    /// The agent did not take it in as it is, and nothing of it is left there.
    Declined(Error),
}

/// Lets the agent import the session. If a run before was killed, this one completes it: the
/// import of a session that is there already adds nothing. What is there already is never removed:
/// the agent may have continued it.
pub(crate) fn place(desk: &mut Desk<'_>, plan: &ResumePlan) -> Result<Imported, Error> {
    let PlacementPlan::Import { file: (name, _), commands, content } = &plan.way else {
        return Ok(Imported::There(PlacementState::There));
    };
    let catalog = desk.catalog;
    is_startable(&(commands.import)(name), &catalog.machine)?;
    let placements = desk.open()?;
    // Not known is not absent: what is imported over a session could be taken for this import.
    let was_there = stored(plan.agent, &plan.id, catalog)?.is_some();
    let mut entry = entry_of(plan);
    entry.content = Some(content.clone());
    // With an entry, a run that was killed, or one that runs just now, may have imported it.
    let known = find(plan, &placements.content().placed);
    let is_mine = known.is_none();
    match known {
        Some(entry) => {
            if let Some(state) = before(catalog, plan, entry)? {
                return Ok(Imported::There(state));
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
    if was_there && crate::resume::read_back(catalog, plan).is_ok() {
        // A run before was killed when all of it was there.
        entry.step = Step::Placed;
        placements.note(&entry)?;
        return Ok(Imported::There(PlacementState::Before));
    }
    placements.note(&entry)?;
    drop(placements);
    let done = imported(desk, plan, (was_there, is_mine));
    let gone = done.is_err() && matches!(stored(plan.agent, &plan.id, catalog), Ok(None));
    let placements = desk.open()?;
    match done {
        Ok(state) => {
            entry.step = Step::Placed;
            placements.note(&entry)?;
            Ok(Imported::There(state))
        }
        Err(failure) => {
            if gone && find(plan, &placements.content().placed).is_some() {
                placements.forget(&entry)?;
            }
            if gone { Ok(Imported::Declined(failure)) } else { Err(failure) }
        }
    }
}

/// Runs the agent's import, and reads the session back. If it differs, it is removed again, unless
/// it was there before, or another run may have imported it, or the store can't be read.
fn imported(
    desk: &Desk<'_>,
    plan: &ResumePlan,
    (was_there, is_mine): (bool, bool),
) -> Result<PlacementState, Error> {
    let PlacementPlan::Import { file: (name, bytes), commands, .. } = &plan.way else {
        return Ok(PlacementState::There);
    };
    let (catalog, folder) = (desk.catalog, Path::new(&plan.folder));
    let file = ImportFile::write(&desk.journal, name, bytes).map_err(Error::from);
    let done = file
        .and_then(|file| {
            run(&(commands.import)(&file.path().to_string_lossy()), folder, &catalog.machine)
        })
        .and_then(|()| stored(plan.agent, &plan.id, catalog).map_err(not_read_back))
        .and_then(|_| match crate::resume::read_back(catalog, plan) {
            Ok(()) => Ok(PlacementState::Placed),
            Err(_) if was_there => Ok(PlacementState::Continued),
            Err(what) => {
                let hint = match is_mine {
                    true => "nothing of it is left in the agent's store; please report it",
                    false => "it is in the agent's store; look at it there",
                };
                Err(Error::Faulty { what, hint: hint.into() })
            }
        });
    let is_there = || matches!(stored(plan.agent, &plan.id, catalog), Ok(Some(_)));
    if done.is_err() && is_mine && is_there() {
        run(&(commands.remove)(&plan.id), folder, &catalog.machine)?;
    }
    done
}

/// The state of a session that was imported before; `None` if it is not there any more, or if its
/// import did not come to its end.
pub(crate) fn before(
    catalog: &Catalog<'_>,
    plan: &ResumePlan,
    entry: &Placed,
) -> Result<Option<PlacementState>, Error> {
    if entry.step != Step::Placed || stored(plan.agent, &plan.id, catalog)?.is_none() {
        return Ok(None);
    }
    Ok(Some(match crate::resume::read_back(catalog, plan) {
        Ok(()) => PlacementState::Before,
        Err(_) => PlacementState::Continued,
    }))
}

/// The session with an id in an agent's own places. It is an error if that can't be known: the
/// session may be in a file that can't be read now.
pub(crate) fn stored(
    agent: &str,
    id: &str,
    catalog: &Catalog<'_>,
) -> Result<Option<Opened>, Error> {
    let format = catalog.format(agent)?;
    let places = catalog.machine.places(format).into_iter().map(|place| place.path);
    let places: Vec<_> = places.filter(|path| path.exists()).collect();
    if places.is_empty() {
        return Ok(None);
    }
    let uid = format!("{agent}:{id}");
    match catalog.open(id, &places) {
        Ok(opened) => Ok(Some(opened).filter(|opened| opened.session().id == id)),
        Err(catalog::Error::NoSuch { unread, .. }) if unread.is_empty() => Ok(None),
        Err(catalog::Error::NoSuch { unread, .. }) => refused(
            format!("{agent} may have {id}, but its store can't be read: {}", unread.join("; ")),
            "nothing was changed; run it again when that can be read",
        ),
        // The beginning of the ids of others.
        Err(catalog::Error::Ambiguous { found, .. }) if found.iter().all(|one| one.uid != uid) => {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The failure of looking at a store after an import: what was imported stays, and is noted.
fn not_read_back(failure: Error) -> Error {
    Error::Faulty {
        what: format!("it was imported, and is not read back: {failure}"),
        hint: "it stays; run `verbatim resume` again when that can be read".into(),
    }
}
