//! Lineage: the session that a placed session was converted from.

use operations::placing::Desk;
use session::Session;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::notes::say;
use crate::resume::tell_notes;
use crate::terminal::Plain;

/// Adds the source of a session that `verbatim resume` placed, as the journal has it.
pub(crate) fn add(session: &mut Session, env: &mut Environment<'_>) -> Result<(), Failure> {
    let catalog = env.catalog();
    let Ok(mut desk) = Desk::new(&catalog, None) else { return Ok(()) };
    match desk.made_from(session.format, &session.id) {
        Ok(made_from) => session.beside.made_from = made_from,
        Err(error) => {
            // The session itself is whole without it.
            let what = format!("where the session is from is not known: {error}");
            say(Plain::words(&format!("warning: {what}")), env)?;
        }
    }
    tell_notes(&mut desk, env)
}

/// The uids of the sessions that placed sessions were made from: of each its agent, its id, and
/// that uid. Nothing if the journal can't be read: a list does not need it.
pub(crate) fn origins(env: &Environment<'_>) -> Vec<[String; 3]> {
    let catalog = env.catalog();
    let desk = Desk::new(&catalog, None);
    desk.and_then(|mut desk| desk.origins()).unwrap_or_default()
}
