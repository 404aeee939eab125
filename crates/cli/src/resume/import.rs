//! Placing of a session by its agent's own import.

use std::fs;
use std::path::Path;
use std::process::Command;

use catalog::{Error, ResumePlan, Way};
use store::placing::{Placed, Placements, Step};

use crate::environment::Environment;
use crate::exit::Failure;
use crate::resume::step::{Done, entry_of, not_started};
use crate::terminal::Plain;

/// Lets the agent import the session. If a run before was killed, this one completes it: the
/// import of a session that is there already adds nothing.
pub(super) fn placed(
    plan: &ResumePlan,
    placements: &Placements,
    entry: Option<Placed>,
    env: &Environment<'_>,
) -> Result<Done, Failure> {
    let Way::Import { file: (name, bytes), commands, content } = &plan.way else {
        return Ok(Done::There);
    };
    let catalog = env.catalog();
    match &entry {
        Some(entry) if entry.step == Step::Placed => {
            return Ok(match catalog.read_back(plan) {
                Ok(()) => Done::Before,
                Err(_) => Done::Continued,
            });
        }
        Some(_) => {}
        None if is_there(plan, env) => {
            return Err(Failure::Refused(
                format!("{} has a session {} already", plan.agent, plan.id),
                "nothing was changed; remove it there, or continue it".into(),
            ));
        }
        None => {}
    }
    let mut entry = entry_of(plan);
    entry.content = Some(content.clone());
    placements.note(&entry)?;
    let file = placements.draft(name, bytes)?;
    let done = run(&(commands.import)(&file.to_string_lossy()), Path::new(&plan.folder));
    let _ = fs::remove_file(&file);
    let done = done.and_then(|()| {
        let hint = "it was removed from the agent's store again; please report it";
        catalog.read_back(plan).map_err(|what| Failure::Faulty(what, hint.into()))
    });
    match done {
        Ok(()) => {
            entry.step = Step::Placed;
            placements.note(&entry)?;
            Ok(Done::Placed)
        }
        Err(failure) => {
            // It was not there before: this import made it.
            if is_there(plan, env) {
                run(&(commands.remove)(&plan.id), Path::new(&plan.folder))?;
            }
            if !is_there(plan, env) {
                placements.forget(&entry)?;
            }
            Err(failure)
        }
    }
}

/// Whether the agent's store has a session with the plan's id.
fn is_there(plan: &ResumePlan, env: &Environment<'_>) -> bool {
    stored(plan.agent, &plan.id, env).is_some()
}

/// The session with an id in an agent's own places.
pub(super) fn stored(agent: &str, id: &str, env: &Environment<'_>) -> Option<catalog::Opened> {
    let catalog = env.catalog();
    let format = catalog.format(agent).ok()?;
    let places = env.machine.places(format).into_iter().map(|place| place.path);
    let places: Vec<_> = places.filter(|path| path.exists()).collect();
    if places.is_empty() {
        return None;
    }
    match catalog.open(id, &places) {
        Ok(opened) => Some(opened).filter(|opened| opened.session().id == id),
        Err(Error::NoSuch { .. }) => None,
        Err(_) => None,
    }
}

/// Runs an agent's command in a folder and waits for it.
pub(super) fn run(words: &[String], folder: &Path) -> Result<(), Failure> {
    let Some((program, rest)) = words.split_first() else { return Ok(()) };
    let output = Command::new(program).args(rest).current_dir(folder).output();
    let output = output.map_err(|error| not_started(program, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: String = Plain::block(said.trim()).as_str().chars().take(2000).collect();
    Err(Failure::Refused(
        format!("`{program}` ended with {}: {said}", output.status),
        "nothing else was changed".into(),
    ))
}
