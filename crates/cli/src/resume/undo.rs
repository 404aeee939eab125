//! `verbatim resume --undo`: removes a session that was placed.

use std::path::Path;

use api::resume::Undone;
use operations::placing::{Desk, UndoChoice};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::options::Global;
use crate::resume::{Args, tell_notes};
use crate::terminal::Plain;
use crate::{input, json};

pub(super) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let query = query(args, env)?;
    let catalog = env.catalog();
    let mut desk = Desk::new(&catalog, args.home.as_deref())?;
    let choice = UndoChoice {
        query: &query,
        to: args.to.as_deref(),
        folder: args.folder.as_deref(),
        planned: args.dry_run,
    };
    let removal = desk.undo(choice);
    tell_notes(&mut desk, env)?;
    let removal = removal?;
    let paths: Vec<&Path> = removal.files.iter().map(|path| &**path).collect();
    if global.json {
        json::write(env.out, &Undone::of(&removal.agent, &removal.id, &paths, args.dry_run))?;
        return Ok(Exit::Good);
    }
    let (agent, id) = (Plain::line(&removal.agent), Plain::line(&removal.id));
    match (removal.was_gone, args.dry_run) {
        (true, _) => writeln!(env.err, "was not in {agent}'s store any more: {id}")?,
        (false, true) => writeln!(env.err, "would be removed from {agent}'s store: {id}")?,
        (false, false) => writeln!(env.err, "removed from {agent}'s store: {id}")?,
    }
    for path in paths {
        writeln!(env.err, "  {}", Plain::words(&path.display().to_string()))?;
    }
    if removal.earlier_is_back && !removal.was_gone {
        let verb = if args.dry_run { "would have" } else { "has" };
        writeln!(env.err, "the state that was placed before {verb} its place again")?;
    }
    Ok(Exit::Good)
}

/// The name of the session: as it is given, or the uid of the one on standard input.
fn query(args: &Args, env: &mut Environment<'_>) -> Result<String, Failure> {
    let name = args.one.name(env)?;
    if name != Path::new("-") {
        return Ok(name.to_string_lossy().into_owned());
    }
    let opened = input::open(&name, &[], env)?;
    let native = operations::native(&env.catalog(), opened.session())?;
    Ok(native.as_ref().unwrap_or(opened.session()).uid())
}
