//! `verbatim resume --undo`: removes a session that was placed.

use std::path::Path;

use catalog::api::resume::Undone;
use store::placing::{Placed, Placements, State, Step, state};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::json;
use crate::options::Global;
use crate::resume::import;
use crate::resume::step::journal;
use crate::terminal::Plain;

pub(super) fn run(
    query: &str,
    to: Option<&str>,
    planned: bool,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let folder = journal(env)?;
    let placements = match planned {
        true => None,
        false => Some(Placements::open(&folder)?),
    };
    let entry = picked(query, to, Placements::noted(&folder)?)?;
    match entry.files.is_empty() {
        true => imported(&entry, placements.as_ref(), env)?,
        false => match placements {
            Some(placements) => placements.remove(&entry)?,
            None => unchanged(&entry)?,
        },
    }
    if global.json {
        json::write(env.out, &Undone::of(&entry.agent, &entry.id, &paths(&entry), planned))?;
        return Ok(Exit::Good);
    }
    let would = if planned { "would be " } else { "" };
    let (agent, id) = (Plain::line(&entry.agent), Plain::line(&entry.id));
    writeln!(env.err, "{would}removed from {agent}'s store: {id}")?;
    for path in paths(&entry) {
        writeln!(env.err, "  {}", Plain::line(&path.display().to_string()))?;
    }
    Ok(Exit::Good)
}

fn paths(entry: &Placed) -> Vec<&Path> {
    entry.files.iter().map(|file| file.path.as_path()).collect()
}

/// The entry of a session that was placed: by its id there, or by the id or uid of the session
/// that it was made from.
fn picked(query: &str, to: Option<&str>, entries: Vec<Placed>) -> Result<Placed, Failure> {
    let named = |entry: &Placed| {
        let source = entry.source.split_once(':').map_or("", |(_, id)| id);
        let to_it = to.is_none_or(|to| entry.agent == to);
        to_it && [&*entry.id, &*entry.source, source].iter().any(|name| name.starts_with(query))
    };
    let mut found: Vec<Placed> = entries.into_iter().filter(named).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Failure::Refused(
            format!("no session that was placed has an id that begins with `{query}`"),
            "only what `verbatim resume --to` placed is removed".into(),
        )),
        count => {
            let ids: Vec<String> =
                found.iter().map(|entry| format!("{}:{}", entry.agent, entry.id)).collect();
            let what = format!("`{query}` names {count} sessions: {}", ids.join(", "));
            Err(Failure::Usage(what, "name one by its id, or its agent by `--to`".into()))
        }
    }
}

fn unchanged(entry: &Placed) -> Result<(), Failure> {
    match state(entry) {
        State::Unchanged => Ok(()),
        State::Changed(path) => Err(store::Error::Continued { path }.into()),
    }
}

/// Removes a session that the agent's own import took in, by the agent's own command.
fn imported(
    entry: &Placed,
    placements: Option<&Placements>,
    env: &Environment<'_>,
) -> Result<(), Failure> {
    let catalog = env.catalog();
    let stored = import::stored(&entry.agent, &entry.id, env);
    if let Some(stored) = &stored {
        let content = catalog.conversation(stored.session());
        if entry.step == Step::Placed && entry.content.as_ref() != Some(&content) {
            return Err(Failure::Refused(
                format!("{} has continued {}", entry.agent, entry.id),
                "nothing was removed; remove it in the agent itself".into(),
            ));
        }
    }
    let Some(placements) = placements else { return Ok(()) };
    if stored.is_some() {
        let rules = catalog.format(&entry.agent)?.resume().map(|rules| &rules.entry);
        let Some(formats::resume::StoreEntry::Import(commands)) = rules else { return Ok(()) };
        import::run(&(commands.remove)(&entry.id), Path::new(&entry.folder))?;
        if import::stored(&entry.agent, &entry.id, env).is_some() {
            let what = format!("{} still has {} after its own removal", entry.agent, entry.id);
            return Err(Failure::Faulty(what, "remove it in the agent itself".into()));
        }
    }
    Ok(placements.forget(entry)?)
}
