//! Values that give access to something: those that a format's tables name, in damaged records too.

use meaning::secret::{self, Secret};
use session::{Row, Session, Slot};

use crate::registry::{AGENTS, agent};

/// The values of a session that give access to something.
#[must_use]
pub fn secrets(session: &Session) -> Vec<Secret> {
    secret::secrets(session, &names(session))
}

/// The session with other bytes of the same length for its secrets, and these; `None` where it has
/// none.
#[must_use]
pub fn withheld(session: &Session) -> Option<(Session, Vec<Secret>)> {
    secret::withheld(session, &names(session))
}

/// The names of the session's format that lead to such values; for a document, those of all agents.
fn names(session: &Session) -> Vec<(&'static str, Slot)> {
    let own = agent(session.format);
    let formats =
        AGENTS.iter().copied().filter(|format| own.is_none_or(|own| own.name() == format.name()));
    let maps = formats.flat_map(|format| format.data().maps);
    let rows = maps.flat_map(|(_, map)| map.rows).filter_map(|named| match named.row {
        Row::Is(slot) | Row::Within(slot, _) | Row::View(slot, _) => Some((named.text, slot)),
        Row::Kept | Row::Each(..) | Row::One(..) => None,
    });
    rows.filter(|(_, slot)| matches!(slot, Slot::Secret | Slot::Repository)).collect()
}
