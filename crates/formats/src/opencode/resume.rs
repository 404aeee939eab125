//! Continuing a session: the agent's own import takes an export in (`FORMAT.md`).

use crate::resume::{Import, Resume, StoreEntry, words};

pub(super) static RESUME: Resume = Resume {
    entry: StoreEntry::Import(Import {
        import: |file| words(&["opencode", "import", file]),
        remove: |id| words(&["opencode", "session", "delete", id]),
    }),
    command: |at| Some(words(&["opencode", "-s", at.id])),
};
