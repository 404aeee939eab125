//! Lineage: the session that a placed session was converted from.

use session::{MadeFrom, Session};
use store::placing::Placements;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::resume::step::journal;

/// Adds the source of a session that `verbatim resume` placed, as the journal has it.
pub(crate) fn add(session: &mut Session, env: &Environment<'_>) -> Result<(), Failure> {
    let Ok(folder) = journal(env) else { return Ok(()) };
    let is_it = |agent: &str, id: &str| agent == session.format && id == session.id;
    let entries = Placements::noted(&folder)?;
    let entry = entries.into_iter().find(|entry| is_it(&entry.agent, &entry.id));
    session.beside.made_from = entry.and_then(|entry| {
        let id = entry.source.split_once(':').map(|(_, id)| id.to_owned())?;
        Some(MadeFrom { format: entry.from, id, books: entry.books?, by: entry.version })
    });
    Ok(())
}
