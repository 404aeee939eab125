//! Continuing a session: `sessions/ID.json` in CodeWhale's home (`FORMAT.md`).

use crate::resume::{Resume, StoreEntry, last_part, words};

pub(super) static RESUME: Resume = Resume {
    entry: StoreEntry::Files(|_, name| {
        let name = last_part(name);
        name.ends_with(".json").then(|| format!("sessions/{name}"))
    }),
    takes: |_| true,
    command: |at| Some(words(&["codewhale", "resume", at.id])),
};
