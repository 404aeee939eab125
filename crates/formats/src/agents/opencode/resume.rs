//! Continuing a session: the agent's own import takes an export in (`FORMAT.md`).

use session::Session;

use super::{case, export};
use crate::resume::{Import, Resume, StoreAccess, no_list, words};

pub(super) static RESUME: Resume = Resume {
    entry: StoreAccess::Import(Import {
        import: |file| words(&["opencode", "import", file]),
        remove: |id| words(&["opencode", "session", "delete", id]),
    }),
    takes,
    command: |at| Some(words(&["opencode", "-s", at.id])),
    title: no_list,
};

/// Whether it is an export, or rows that are written as one.
fn takes(session: &Session) -> bool {
    session.id.starts_with("ses") && (case::is_export(session) || export::write(session).is_some())
}
