//! Continuing a session: `sessions/ID.json` in CodeWhale's home (`FORMAT.md`).

use crate::resume::{Resume, StoreAccess, last_part, words};

pub(super) static RESUME: Resume = Resume {
    entry: StoreAccess::Files(|_, name| {
        let name = last_part(name);
        name.ends_with(".json").then(|| format!("sessions/{name}"))
    }),
    takes: |_| true,
    command: |at| Some(words(&["codewhale", "resume", at.id])),
    ..Resume::PLAIN
};
