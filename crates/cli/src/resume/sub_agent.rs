//! A sub-agent's file as the session that is continued.

use std::path::Path;

use catalog::Opened;
use session::Stream;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::input::STDIN;
use crate::notes::say;
use crate::terminal::Plain;

/// Opens a sub-agent's file alone, if the user named one: its parent is another session.
pub(super) fn alone(
    name: &Path,
    opened: &mut Opened,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let Some(stem) = name.file_stem().and_then(|stem| stem.to_str()) else { return Ok(()) };
    let is_it = |stream: &Stream| matches!(stream, Stream::Sub(own) if own == stem);
    let members = &opened.session().bundle.members;
    if !name.is_file() || members.len() < 2 || !members.iter().any(|one| is_it(&one.stream)) {
        return Ok(());
    }
    let bytes = std::fs::read(name).map_err(|error| Failure::File(name.into(), error))?;
    let parent = opened.session().id.clone();
    let mut alone = env.catalog().open_bytes(STDIN, bytes)?;
    let id = format!("{parent}-{stem}");
    alone.session_mut().id.clone_from(&id);
    *opened = alone;
    let what = format!(
        "that is a sub-agent's file, which is continued as a session of its own; to continue its \
         parent: `verbatim resume {parent}`"
    );
    Ok(say(Plain::line(&format!("note: {what}")), env)?)
}
