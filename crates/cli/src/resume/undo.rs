//! `verbatim resume --undo`: removes a session that was placed.

use std::path::Path;

use catalog::api::resume::Undone;
use placing::Desk;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::json;
use crate::options::Global;
use crate::resume::{Args, tell_notes};
use crate::terminal::Plain;

pub(super) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let catalog = env.catalog();
    let mut desk = Desk::new(&catalog, args.home.as_deref())?;
    let query = args.one.name(env)?;
    let query = query.to_string_lossy();
    let removal = desk.undo(&query, args.to.as_deref(), args.dry_run);
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
    Ok(Exit::Good)
}
